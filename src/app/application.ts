/** A bot with its store, queue and models, wired by hand: what is opened, in which order, and who gets what. */

import { commands } from '../../commands/index.ts';
import { Bot, type BotOptions } from '../bot/bot.ts';
import { forgottenTraces } from '../bot/leaving/forgotten-traces.ts';
import { Money, type MoneyOptions } from '../bot/money/money.ts';
import { forgettingOf, retractOn } from '../bot/running/presented-turn.ts';
import {
  placeEmbedder,
  type ShardLock,
  ShardWork,
  type ShardWorkOptions,
  shardCompressor,
} from '../bot/summaries/shard-work.ts';
import type { Council } from '../council/council.ts';
import type { Log } from '../domain/log.ts';
import { partsOf } from '../domain/thread-id.ts';
import { Forgetting, type Membership } from '../memory/forgetting/forget.ts';
import { PendingForgetting, visibleStore } from '../memory/forgetting/visible-store.ts';
import type { CompactedThreads } from '../memory/recall/compaction.ts';
import type { ContextLimits } from '../memory/recall/context.ts';
import { Recollection, type RecollectionOptions } from '../memory/recall/recollection.ts';
import { noModel } from '../models/chat-model.ts';
import type { Platform } from '../platforms/platform.ts';
import { type Coordination, mutex } from '../queue/coordination.ts';
import { defaultTries, type Queue, type QueuedTurn } from '../queue/queue.ts';
import { defaultSettings } from '../settings/channel-settings.ts';
import type { Config } from '../settings/load.ts';
import { presetsOfFile } from '../settings/preset-settings.ts';
import type { Store } from '../store/store.ts';
import { coordinate, coordinateAlone, permitsOver } from './coordination.ts';
import { assertKeys, knownModels } from './models.ts';
import { type ChosenModels, createModelOpener, priceBefore } from './open-models.ts';
import { type Starting, unbounded } from './starting.ts';
import { openStore } from './store.ts';
import { turnLinks } from './web-records.ts';

/** Expired records are deleted in portions, so that no question waits for it. */
const sweep = { limit: 500, everyMs: 60_000 };

/** How soon the store's file is cleared of what was forgotten, in milliseconds. */
const forgetEveryMs = 60_000;

/** How long a process that ends waits for what was said to get its vectors, in milliseconds. */
const embeddingGraceMs = 5000;

/** Names among the background work. */
const works = { sweep: 'sweep', forgetting: 'forgetting', shards: 'shards' } as const;

/** Disposal stops accepting questions, gives running turns the configured grace, and closes the store. */
export interface Application extends AsyncDisposable {
  readonly bot: Bot;
  readonly store: Store;
  readonly queue: Queue;
  readonly forgetting: Forgetting;
  /** State of what the processes share, now. */
  queueHealth(): ReturnType<Coordination['health']>;
}

export interface ApplicationOptions {
  readonly config: Config;
  readonly chosenModels: ChosenModels;
  readonly log: Log;
  /** Opens where the bot speaks; what they keep themselves is kept in the store. */
  readonly platforms: BotWiring['platforms'];
  /** Which unfinished turns of earlier processes resume here. */
  readonly takesUp: (turn: QueuedTurn) => boolean;
  /** It serves a platform: with Redis, it shares the work with other processes. */
  readonly isServed?: boolean;
  /** The process ends with its turns: one that can't run now is left for the next start. */
  readonly isOneShot?: boolean;
  /** Opens the store. Default: the one that the configuration names. */
  readonly open?: (config: Config, log: Log) => Promise<Store>;
  /** Bounds the steps of the start. Default: {@link unbounded}. */
  readonly starting?: Starting;
  /** Aborted when the process is asked to end. Absent: disposal waits for running work, however long it takes. */
  readonly ending?: AbortSignal;
}

/**
 * Opens everything a bot needs, in this order: store, queue, platforms, background work. The bot itself
 * is started by the caller.
 *
 * @throws {MissingKeyError} when a model in use has no key; `StoreError` when the store or the queue can't be used.
 */
