/** The whole council with its store, over the model of the benches, for any platform. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bot } from '../src/bot.ts';
import { settingsOfCouncil } from '../src/council/channel-council.ts';
import type { CouncilModels } from '../src/council/council.ts';
import type { CallUsage } from '../src/models/chat-model.ts';
import { openModel } from '../src/models/providers.ts';
import { withRetry } from '../src/models/retry.ts';
import { withUsage } from '../src/models/usage.ts';
import type { Platform } from '../src/platforms/platform.ts';
import { createInlineQueue } from '../src/queue/inline.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { benchCouncil } from './bench-council.ts';

const quiet = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};

/** Starts it. A turn that fails in the queue ends the process. */
export async function startBenchBot(platform: Platform, baseUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'council-bench-'));
  const store = openSqliteStore({ path: join(folder, 'council.db') });
  const provider = { baseUrl, structuredOutput: 'json_schema', streamUsage: true } as const;
  const opened = openModel('rehearsal:sages', { rehearsal: provider });
  const openModels = (count: (call: CallUsage) => void): CouncilModels => {
    const model = withRetry(withUsage(opened, { prices: {}, record: count }));
    return { moderator: model, sage: () => model, reviewer: () => model, chair: model };
  };
  const queue = createInlineQueue(
    { concurrency: 1000, unfinished: async () => [] },
    (_turn, error) => {
      throw error;
    },
  );
  const bot = new Bot({
    store,
    queue,
    platforms: [platform],
    commands: [],
    council: benchCouncil,
    settings: settingsOfCouncil(benchCouncil, {
      chairModel: openModels(() => undefined).chair.id,
      memory: true,
      channelUsdPerDay: 'unlimited',
    }),
    knownModels: [],
    openModels,
    interactions: 3,
    log: quiet,
    now: Date.now,
    priceOf: () => 0,
    budgets: {},
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
