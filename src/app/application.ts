/** Wires a bot by hand with its store, queue, models and platforms. */

import { commands } from '../../commands/index.ts';
import { type Bot, type BotOptions, createBot } from '../bot/bot.ts';
import { forgottenTraces } from '../bot/leaving/forgotten-traces.ts';
import { Money, type MoneyOptions } from '../bot/money/money.ts';
import { forgettingOf, platformOf, retract } from '../bot/running/presented-turn.ts';
import {
  placeEmbedder,
  type ShardLock,
  ShardWork,
  type ShardWorkOptions,
  shardCompressor,
} from '../bot/summaries/shard-work.ts';
import type { Log } from '../domain/log.ts';
import { partsOf } from '../domain/thread-id.ts';
import { createForgetting } from '../memory/forgetting/forget.ts';
import { PendingForgetting, visibleStore } from '../memory/forgetting/visible-store.ts';
import type { ContextLimits } from '../memory/recall/context.ts';
import { Recollection, type RecollectionOptions } from '../memory/recall/recollection.ts';
import { noModel } from '../models/chat-model.ts';
import type { Platform } from '../platforms/platform.ts';
import { type Coordination, mutex } from '../queue/coordination.ts';
import { defaultTries, type Queue, type QueuedTurn } from '../queue/queue.ts';
import { defaultSettings } from '../settings/channel-settings.ts';
import type { Role } from '../settings/environment.ts';
import type { Config } from '../settings/load.ts';
import { presetsOfFile } from '../settings/preset-settings.ts';
import { type Store, StoreError } from '../store/store.ts';
import { Background } from './background.ts';
import { callPermits, coordinate, coordinateAlone } from './coordination.ts';
import { assertKeys, councilOf, knownModels } from './models.ts';
import { createModelOpener, priceEstimator } from './open-models.ts';
import type { Startup } from './starting.ts';
import { canShareQueue, chooseStore, openStore } from './store.ts';
import { turnLinks, webShares } from './web-records.ts';

/** How long shutdown waits for the embeddings of new messages, in milliseconds. */
const embeddingGraceMs = 5000;

/** Disposal stops accepting questions, gives running turns their grace period, and closes the store. */
export interface Application extends AsyncDisposable {
  readonly bot: Bot;
  readonly store: Store;
  readonly queue: Queue;
  /** Current state of the queue, and within a minute of a store that can't be written. */
  queueHealth(): ReturnType<Coordination['health']>;
}

/** Without `ending`, disposal waits for running work, however long it takes. */
export interface ApplicationOptions
  extends Pick<Startup, 'config' | 'chosenModels' | 'log'>,
    Partial<Pick<Startup, 'ending'>> {
  /** Opens the platforms. */
  readonly platforms: BotWiring['platforms'];
  /** With Redis, what the process does for those it shares its work with. Absent: it works alone. */
  readonly role?: Role;
  /** Whether a process that works alone may resume an unfinished turn of its platforms. Default: all of them. */
  readonly mayResume?: (turn: QueuedTurn) => boolean;
  /** The process exits after its turns: one that can't run now is left for the next start. */
  readonly isOneShot?: boolean;
  /** No model is needed, so none has to have its key. */
  readonly needsNoModel?: boolean;
  /** Opens the store. Default: opens the configured one. */
  readonly open?: (config: Config, log: Log) => Promise<Store>;
  /** How often expired records are deleted, and the store's file is scrubbed of forgotten data. Default: each minute. */
  readonly deleteEveryMs?: number;
}

/**
 * Opens everything a bot needs, in this order: store, queue, platforms, background jobs. The caller starts
 * the bot itself.
 *
 * @throws {MissingKeyError} if a model in use has no key and is needed; `StoreError` if the store or queue can't be used.
 */
