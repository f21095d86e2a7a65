/** What makes shards in the background, wired for a bot. */

import type { Money } from '../bot/money/money.ts';
import type { ChannelsOptions } from '../bot/places/channels.ts';
import { shardCompressor } from '../bot/summaries/background-models.ts';
import {
  type ShardLock,
  type ShardPace,
  ShardWork,
  type ShardWorkOptions,
} from '../bot/summaries/shard-work.ts';
import type { Log } from '../domain/log.ts';
import type { Coordination } from '../queue/coordination.ts';
import { lockOnce } from '../queue/permits.ts';
import type { Config } from '../settings/load.ts';
import { providerOf } from '../settings/setting.ts';
import type { Store } from '../store/store.ts';
import type { ModelNames } from './models.ts';

/** Its name among the background work. */
export const shardsWork = 'shards';

export interface ShardParts {
  readonly config: Config;
  readonly names: ModelNames;
  readonly store: Store;
  readonly money: Money;
  readonly log: Log;
  readonly coordination: Pick<Coordination, 'background'>;
  readonly channels: Omit<ChannelsOptions, 'store'>;
  readonly lock: ShardLock;
  readonly embed: ShardWorkOptions['embed'];
}

/** Over all processes. */
export function shardLock({ permits }: Pick<Coordination, 'permits'>): ShardLock {
  return (threadId, signal) => permits.acquire({ ...lockOnce, name: `shards:${threadId}` }, signal);
}

/** As it is set when shards are made. */
export function shardPace({ settings }: Config): ShardPace {
  const { shardMinutes, shardMessages } = settings.memory;
  return { everyMs: shardMinutes * 60_000, enoughMessages: shardMessages };
}

/** In a rehearsal nothing is compressed: what was said is remembered as it was said. */
export function shardWork(parts: ShardParts): ShardWork {
  const { config, names, store, money, log, coordination, channels, lock, embed } = parts;
  const { background } = coordination;
  return new ShardWork({
    ...channels,
    ...{ store, lock, embed, log, now: Date.now, pace: shardPace(config) },
    compressor: providerOf(names.compactor) === 'rehearsal' ? undefined : shardCompressor(money),
    request: (threadId) => background.request(shardsWork, threadId, 0),
  });
}
