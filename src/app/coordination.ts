/** What processes share: through Redis where there are several, else within this one. */

import type { Log } from '../domain/log.ts';
import type { Coordination, Semaphores } from '../queue/coordination.ts';
import { createInlineCoordination } from '../queue/inline/inline-coordination.ts';
import { defaultTries, type QueuedTurn } from '../queue/queue.ts';
import type { Config } from '../settings/load.ts';
import { StoreError } from '../store/store.ts';
import type { PermitsFor } from './open-models.ts';
import { carriesQueue, chooseStore, type StoreChoice, storeAddress, storeName } from './store.ts';

/** Gives the turns that have not ended, oldest first, at most so many. */
type Unfinished = (most: number) => Promise<readonly QueuedTurn[]>;

/** For a bot that others use: with a Redis server as the store, its processes share the work there. */
export async function coordinate(
  config: Config,
  unfinished: Unfinished,
  log: Log,
): Promise<Coordination> {
  const choice = chooseStore(config);
  if (!carriesQueue(choice)) {
    if (config.role !== 'all') {
      throw new StoreError(
        `A ${config.role} shares its work with other processes through Redis, and ${storeName(choice)} serves one process: ${aloneBecause(choice)}. Give the address of a Redis server in REDIS_URL, or take the role out.`,
        { reason: 'refused' },
      );
    }
    if (choice.kind === 'upstash') {
      log.warn({ store: storeName(choice) }, `this process works alone: ${aloneBecause(choice)}`);
    }
    return coordinateAlone(config, unfinished, log, defaultTries);
  }
  return share(choice, config, unfinished, log);
}

/** Throws `StoreError` where the work can't be shared. */
async function share(
  choice: Extract<StoreChoice, { kind: 'redis' }>,
  { settings }: Config,
  unfinished: Unfinished,
  log: Log,
): Promise<Coordination> {
  // Loaded where it is used: it would be a good part of the time that a start takes.
  const { openShared, SilentServerError } = await import('../queue/bullmq.ts');
  const name = storeAddress(choice);
  try {
    return await openShared({
      ...{ url: choice.url, name, unfinished, log },
      concurrency: settings.limits.maxConcurrentTurns,
    });
  } catch (error) {
    // It says itself what is wrong with the way to the server.
    if (error instanceof StoreError) throw error;
    const isSilent = error instanceof SilentServerError;
    const said = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    const advice = isSilent
      ? 'Check that it answers (`redis-cli -u … ping`) from this machine'
      : 'docs/redis.md lists the rights that are needed there';
    throw new StoreError(`The processes can't share work through ${name}: ${said}. ${advice}.`, {
      reason: isSilent ? 'unreachable' : 'refused',
      cause: error,
    });
  }
}

/** Does something with what the processes share on a server, and runs none of it. Throws as {@link coordinate} does. */
export async function useShared<Result>(
  choice: Extract<StoreChoice, { kind: 'redis' }>,
  config: Config,
  log: Log,
  work: (shared: Coordination) => Promise<Result>,
): Promise<Result> {
  const shared = await share(choice, config, async () => [], log);
  try {
    return await work(shared);
  } finally {
    await shared.queue.stop(0);
    await shared.background.stop(0);
    await shared.close();
  }
}

/** Why the work can't be shared through a store, for the operator. */
export function aloneBecause({ kind }: StoreChoice): string {
  return kind === 'upstash'
    ? "Upstash can't notify other processes over HTTP; a second process would run the same turns and pay for them again, so don't start one"
    : 'only one process can use a file';
}

/**
 * For a process that speaks with one person, or serves alone.
 *
 * @param tries - How often a turn is run that throws; 1 for a process that ends with its turns.
 */
export async function coordinateAlone(
  { settings }: Config,
  unfinished: Unfinished,
  log: Log,
  tries: number,
): Promise<Coordination> {
  const concurrency = settings.limits.maxConcurrentTurns;
  return createInlineCoordination({ concurrency, unfinished, tries, willPass, log });
}

/**
 * What keeps a turn from being begun at all. One that a full store breaks off has paid for calls, and
 * would pay for them again each time.
 */
const passing: ReadonlySet<StoreError['reason']> = new Set(['unreachable', 'read_only', 'in_use']);

function willPass(error: unknown): boolean {
  return error instanceof StoreError && passing.has(error.reason);
}

/** Short, so that other processes get the permits of a crashed one soon; one call too many does no harm. */
const callLeaseMs = 5000;

/** Permits for the calls of each provider, as many as are set for it. */
export function permitsOver(semaphores: Semaphores, { settings }: Config): PermitsFor {
  return (provider, workspace) => {
    const limit = settings.models.providers[provider]?.maxConcurrentCalls;
    if (limit === undefined) return undefined;
    const wanted = { name: `calls:${provider}`, limit, share: workspace, leaseMs: callLeaseMs };
    return { acquire: (signal) => semaphores.acquire(wanted, signal) };
  };
}