export async function openApplication(options: ApplicationOptions): Promise<Application> {
  const { config, chosenModels, log, deleteEveryMs = 60_000 } = options;
  const { settings } = config;
  const { names } = chosenModels;
  if (!options.needsNoModel) assertKeys(config, names);
  const fullStore = await (options.open ?? openStore)(config, log);
  const { role = 'all', mayResume = () => true } = options;
  const unfinished = async (most: number) =>
    (await fullStore.turns.unfinished(most)).filter(mayResume);
  const shared = options.role
    ? coordinate(config, unfinished, log)
    : coordinateAlone(config, unfinished, log, options.isOneShot ? 1 : defaultTries);
  const coordination = await shared.catch(async (error: unknown) => {
    await fullStore.close();
    throw error;
  });
  const permits = callPermits(coordination.semaphores, config);
  const background = new Background(log);
  if (chosenModels.unchecked) log.warn({}, chosenModels.unchecked);
  const pace = {
    everyMs: settings.memory.shardMinutes * 60_000,
    enoughMessages: settings.memory.shardMessages,
  };
  const { shutdownGraceMs } = settings.limits;
  const grace = new AbortController();
  const endGrace = () => grace.abort(new Error('The process is to end.'));
  const startGrace = () => setTimeout(endGrace, shutdownGraceMs).unref();
  options.ending?.addEventListener('abort', startGrace, { once: true });
  // The other processes of a fleet may have a model for turns and summaries.
  const hasNoModel = names.moderator === noModel;
  // Without a model, messages are remembered word for word.
  const isCompressed = names.compactor !== noModel;
  const summarizes = isCompressed || !hasNoModel || !canShareQueue(chooseStore(config));
  const summarize = (threadId: string) =>
    background.start('summaries', async (signal) => shards?.run(threadId, signal));
  const { parts, recollection, forgetting, shards } = await wireBot({
    ...coordination,
    store: fullStore,
    commands,
    log,
    now: Date.now,
    role: options.role && hasNoModel ? 'gateway' : role,
    limits: settings.limits,
    budgets: settings.budgets,
    access: settings.access,
    council: councilOf(config),
    settings: defaultSettings(config.settings, names),
    knownModels: knownModels(config, names),
    presets: presetsOfFile(config.settings.presets),
    openModels: createModelOpener(config, chosenModels, permits, log),
    priceOf: priceEstimator(chosenModels.prices),
    hearing: settings.limits,
    recalled: { ...settings.memory, chairTurns: settings.council.chairTurns },
    embedding: names.embedding,
    shards: { pace, isCompressed, request: summarize },
    platforms: options.platforms,
    links: turnLinks(settings, fullStore),
  });
  const bot = createBot(parts);
  const { store, platforms } = parts;
  let storeError: unknown;
  if (role !== 'gateway') {
    /** Work on what all processes share, once in each period. */
    const repeat = (name: string, everyMs: number, work: (signal: AbortSignal) => unknown) =>
      background.repeat(name, everyMs, async (signal) => {
        const claim = store.claim(`background:${name}`, everyMs * 0.9);
        storeError = await claim.then(
          () => undefined,
          (error: unknown) => error,
        );
        if (await claim) await work(signal);
      });
    repeat('deletions of expired records', deleteEveryMs, async (signal) => {
      const count = await forgetting.sweep(signal);
      // A few claims and notes expire all the time.
      if (count > 20) log.info({ count }, 'expired records were deleted');
    });
    if (summarizes) repeat('searches for missing summaries', pace.everyMs, () => summarize(''));
    // Catches up at once on work that a crash interrupted.
    const forget = (signal: AbortSignal) => forgetting.resume(signal);
    background.start('resumed deletions', forget);
    background.repeat('resumed deletions', deleteEveryMs, forget);
    // Also on the shards of one-shot processes, unless this process only runs a command.
    if (summarizes && platforms.length > 0) summarize('');
  }
  return {
    bot,
    store,
    queue: coordination.queue,
    queueHealth: () => {
      const health = coordination.health();
      if (!health.isReady || !(storeError instanceof StoreError)) return health;
      return { isReady: false, text: storeError.message };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([bot.stopAll(shutdownGraceMs), background.stop(shutdownGraceMs)]);
      await forgetting.scrub(grace.signal).catch((error: unknown) => {
        log.warn({ error }, 'traces of forgotten messages will be scrubbed after the next start');
      });
      const late = AbortSignal.timeout(embeddingGraceMs);
      await recollection.close(AbortSignal.any([grace.signal, late]));
      await coordination.close();
      await store.close();
    },
  };
}

/** The parts of a bot: the opened store, queue and models, and the operator's settings. */
export interface BotWiring
  extends Omit<BotOptions, 'store' | 'money' | 'memory' | 'platforms'>,
    Omit<MoneyOptions, 'store'>,
    Pick<Coordination, 'semaphores'> {
  /** The whole store, including data that is being forgotten. */
  readonly store: Store;
  /** How much earlier conversation goes into a prompt. */
  readonly recalled: ContextLimits;
  /** Embedding model, `provider:model`. Without one, memory is searched by words alone. */
  readonly embedding?: string | undefined;
  /** Called for memory failures that don't stop a question. Default: logs them. */
  readonly onTrouble?: RecollectionOptions['onTrouble'];
  /** Without it, no shards are made. */
  readonly shards?: Pick<ShardWorkOptions, 'pace' | 'request'> & { readonly isCompressed: boolean };
  /** Opens the platforms. The store they get hides data that is being forgotten. */
  readonly platforms: (store: Store) => Promise<readonly Platform[]>;
}

/** Wires a bot with its budgets, memory and forgetting. Starts nothing. */
export async function wireBot(wiring: BotWiring) {
  const { log, now, semaphores, stops, embedding, recalled: limits } = wiring;
  const pending = new PendingForgetting(wiring.store);
  const store = visibleStore(wiring.store, pending);
  const parts = { ...wiring, store };
  const platforms = await wiring.platforms(store);
  const money = new Money(parts);
  const recollection = new Recollection({
    store: store.memories,
    pending,
    embedderOf:
      embedding === undefined ? undefined : placeEmbedder({ ...parts, money, model: embedding }),
    onTrouble: wiring.onTrouble ?? ((error, what) => log.warn({ error }, what)),
  });
  const lock: ShardLock = (threadId, signal) =>
    semaphores.acquire({ ...mutex, name: `shards:${threadId}` }, signal);
  const shards =
    wiring.shards &&
    new ShardWork({
      ...parts,
      ...wiring.shards,
      lock,
      compressor: wiring.shards.isCompressed ? shardCompressor(money) : undefined,
      embed: (scope) => recollection.embedSoon(scope),
    });
  // Forgetting must see the data that the visible store hides; its own notes go through the visible store.
  const unhidden = { ...wiring.store, settings: store.settings };
  const forgetting = createForgetting({
    store: unhidden,
    now,
    serves: (workspace) => platformOf(workspace, platforms) !== undefined,
    isMember: async (workspace) =>
      platformOf(workspace, platforms)?.isIn(partsOf(workspace).workspace) ?? true,
    stop: (turnId) => stops.request(forgettingOf(turnId)),
    relatedData: forgottenTraces({
      store: unhidden,
      now,
      retract: (turn) => retract(turn, platforms, log),
      unshare: webShares(unhidden, now).withdraw,
    }),
    lock: (name, signal) => semaphores.acquire({ ...mutex, name }, signal),
  });
  const memory = { limits, recollection, shards: shards ?? noShards, lock, forgetting };
  return { parts: { ...parts, platforms, money, memory }, recollection, forgetting, shards };
}

const noShards = { begun: async () => undefined, ended: () => undefined };
