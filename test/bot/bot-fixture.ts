/** A bot over a real store and the real queue, with scripted models and a platform that collects what it is shown. */

import { commands } from '../../commands/index.ts';
import { type BotWiring, wireBot } from '../../src/app/application.ts';
import { type Bot, type BotOptions, createBot } from '../../src/bot/bot.ts';
import { forgottenTraces } from '../../src/bot/leaving/forgotten-traces.ts';
import type { TurnModels } from '../../src/bot/money/money.ts';
import type { ShardLock } from '../../src/bot/summaries/shard-work.ts';
import type { CouncilModels } from '../../src/council/council.ts';
import type { TurnEvent } from '../../src/council/events.ts';
import { silentLog } from '../../src/domain/log.ts';
import {
  createForgetting,
  type Forgetting,
  type ForgettingOptions,
} from '../../src/memory/forgetting/forget.ts';
import type { ContextLimits } from '../../src/memory/recall/context.ts';
import type { CallUsage, ChatModel } from '../../src/models/chat-model.ts';
import type { Prices } from '../../src/models/prices.ts';
import { withUsage } from '../../src/models/usage.ts';
import {
  type ConcludedTurn,
  type Platform,
  type PresentedTurn,
  UndeliveredError,
} from '../../src/platforms/platform.ts';
import { mutex, type Semaphores } from '../../src/queue/coordination.ts';
import {
  createInlineStopRequests,
  InlineQuotas,
  InlineSemaphores,
} from '../../src/queue/inline/inline-coordination.ts';
import { InlineQueue } from '../../src/queue/inline/inline-queue.ts';
import type { ChannelSettings } from '../../src/settings/channel-settings.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type Store, StoreError, type TurnRecord } from '../../src/store/store.ts';
import { settingsOfCouncil } from '../council/channel-of-tests.ts';
import { council } from '../council/scripted-council.ts';

export interface Shown {
  readonly turn: PresentedTurn;
  readonly events: TurnEvent[];
}

/** Remembers every turn that it is given to show. */
export class CollectingPlatform implements Platform {
  readonly name: string = 'test';
  readonly shown: Shown[] = [];
  /** Called when an end is shown, before it counts as shown. */
  onEnd: () => unknown = () => undefined;
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  linkTo(threadId: string, event = ''): string | undefined {
    return `https://test.example/${threadId}/${event}`;
  }
  /** Turns that it was told to empty what shows them. */
  readonly retracted: string[] = [];
  async retract({ request }: Parameters<Platform['retract']>[0]): Promise<void> {
    this.retracted.push(request.turnId);
  }
  /** Turns whose verdict it was told to draw again, as they were told. */
  readonly redrawn: ConcludedTurn[] = [];
  async redraw(turn: ConcludedTurn): Promise<void> {
    this.redrawn.push(turn);
  }
  /** Turns whose verdict is in the channel. */
  readonly posted: string[] = [];
  /** Called before a verdict is in the channel. */
  onPost: (turn: ConcludedTurn) => unknown = () => undefined;
  async post(turn: ConcludedTurn): Promise<string | undefined> {
    await this.onPost(turn);
    const { turnId } = turn.request;
    // Anyone who may have posted it before looks first.
    if (!(turn.posted && this.posted.includes(turnId))) this.posted.push(turnId);
    return `post of ${turnId}`;
  }
  async unpost({ request }: Parameters<Platform['unpost']>[0]): Promise<void> {
    this.posted.splice(this.posted.indexOf(request.turnId), 1);
  }
  /** What it reads around questions. */
  hear: Platform['hear'] = async () => undefined;
  /** Gives the files that people attach. */
  openFile: Platform['openFile'] = async () => ({ status: 'withheld', why: 'it is gone' });
  async isIn(): Promise<boolean> {
    return true;
  }
  async present(turn: PresentedTurn, events: AsyncIterable<TurnEvent>): Promise<void> {
    const shown: Shown = { turn, events: [] };
    this.shown.push(shown);
    for await (const event of events) {
      shown.events.push(event);
      if (event.type === 'ended') this.onEnd();
    }
  }
}

export const noShards = { begun: async () => undefined, ended: async () => undefined };

/** One at a time for each thread, in this process. */
export function inlineLock(semaphores: Semaphores = new InlineSemaphores()): ShardLock {
  return (threadId, signal) => semaphores.acquire({ ...mutex, name: threadId }, signal);
}

/** What forgets has other than usual. */
export interface ForgettingChanges {
  readonly now?: () => number;
  readonly stop?: (turnId: string) => Promise<void>;
  readonly retract?: (turn: TurnRecord) => Promise<void>;
  readonly lock?: ShardLock;
  /** Absent: every platform. */
  readonly serves?: ForgettingOptions['serves'];
  /** Absent: out of every workspace. */
  readonly isMember?: ForgettingOptions['isMember'];
}

