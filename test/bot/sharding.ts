/** What makes shards, over a store of the test's, with a scripted model and a clock by hand. */

import { setImmediate as breathe } from 'node:timers/promises';
import type { Budgets } from '../../src/bot/money/budgets.ts';
import { Money } from '../../src/bot/money/money.ts';
import {
  type ShardLock,
  ShardWork,
  type ShardWorkOptions,
  shardCompressor,
} from '../../src/bot/summaries/shard-work.ts';
import { type Log, silentLog } from '../../src/domain/log.ts';
import { oneLine } from '../../src/domain/words.ts';
import type { ChatModel, ChatRequest } from '../../src/models/chat-model.ts';
import { withUsage } from '../../src/models/usage.ts';
import type { Quotas, Semaphores } from '../../src/queue/coordination.ts';
import { InlineQuotas } from '../../src/queue/inline/inline-coordination.ts';
import type { Shard, Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { readAll } from '../contracts/store/memory-samples.ts';
import { council, scriptedModels } from '../council/scripted-council.ts';
import { type Asked, addTurn, said, threadId } from '../memory/remembering.ts';
import { fileSettings, inlineLock, scriptedPrices } from './bot-fixture.ts';

export interface ShardingChanges {
  /** Absent: what was said is kept as it is. */
  readonly model?: ChatModel;
  readonly now?: () => number;
  readonly budgets?: Budgets;
  readonly quotas?: Quotas;
  readonly semaphores?: Semaphores;
  readonly memory?: boolean;
  readonly log?: Log;
  /** Absent: what is asked for is noted in `requested`. */
  readonly request?: (threadId: string) => Promise<void>;
  /** Shared with others who change shards. */
  readonly lock?: ShardLock;
  /** Absent: nothing is embedded. */
  readonly embed?: ShardWorkOptions['embed'];
}

export interface Sharding {
  readonly work: ShardWork;
  /** What was asked for and not done yet. */
  readonly requested: string[];
  /** Looks for what is due, and does what was asked for. */
  runAll(): Promise<void>;
}

/** As it is set by default. */
export const pace = { everyMs: 300_000, enoughMessages: 10 };

export const { signal } = new AbortController();

export function sharding(store: Store, changes: ShardingChanges = {}): Sharding {
  const { model, budgets = {}, memory = true, log = silentLog } = changes;
  const { quotas = new InlineQuotas(), now = () => startOfTime } = changes;
  const requested: string[] = [];
  const compressor =
    model &&
    shardCompressor(
      new Money({
        store,
        budgets,
        quotas,
        log,
        now,
        priceOf: () => 0,
        access: {},
        openModels: (count) => {
          const compactor = withUsage(model, { prices: scriptedPrices, record: count });
          return { ...scriptedModels({}), compactor };
        },
      }),
    );
  const work = new ShardWork({
    store,
    council,
    compressor,
    log,
    now,
    pace,
    settings: { ...fileSettings, memory },
    knownModels: [],
    presets: [],
    embed: changes.embed ?? (() => undefined),
    request: changes.request ?? (async (subject) => void requested.push(subject)),
    lock: changes.lock ?? inlineLock(changes.semaphores),
  });
  return {
    work,
    requested,
    async runAll() {
      await work.run('', signal);
      for (const subject of requested.splice(0)) await work.run(subject, signal);
    },
  };
}

/** A summary that lacks nothing of what was asked for, each thing on a line of its speaker. */
export function wholeSummary({ messages }: Pick<ChatRequest, 'messages'>): string {
  const said = messages.map(({ content }) => content).join('\n');
  const fenced = /<(?:question|answer) (?:from|sage)="([^"]*)"(?: on="[^"]*")?>\n([\s\S]*?)\n<\//g;
  return Array.from(said.matchAll(fenced), ([, by, text]) => `${by}: ${oneLine(text ?? '')}`).join(
    '\n',
  );
}

/** A turn that ended, of a question and two answers, as the bot tells of it. */
export async function toldTurn(
  { work }: Pick<Sharding, 'work'>,
  store: Store,
  turnId: string,
  asked: Asked = {},
): Promise<void> {
  const turn = { turnId, threadId: asked.threadId ?? threadId };
  await work.begun(turn);
  const answers = { ada: said(`Ada on ${turnId}.`), ben: said(`Ben on ${turnId}.`) };
  await addTurn(store, turnId, answers, undefined, asked);
  await work.ended(turn);
  await breathe();
}

/** The shards of a thread that no other has superseded. */
export async function liveShards(store: Store, thread = threadId): Promise<readonly Shard[]> {
  const { shards } = await readAll(store, 'thread', { thread });
  const latest = new Map(shards.map((shard) => [shard.id, shard]));
  return [...latest.values()].filter(({ supersededAt }) => supersededAt === undefined);
}