export async function openApplication(options: ApplicationOptions): Promise<Application> {
  const { config, chosenModels, log, isServed = false, starting = unbounded } = options;
  const { settings } = config;
  const { names } = chosenModels;
  assertKeys(config, names);
  const whole = await starting('store', () => (options.open ?? openStore)(config, log));
  const unfinished = async (most: number) =>
    (await whole.turns.unfinished(most)).filter(options.takesUp);
  const tries = options.isOneShot ? 1 : defaultTries;
  const share = () =>
    isServed
      ? coordinate(config, unfinished, log)
      : coordinateAlone(config, unfinished, log, tries);
  const coordination = await starting('sharing', share).catch(async (error: unknown) => {
    await whole.close();
    throw error;
  });
  const { queue, background } = coordination;
  const role = isServed ? config.role : 'all';
  if (chosenModels.unchecked) log.warn({}, chosenModels.unchecked);
  const pace = {
    everyMs: settings.memory.shardMinutes * 60_000,
    enoughMessages: settings.memory.shardMessages,
  };
  const { shutdownGraceMs } = settings.limits;
  const graceOver = startGrace(options.ending, shutdownGraceMs);
  const { parts, recollection, forgetting, shards } = await wireBot({
    ...{ ...coordination, store: whole, commands, role, log, now: Date.now },
    ...{ limits: settings.limits, budgets: settings.budgets, access: settings.access },
    council: councilOf(config),
    settings: defaultSettings(config.settings, names),
    knownModels: knownModels(config, names),
    presets: presetsOfFile(config.settings.presets),
    openModels: createModelOpener(
      config,
      chosenModels,
      permitsOver(coordination.semaphores, config),
      log,
    ),
    priceOf: priceBefore(chosenModels.prices),
    hearing: settings.limits,
    recalled: { ...settings.memory, chairTurns: settings.council.chairTurns },
    embedding: names.embedding,
    shards: {
      pace,
      // Without a model, what was said is remembered as it was said.
      isCompressed: names.compactor !== noModel,
      request: (threadId) => background.request(works.shards, threadId, 0),
    },
    platforms: options.platforms,
    links: turnLinks(settings.web, whole),
  });
  const bot = new Bot(parts);
  const { store, platforms } = parts;
  if (role !== 'gateway') {
    await starting('background', async () => {
      await background.start({
        [works.sweep]: {
          run: async () => void (await store.sweep(sweep.limit)),
          everyMs: sweep.everyMs,
        },
        [works.forgetting]: {
          run: (_subject, signal) => forgetting.resume(signal),
          everyMs: forgetEveryMs,
        },
        [works.shards]: {
          run: async (subject, signal) => shards?.run(subject, signal),
          everyMs: pace.everyMs,
        },
      });
      // What a crash interrupted need not wait for the first interval.
      await background.request(works.forgetting, '', 0);
      // Nor need what a one-shot process left, except in a process that only prints something.
      if (platforms.length > 0) await background.request(works.shards, '', 0);
    });
  }
  return {
    ...{ bot, store, queue, forgetting },
    queueHealth: () => coordination.health(),
    async [Symbol.asyncDispose]() {
      await Promise.all([bot.stopAll(shutdownGraceMs), background.stop(shutdownGraceMs)]);
      await forgetting.scrub(graceOver).catch((error: unknown) => {
        log.warn({ error }, 'traces of forgotten messages will be scrubbed after the next start');
      });
      await recollection.close(AbortSignal.any([graceOver, AbortSignal.timeout(embeddingGraceMs)]));
      await coordination.close();
      await store.close();
    },
  };
}

