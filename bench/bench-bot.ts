/** The whole bot of the benches: real store in a file of its own, real queue, the models of the bench. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BotWiring, wireBot } from '../src/app/application.ts';
import { type Bot, type BotOptions, createBot } from '../src/bot/bot.ts';
import type { TurnModels } from '../src/bot/money/money.ts';
import type { Log } from '../src/domain/log.ts';
import type { CallUsage, ChatModel } from '../src/models/chat-model.ts';
import { pricesIn } from '../src/models/prices.ts';
import { openModel } from '../src/models/providers.ts';
import { withRetry } from '../src/models/retry.ts';
import { withUsage } from '../src/models/usage.ts';
import type { Platform } from '../src/platforms/platform.ts';
import {
  createInlineStopRequests,
  InlineQuotas,
  InlineSemaphores,
} from '../src/queue/inline/inline-coordination.ts';
import { InlineQueue } from '../src/queue/inline/inline-queue.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { settingsOfCouncil } from '../test/council/channel-of-tests.ts';
import { benchCouncil } from './bench-council.ts';

export interface BenchBot extends AsyncDisposable {
  readonly bot: Bot;
}

/** Nothing is logged but errors, which go to standard error. */
const log: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: (facts, sentence) => process.stderr.write(`${sentence} ${JSON.stringify(facts)}\n`),
  child: () => log,
};

/** @param modelUrl - Where the model server of the bench listens. */
export async function openBenchBot(
  modelUrl: string,
  openPlatform: (store: Store) => Platform,
  commands: BotOptions['commands'] = [],
): Promise<BenchBot> {
  const folder = await mkdtemp(join(tmpdir(), 'council-bench-'));
  const store = openSqliteStore({ path: join(folder, 'council.db') });
  const queue = new InlineQueue({
    concurrency: 1000,
    tries: 1,
    willPass: () => false,
    log,
    unfinished: async () => [],
  });
  const bot = await makeBenchBot({
    store,
    queue,
    commands,
    log,
    role: 'all',
    openModels: modelsAt(modelUrl),
    quotas: new InlineQuotas(),
    semaphores: new InlineSemaphores(),
    stops: createInlineStopRequests(),
    unreserved: async () => [],
    platforms: async (visible) => [openPlatform(visible)],
    limits: {
      maxQuestionChars: 6000,
      maxQueuedTurnsPerUser: 1000,
      overheardPerThreadPerHour: 30,
      maxQueuedTurnsPerThread: 1000,
    },
  });
  await bot.start();
  return {
    bot,
    async [Symbol.asyncDispose]() {
      await bot.stopAll(1000);
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** What the bots of the benches have in common is given here; trouble ends the bench, and no shards are made beside what is measured. */
export async function makeBenchBot(
  parts: Omit<
    BotWiring,
    | 'council'
    | 'settings'
    | 'knownModels'
    | 'presets'
    | 'hearing'
    | 'recalled'
    | 'now'
    | 'priceOf'
    | 'budgets'
    | 'access'
  >,
): Promise<Bot> {
  const wired = await wireBot({
    ...parts,
    council: benchCouncil,
    settings: settingsOfCouncil(benchCouncil, { moderator: 'bench:model', chair: 'bench:model' }),
    knownModels: [],
    presets: [],
    hearing: { contextMessages: 20, contextChars: 8000, sourceChars: 40_000 },
    recalled: { interactions: 3, chairTurns: 3, memories: 10, budgetTokens: 4000 },
    now: Date.now,
    priceOf: () => 0,
    budgets: {},
    access: {},
    onTrouble: (error) => {
      throw error;
    },
  });
  return createBot(wired.parts);
}

/** The same model for every part. */
export function oneModel(model: ChatModel): TurnModels {
  return {
    moderator: model,
    sage: () => model,
    reviewer: () => model,
    chair: model,
    compactor: model,
  };
}

function modelsAt(baseUrl: string): (count: (call: CallUsage) => void) => TurnModels {
  const provider = { baseUrl, structuredOutput: 'json_schema', streamUsage: true } as const;
  const opened = openModel('rehearsal:sages', { rehearsal: provider });
  const prices = { own: pricesIn({}), listed: pricesIn({}) };
  return (count) => oneModel(withRetry(withUsage(opened, { prices, record: count })));
}
