/** A bot with its store, queue and models, ready to be started. */

import { commands } from '../../commands/index.ts';
import { Bot } from '../bot/bot.ts';
import { Money } from '../bot/money/money.ts';
import { placeEmbedder } from '../bot/summaries/background-models.ts';
import type { Log } from '../domain/log.ts';
import type { Forgetting } from '../memory/forgetting/forget.ts';
import { PendingForgetting } from '../memory/forgetting/pending.ts';
import { visibleStore } from '../memory/forgetting/visible-store.ts';
import { Recollection } from '../memory/recall/recollection.ts';
import type { Platform } from '../platforms/platform.ts';
import type { BackgroundWork } from '../queue/background.ts';
import type { Queue, QueuedTurn } from '../queue/queue.ts';
import { usualTries } from '../queue/tries.ts';
import type { Config } from '../settings/load.ts';
import type { Store } from '../store/store.ts';
import { coordinate, coordinateAlone, type Health, permitsOver } from './coordination.ts';
import { councilOf, fileSettings, knownModels } from './council.ts';
import { forgettingWork, openForgetting, resumeForgetting } from './forgetting.ts';
import { priceBefore } from './models.ts';
import { shardLock, shardPace, shardsWork, shardWork } from './shards.ts';
import { assertKeys, type Speakers } from './speakers.ts';
import { type Starting, unbounded } from './starting.ts';
import { openStore } from './store.ts';

/** Expired records are deleted in portions, so that nobody waits for it. */
const sweep = { limit: 500, everyMs: 60_000 };

/** How long a process that ends waits for what was said to get its vectors, in milliseconds. */
const embeddingGraceMs = 5000;

/** Disposing of it takes in nothing more, gives running turns the configured grace, and closes the store. */
export interface Application extends AsyncDisposable {
  readonly bot: Bot;
  readonly store: Store;
  readonly queue: Queue;
  readonly forgetting: Forgetting;
  /** How what is shared with other processes is at the moment. */
  queueHealth(): Health;
}

/** What is otherwise than usual. */
export interface ApplicationChoice {
  /** It serves a platform for others: with Redis, it shares the work with further processes. */
  readonly isServed?: boolean;
  /** It ends with its turns: one that can't be run now is left for the next start. */
  readonly isOneShot?: boolean;
  /** Opens the store. Default: the one that the configuration names. */
  readonly open?: (config: Config, log: Log) => Promise<Store>;
  /** Bounds the steps of the start. Default: {@link unbounded}. */
  readonly starting?: Starting;
  /** Aborted when the process is asked to end. Absent: what is begun is waited for, however long. */
  readonly ending?: AbortSignal;
}

/**
 * @param platforms - Where the bot speaks; what they keep themselves is kept in the store.
 * @param takesUp - Which of the turns that were left unfinished are gone on with here.
 */
export async function openApplication(
  config: Config,
  speakers: Speakers,
  log: Log,
  platforms: (store: Store) => Promise<readonly Platform[]>,
  takesUp: (turn: QueuedTurn) => boolean,
  choice: ApplicationChoice = {},
): Promise<Application> {
  const { isServed = false, isOneShot = false, open = openStore, ending } = choice;
  const { starting = unbounded } = choice;
  const { settings } = config;
  assertKeys(config, speakers.names);
  const whole = await starting('store', () => open(config, log));
  const pending = new PendingForgetting(whole);
  const store = visibleStore(whole, pending);
  const unfinished = async (most: number) => (await store.turns.unfinished(most)).filter(takesUp);
  const share = () =>
    isServed
      ? coordinate(config, unfinished, log)
      : coordinateAlone(config, unfinished, log, isOneShot ? 1 : usualTries);
  const coordination = await starting('sharing', share).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const { queue, quotas, stops, background } = coordination;
  const role = isServed ? config.role : 'all';
  const { embedding } = speakers.names;
  const openModels = speakers.openModels(permitsOver(coordination.permits, config), log);
  const channels = {
    council: councilOf(config),
    settings: fileSettings(config, speakers.names),
    knownModels: knownModels(config, speakers.names),
  };
  if (speakers.unchecked) log.warn({}, speakers.unchecked);
  const money = new Money({
    ...{ store, quotas, openModels, log, now: Date.now, budgets: settings.budgets },
    access: settings.access,
    priceOf: priceBefore(speakers.prices),
  });
  const recollection = new Recollection({
    ...{ store: store.memories, pending },
    embedderOf:
      embedding === undefined
        ? undefined
        : placeEmbedder({ ...channels, store, money, model: embedding }),
    onTrouble: (error, what) => log.warn({ error }, what),
  });
  const limits = { ...settings.memory, chairTurns: settings.council.chairTurns };
  const lock = shardLock(coordination);
  const shards = shardWork({
    ...{ config, names: speakers.names, coordination, channels, store, money, log, lock },
    embed: (scope) => recollection.embedSoon(scope),
  });
  const { shutdownGraceMs } = settings.limits;
  const graceOver = startGrace(ending, shutdownGraceMs);
  const compacted = new Map<string, string>();
  const opened = await platforms(store);
  const forgetting = openForgetting({
    // It is to see what it hides, and tells of what it notes.
    store: { ...whole, settings: store.settings },
    ...{ coordination, compacted, platforms: opened, log },
  });
  const bot = new Bot({
    ...channels,
    ...{ store, money, role, queue, stops },
    platforms: opened,
    commands,
    memory: { limits, recollection, compacted, shards, lock, forgetting },
    log,
    now: Date.now,
    limits: settings.limits,
  });
  if (role !== 'gateway') {
    const works: Readonly<Record<string, BackgroundWork>> = {
      sweep: { run: async () => void (await store.sweep(sweep.limit)), everyMs: sweep.everyMs },
      [forgettingWork]: resumeForgetting(forgetting),
      [shardsWork]: {
        run: (subject, signal) => shards.run(subject, signal),
        everyMs: shardPace(config).everyMs,
      },
    };
    await starting('background', async () => {
      await background.start(works);
      // What a death has broken off is not to wait for the first interval.
      await background.request(forgettingWork, '', 0);
      // Nor is what a process left that was asked one thing, unless this one is here to tell something.
      if (opened.length > 0) await background.request(shardsWork, '', 0);
    });
  }
  return {
    bot,
    store,
    queue,
    forgetting,
    queueHealth: () => coordination.health(),
    async [Symbol.asyncDispose]() {
      await Promise.all([bot.stopAll(shutdownGraceMs), background.stop(shutdownGraceMs)]);
      await forgetting.scrub(graceOver).catch((error: unknown) => {
        log.warn({ error }, 'traces of what was forgotten are cleared after the next start');
      });
      await recollection.close(AbortSignal.any([graceOver, AbortSignal.timeout(embeddingGraceMs)]));
      await coordination.close();
      await store.close();
    },
  };
}

/** Gives a signal that is aborted so long after the process was asked to end. */
function startGrace(ending: AbortSignal | undefined, graceMs: number): AbortSignal {
  const grace = new AbortController();
  const start = () => {
    setTimeout(() => grace.abort(new Error('The process is to end.')), graceMs).unref();
  };
  ending?.addEventListener('abort', start, { once: true });
  return grace.signal;
}