/** What a bot is made of: the opened store, queue and models, and what the operator's files say. */
export interface BotWiring
  extends Omit<BotOptions, 'store' | 'money' | 'memory' | 'platforms'>,
    Omit<MoneyOptions, 'store'>,
    Pick<Coordination, 'semaphores'> {
  /** The whole store, including what is being forgotten. */
  readonly store: Store;
  /** How much of earlier talk a prompt holds. */
  readonly recalled: ContextLimits;
  /** Name of the model that embeds what is remembered, `provider:model`; absent: memory is searched by words alone. */
  readonly embedding?: string | undefined;
  /** Told of failures beside a question, which goes on. Default: they are logged. */
  readonly onTrouble?: RecollectionOptions['onTrouble'];
  /** Absent: no shards are made. */
  readonly shards?: Pick<ShardWorkOptions, 'pace' | 'request'> & { readonly isCompressed: boolean };
  /** Opens the platforms, given the store without what is being forgotten. */
  readonly platforms: (store: Store) => Promise<readonly Platform[]>;
}

/** All that a bot takes (`parts`), and what works beside it. */
export interface WiredBot {
  readonly parts: BotOptions & { readonly store: Store };
  readonly recollection: Recollection;
  readonly forgetting: Forgetting;
  readonly shards: ShardWork | undefined;
}

/** Wires a bot: its money, its memory, and what forgets. Starts nothing. */
export async function wireBot(given: BotWiring): Promise<WiredBot> {
  const { log, now, semaphores, stops, embedding, recalled: limits } = given;
  const pending = new PendingForgetting(given.store);
  const store = visibleStore(given.store, pending);
  const parts = { ...given, store };
  const platforms = await given.platforms(store);
  const money = new Money(parts);
  const recollection = new Recollection({
    ...{ store: store.memories, pending },
    embedderOf:
      embedding === undefined ? undefined : placeEmbedder({ ...parts, money, model: embedding }),
    onTrouble: given.onTrouble ?? ((error, what) => log.warn({ error }, what)),
  });
  const lock: ShardLock = (threadId, signal) =>
    semaphores.acquire({ ...mutex, name: `shards:${threadId}` }, signal);
  const shards =
    given.shards &&
    new ShardWork({
      ...{ ...parts, ...given.shards, lock },
      compressor: given.shards.isCompressed ? shardCompressor(money) : undefined,
      embed: (scope) => recollection.embedSoon(scope),
    });
  const compacted: CompactedThreads = new Map();
  // Forgetting must see what it hides from everything else; its own notes go through the visible store.
  const seen = { ...given.store, settings: store.settings };
  const forgetting = new Forgetting({
    ...{ store: seen, now, membership: membershipOn(platforms) },
    stop: (turnId) => stops.request(forgettingOf(turnId)),
    relatedData: forgottenTraces({
      store: seen,
      compacted,
      now,
      retract: retractOn(platforms, log),
    }),
    lock: (name, signal) => semaphores.acquire({ ...mutex, name }, signal),
  });
  const memory = { limits, recollection, compacted, shards: shards ?? noShards, lock, forgetting };
  return { parts: { ...parts, platforms, money, memory }, recollection, forgetting, shards };
}

const noShards = { begun: async () => undefined, ended: async () => undefined };

/** Asks the workspace's platform, if this process is connected to it. */
function membershipOn(platforms: readonly Platform[]): Membership {
  return async (workspaceOf) => {
    const { platform: name, workspace } = partsOf(workspaceOf);
    const platform = platforms.find((one) => one.name === name);
    if (!platform) return 'unknown';
    return (await platform.isIn(workspace)) ? 'member' : 'gone';
  };
}

/** A signal that aborts `graceMs` after the process was asked to end. */
function startGrace(ending: AbortSignal | undefined, graceMs: number): AbortSignal {
  const grace = new AbortController();
  const start = () => {
    setTimeout(() => grace.abort(new Error('The process is to end.')), graceMs).unref();
  };
  ending?.addEventListener('abort', start, { once: true });
  return grace.signal;
}

/** The council as the files describe it. */
export function councilOf({ settings, sages }: Config): Council {
  const { followUpMode: _, chairTurns: __, timeZone: ___, ...council } = settings.council;
  return {
    ...council,
    bench: sages.map(({ model, ...sage }) => ({ ...sage, source: 'predefined' })),
    limits: settings.limits,
  };
}
