/** The whole bot of the benches: real store in a file of its own, real queue, the models of the bench. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bot, type BotOptions } from '../src/bot/bot.ts';
import { Money, type TurnModels } from '../src/bot/money/money.ts';
import { settingsOfCouncil } from '../src/council/channel-council.ts';
import type { Log } from '../src/domain/log.ts';
import type { CallUsage } from '../src/models/chat-model.ts';
import { pricesIn } from '../src/models/prices.ts';
import { openModel } from '../src/models/providers.ts';
import { withRetry } from '../src/models/retry.ts';
import { withUsage } from '../src/models/usage.ts';
import type { Platform } from '../src/platforms/platform.ts';
import { createInlineQueue } from '../src/queue/inline/inline-queue.ts';
import { createInlineQuotas } from '../src/queue/inline/inline-quotas.ts';
import { createInlineStopRequests } from '../src/queue/inline/inline-stop-requests.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { benchCouncil } from './bench-council.ts';
import { benchMemory } from './bench-memory.ts';

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
  platform: Platform,
  commands: BotOptions['commands'] = [],
): Promise<BenchBot> {
  const folder = await mkdtemp(join(tmpdir(), 'council-bench-'));
  const store = openSqliteStore({ path: join(folder, 'council.db') });
  const queue = createInlineQueue({
    ...{ concurrency: 1000, tries: 1, willPass: () => false, log },
    unfinished: async () => [],
  });
  const openModels = modelsAt(modelUrl);
  const bot = new Bot({
    ...{ store, queue, commands, log },
    money: new Money({
      ...{ store, openModels, log, now: Date.now, priceOf: () => 0, budgets: {} },
      ...{ quotas: createInlineQuotas(), access: {} },
    }),
    role: 'all',
    stops: createInlineStopRequests(),
    platforms: [platform],
    council: benchCouncil,
    settings: settingsOfCouncil(benchCouncil, {
      moderatorModel: openModels(() => undefined).moderator.id,
      chairModel: openModels(() => undefined).chair.id,
      memory: true,
      channelUsdPerDay: 'unlimited',
      followUpMode: 'asked',
      questionsPerUserPerHour: 'unlimited',
    }),
    knownModels: [],
    memory: benchMemory(store),
    now: Date.now,
    limits: { maxQuestionChars: 6000, maxQueuedTurnsPerUser: 1000, maxQueuedTurnsPerThread: 1000 },
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

function modelsAt(baseUrl: string): (count: (call: CallUsage) => void) => TurnModels {
  const provider = { baseUrl, structuredOutput: 'json_schema', streamUsage: true } as const;
  const opened = openModel('rehearsal:sages', { rehearsal: provider });
  const prices = { own: pricesIn({}), listed: pricesIn({}) };
  return (count) => {
    const model = withRetry(withUsage(opened, { prices, record: count }));
    return {
      moderator: model,
      sage: () => model,
      reviewer: () => model,
      chair: model,
      compactor: model,
    };
  };
}