/** What forgets in a store, as in a process that has just been started. */
export function forgettingIn(
  store: Store,
  { now = Date.now, lock = inlineLock(), ...changes }: ForgettingChanges = {},
): Forgetting {
  const { stop = async () => undefined } = changes;
  const { retract = async () => undefined } = changes;
  const unshare = async () => undefined;
  const { serves = () => true, isMember = async () => false } = changes;
  const relatedData = forgottenTraces({ store, retract, unshare, now });
  return createForgetting({ store, stop, relatedData, serves, isMember, lock, now });
}

/** What holds in every channel of the test's bot that sets nothing. */
export const fileSettings: ChannelSettings = {
  ...settingsOfCouncil(council, { moderator: 'test:moderator', chair: 'test:chair' }),
  // Tests of other things look at what was said.
  forgetDeleted: false,
};

export interface TestBot {
  readonly bot: Bot;
  readonly store: Store;
  readonly platform: CollectingPlatform;
  readonly memory: BotOptions['memory'];
  /** Waits until all that was asked has ended. */
  idle(): Promise<void>;
  /** Leaves what is running, as a shutdown does; the store stays open. */
  shutDown(): Promise<void>;
}

/** What a test's bot has other than usual. */
export interface BotChanges
  extends Partial<
    Omit<BotWiring, 'store' | 'platforms'> & Pick<BotOptions, 'memory' | 'platforms'>
  > {
  /** How many threads are served at once; absent: 16. */
  readonly concurrency?: number;
  /** Absent: {@link scriptedPrices}. */
  readonly prices?: Prices;
}

/** How much of earlier talk a prompt holds, as an operator's file says who sets nothing. */
const usuallyRecalled: ContextLimits = {
  interactions: 3,
  chairTurns: 3,
  memories: 10,
  budgetTokens: 4000,
};

/** @param store - Given to go on with what an earlier bot has left in it. */
export async function startBot(
  models: CouncilModels,
  { concurrency = 16, prices, memory, platforms, ...changes }: BotChanges = {},
  store: Store = openSqliteStore({ path: ':memory:', now: changes.now ?? Date.now }),
): Promise<TestBot> {
  const platform = new CollectingPlatform();
  const queue = new InlineQueue({
    concurrency,
    tries: 1,
    willPass: () => false,
    unfinished: () => store.turns.unfinished(100),
    log: {
      ...silentLog,
      error: ({ error }) => {
        // The turn is left for the next start, as a test of it expects.
        if (!(error instanceof StoreError || error instanceof UndeliveredError)) throw error;
      },
    },
  });
  const { parts } = await wireBot({
    openModels: (count) => counted(models, count, prices),
    priceOf: () => 0,
    budgets: {},
    access: {},
    council,
    settings: fileSettings,
    knownModels: [models.moderator.id, models.chair.id, 'test:other-chair'],
    presets: [],
    quotas: new InlineQuotas(changes.now),
    unreserved: () => store.turns.unfinished(100),
    semaphores: new InlineSemaphores(),
    stops: createInlineStopRequests(),
    log: silentLog,
    now: Date.now,
    role: 'all',
    queue,
    commands,
    recalled: usuallyRecalled,
    hearing: { contextMessages: 20, contextChars: 8000, sourceChars: 40_000 },
    onTrouble: (error) => {
      throw error;
    },
    limits: {
      maxQuestionChars: 200,
      maxQueuedTurnsPerUser: 5,
      overheardPerThreadPerHour: 30,
      maxQueuedTurnsPerThread: 8,
    },
    ...changes,
    store,
    platforms: async () => platforms ?? [platform],
  });
  const options = { ...parts, memory: memory ?? parts.memory };
  const bot = createBot(options);
  await bot.start();
  return {
    bot,
    store,
    platform,
    memory: options.memory,
    idle: () => queue.idle(),
    shutDown: () => bot.stopAll(0),
  };
}

/** The same for every model. */
export const scriptedPrices: Prices = {
  own: (_model, input, output) => (input * 1e4 + output * 2e4) / 1e6,
  listed: () => undefined,
};

function counted(
  models: CouncilModels,
  count: (call: CallUsage) => void,
  prices: Prices = scriptedPrices,
): TurnModels {
  const wrap = (model: ChatModel) => {
    return withUsage(model, { prices, record: count });
  };
  return {
    moderator: wrap(models.moderator),
    sage: (sage) => wrap(models.sage(sage)),
    reviewer: (sage) => wrap(models.reviewer(sage)),
    chair: wrap(models.chair),
    // Asked only where a history is shown in full.
    compactor: wrap(models.chair),
  };
}

export const question = {
  threadId: 'test:w:c:t',
  eventId: 'event-1',
  question: 'Should we rewrite the engine?',
  author: { id: 'u1', name: 'Uma' },
  askedAt: 1_000,
};

export const place = { platform: 'test', workspace: 'w', channel: 'c', threadId: 'test:w:c:t' };
export const person = { id: 'u1', name: 'Uma', isManager: false, isServerManager: false };
