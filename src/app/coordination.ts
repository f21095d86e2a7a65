/** Coordination of processes: through Redis if they share it, else within this process. */

import type { Log } from '../domain/log.ts';
import type { Coordination, Semaphores } from '../queue/coordination.ts';
import { createInlineCoordination } from '../queue/inline/inline-coordination.ts';
import { defaultTries, type QueuedTurn } from '../queue/queue.ts';
import type { Config } from '../settings/load.ts';
import { StoreError } from '../store/store.ts';
import type { PermitsFor } from './open-models.ts';
import { canShareQueue, chooseStore, type StoreChoice, storeAddress } from './store.ts';

/** Returns up to `most` unfinished turns, oldest first. */
type Unfinished = (most: number) => Promise<readonly QueuedTurn[]>;

/** For a server: shares the work through Redis if that is the store. */
export async function coordinate(
  config: Config,
  unfinished: Unfinished,
  log: Log,
): Promise<Coordination> {
  const choice = chooseStore(config);
  if (canShareQueue(choice)) return share(choice, config, unfinished, log);
  if (choice.kind === 'upstash') {
    const store = storeAddress(choice);
    log.warn({ store }, `this process works alone: ${whyNotShared(choice)}`);
  }
  return coordinateAlone(config, unfinished, log, defaultTries);
}

/** Throws `StoreError` if the work can't be shared. */
async function share(
  choice: Extract<StoreChoice, { kind: 'redis' }>,
  { settings }: Config,
  unfinished: Unfinished,
  log: Log,
): Promise<Coordination> {
  // Loaded on demand: it takes a good part of a start's time.
  const { isConnectionError, openShared, SilentServerError } = await import('../queue/bullmq.ts');
  const name = storeAddress(choice);
  try {
    return await openShared({
      url: choice.url,
      name,
      log,
      unfinished: async (most) =>
        // Those of the terminal belong to the process that was asked.
        (await unfinished(most)).filter(({ threadId }) => !threadId.startsWith('terminal:')),
      concurrency: settings.limits.maxConcurrentTurns,
    });
  } catch (error) {
    // A `StoreError` already describes the connection problem.
    if (error instanceof StoreError) throw error;
    const isAway = error instanceof SilentServerError || isConnectionError(error);
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    const advice = isAway
      ? 'Check that it answers (`redis-cli -u … ping`) from this machine'
      : 'docs/redis.md lists the rights that are needed there';
    throw new StoreError(`The processes can't share work through ${name}: ${reason}. ${advice}.`, {
      reason: isAway ? 'unreachable' : 'refused',
      cause: error,
    });
  }
}

/** Opens the shared queue for an operator's task, without running turns. Throws as {@link coordinate} does. */
export async function openSharedQueue(
  choice: Extract<StoreChoice, { kind: 'redis' }>,
  config: Config,
  log: Log,
): Promise<Coordination & AsyncDisposable> {
  const shared = await share(choice, config, async () => [], log);
  const close = () => shared.queue.stop(0).then(() => shared.close());
  return { ...shared, [Symbol.asyncDispose]: close };
}

/** Tells the operator why processes can't share work through a store. */
export function whyNotShared({ kind }: StoreChoice): string {
  return kind === 'upstash'
    ? "Upstash can't notify other processes over HTTP; a second process would run the same turns and pay for them again, so don't start one"
    : 'only one process can use a file';
}

/**
 * For a process that works alone.
 *
 * @param tries - How many times to run a turn that throws; 1 for a process that exits after its turns.
 */
export async function coordinateAlone(
  { settings }: Config,
  unfinished: Unfinished,
  log: Log,
  tries: number,
): Promise<Coordination> {
  const concurrency = settings.limits.maxConcurrentTurns;
  const willPass = (error: unknown) =>
    error instanceof StoreError && transientReasons.includes(error.reason);
  return createInlineCoordination({ concurrency, unfinished, tries, willPass, log });
}

/**
 * Reasons that keep a turn from starting. A full store is not among them: it interrupts turns that have paid
 * for calls, and every retry would pay again.
 */
const transientReasons: readonly StoreError['reason'][] = ['unreachable', 'read_only', 'in_use'];

/** Short, to free the permits of a crashed process soon; one call too many does no harm. */
const callLeaseMs = 5000;

/** Limits concurrent calls to each provider, as `maxConcurrentCalls` says. */
export function callPermits(semaphores: Semaphores, { settings }: Config): PermitsFor {
  return (provider, workspace) => {
    const limit = settings.models.providers[provider]?.maxConcurrentCalls;
    if (limit === undefined) return undefined;
    const wanted = { name: `calls:${provider}`, limit, share: workspace, leaseMs: callLeaseMs };
    return { acquire: (signal) => semaphores.acquire(wanted, signal) };
  };
}
