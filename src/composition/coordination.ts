/** What processes share: through Redis where there are several, else within this one. */

import type { Config } from '../../config/load.ts';
import type { Log } from '../operator/log.ts';
import type { Coordination } from '../queue/coordination.ts';
import { createInlineCoordination } from '../queue/inline-coordination.ts';
import { createPermits } from '../queue/permits.ts';
import type { QueuedTurn } from '../queue/queue.ts';
import type { Quotas } from '../queue/quotas.ts';
import { StoreError } from '../store/store.ts';
import type { PermitsFor } from './models.ts';
import { carriesQueue, chooseStore, storeName } from './store.ts';

export type Health = ReturnType<Coordination['health']>;

/** Gives the turns that have not ended, oldest first. */
type Unfinished = () => Promise<readonly QueuedTurn[]>;

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
        `A ${config.role} shares its work with other processes through a Redis server of its own address, and ${storeName(choice)} serves one process. Give the address of one server (redis://…), or take the role out.`,
        { reason: 'refused' },
      );
    }
    return coordinateAlone(config, unfinished, log);
  }
  // Loaded where it is used: it would be a good part of the time that a start takes.
  const { openShared } = await import('../queue/bullmq.ts');
  const name = storeName(choice).replace(/^store /, '');
  try {
    return await openShared({
      ...{ url: choice.url, name, unfinished, log },
      concurrency: config.settings.limits.maxConcurrentTurns,
    });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      `The work can't be shared through ${name}: ${said}. docs/redis.md lists the rights that are needed there.`,
      { reason: 'refused', cause: error },
    );
  }
}

/** For a process that speaks with one person, or serves alone. */
export async function coordinateAlone(
  { settings }: Config,
  unfinished: Unfinished,
  log: Log,
): Promise<Coordination> {
  const concurrency = settings.limits.maxConcurrentTurns;
  return createInlineCoordination({ concurrency, unfinished }, log);
}

/** Permits for the providers whose settings limit their calls. */
export function permitsOver(quotas: Quotas, { settings }: Config, log: Log): PermitsFor {
  return (provider) => {
    const limit = settings.models.providers[provider]?.maxConcurrentCalls;
    return limit === undefined
      ? undefined
      : createPermits(quotas, { name: `calls:${provider}`, limit, log });
  };
}
