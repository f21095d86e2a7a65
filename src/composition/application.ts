/** A bot with its store, queue and models, ready to be started. */

import { commands } from '../../commands/index.ts';
import type { Config } from '../../config/load.ts';
import { Bot } from '../bot.ts';
import { Recollection } from '../memory/recollection.ts';
import { openEmbedder } from '../models/providers.ts';
import type { Log } from '../operator/log.ts';
import type { Platform } from '../platforms/platform.ts';
import { createInlineQueue } from '../queue/inline.ts';
import type { Queue, QueuedTurn } from '../queue/queue.ts';
import type { Store } from '../store/store.ts';
import { councilOf, fileSettings, knownModels } from './council.ts';
import { priceList } from './models.ts';
import { assertKeys, type Speakers } from './speakers.ts';
import { openStore } from './store.ts';

/** How many unfinished turns are taken up at a start. */
const mostUnfinished = 1000;
/** Expired records are deleted in portions, so that nobody waits for it. */
const sweep = { limit: 500, everyMs: 60_000 };

/** Disposing of it takes in nothing more, gives running turns the configured grace, and closes the store. */
export interface Application extends AsyncDisposable {
  readonly bot: Bot;
  readonly store: Store;
  readonly queue: Queue;
}

/**
 * @param platforms - Where the bot speaks.
 * @param takesUp - Which of the turns that were left unfinished are gone on with here.
 * @param open - Opens the store. Default: the one that the configuration names.
 */
export async function openApplication(
  config: Config,
  speakers: Speakers,
  log: Log,
  platforms: readonly Platform[],
  takesUp: (turn: QueuedTurn) => boolean,
  open: (config: Config, log: Log) => Promise<Store> = openStore,
): Promise<Application> {
  const { settings } = config;
  assertKeys(config, speakers.names);
  const store = await open(config, log);
  const queue = createInlineQueue(
    {
      concurrency: settings.limits.maxConcurrentTurns,
      unfinished: async () => (await store.turns.unfinished(mostUnfinished)).filter(takesUp),
    },
    ({ turnId }, error) => log.error({ turnId, error }, 'turn could not be run'),
  );
  const { embedding } = speakers.names;
  const recollection = new Recollection({
    store: store.memories,
    embedder: embedding === undefined ? undefined : openEmbedder(embedding, speakers.providers),
    onTrouble: (error, what) => log.warn({ error }, what),
  });
  const bot = new Bot({
    store,
    queue,
    platforms,
    commands,
    council: councilOf(config),
    settings: fileSettings(config, speakers.names),
    knownModels: knownModels(config, speakers.names),
    openModels: speakers.openModels,
    memory: { limits: settings.memory, recollection, compacted: new Map() },
    log,
    now: Date.now,
    priceOf: priceList(config),
    budgets: settings.budgets,
    limits: settings.limits,
  });
  const sweeper = setInterval(() => {
    store.sweep(sweep.limit).catch((error: unknown) => {
      log.error({ error }, 'expired records could not be deleted');
    });
  }, sweep.everyMs);
  sweeper.unref();
  return {
    bot,
    store,
    queue,
    async [Symbol.asyncDispose]() {
      clearInterval(sweeper);
      await bot.stopAll(settings.limits.shutdownGraceMs);
      await recollection.close();
      await store.close();
    },
  };
}
