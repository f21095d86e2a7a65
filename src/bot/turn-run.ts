/** Runs one turn that the queue hands over: context, council, store, presenter. */

import type { CouncilModels, TurnRequest } from '../council/council.ts';
import { stopRequested } from '../council/cutoff.ts';
import { EventChannel } from '../council/event-channel.ts';
import type { TurnEvent } from '../council/events.ts';
import { type PastTurn, readPastTurn } from '../council/past-turn.ts';
import { fence } from '../council/prompts/fence.ts';
import { runTurn } from '../council/turn.ts';
import type { Log } from '../domain/log.ts';
import { compactWith } from '../memory/compaction.ts';
import { type ContextLimits, type RememberedContext, recallContext } from '../memory/context.ts';
import type { Forgetting } from '../memory/forget.ts';
import type { Recollection } from '../memory/recollection.ts';
import { loadTokenCounter } from '../memory/tokens.ts';
import type { CallUsage, ChatModel } from '../models/chat-model.ts';
import type { Embedder } from '../models/embeddings.ts';
import { type Platform, UndeliveredError, UnshowableError } from '../platforms/platform.ts';
import type { QueuedTurn } from '../queue/queue.ts';
import { type Store, StoreError, SupersededError, type TurnRecord } from '../store/store.ts';
import { spendScopes } from './budget.ts';
import { type Channel, type ChannelsOptions, channelAsOf, readChannel } from './channels.ts';
import { deletedScope, wasDeleted } from './deletions.ts';
import { HeldTurn } from './held-turn.ts';
import { Journal } from './journal.ts';
import { presentedTurn } from './presented-turn.ts';
import type { ShardLock, ShardWatch } from './shard-work.ts';
import { logEvent, logIgnored } from './turn-log.ts';

/** Which models a channel has chosen for itself, as `provider:model`. */
export interface ModelChoice {
  readonly chair: string;
}

/** The models of one turn; every call of theirs is given to `count`. */
export type OpenModels = (count: (call: CallUsage) => void, choice: ModelChoice) => TurnModels;

export interface TurnModels extends CouncilModels {
  /** Shortens long histories. */
  readonly compactor: ChatModel;
  /** Absent: what is remembered is searched by words alone. */
  readonly embedder?: Embedder;
}

/** What turns recall with, and what people look into and correct. */
export interface TurnMemory {
  readonly limits: ContextLimits;
  readonly recollection: Recollection;
  /** Older parts of long histories in short, as they were made. */
  readonly compacted: Map<string, string>;
  /** Told of the turns that shards are to be made of. */
  readonly shards: ShardWatch;
  readonly lock: ShardLock;
  readonly forgetting: Pick<Forgetting, 'preview' | 'forget' | 'forgetLater'>;
}

export interface TurnRunOptions extends ChannelsOptions {
  readonly store: Store;
  readonly openModels: OpenModels;
  readonly memory: TurnMemory;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What people are told; what is wrong with the store is in the log. */
const interrupted =
  'The turn was interrupted, because its store can’t be reached or takes no changes. What was said is kept, and it goes on as soon as that is mended.';

const forgotten = 'This question was forgotten while it was being answered.';

/** Whom a turn is shown to. */
interface Audience {
  readonly shown: EventChannel<TurnEvent>;
  /** Resolves when what the turn begins with is shown, rejects when it can't be: then it must cost nothing. */
  readonly begun: Promise<void>;
  /** Resolves when everything is shown; nothing more is shown then. */
  finish(): Promise<void>;
}

/** A turn, and where it is held. */
interface TurnParts {
  readonly record: TurnRecord;
  readonly past: PastTurn;
  readonly channel: Channel;
  readonly held: HeldTurn;
}

/** A turn on its way; made when the queue hands it over. */
export class TurnRun {
  readonly #options: TurnRunOptions;
  readonly #queued: QueuedTurn;
  readonly #platform: Platform;
  readonly #stop = new AbortController();
  readonly #stopped = Promise.withResolvers<void>();
  /** People are shown its end, which may still be on its way to the store. */
  hasShownEnd = false;

  constructor(queued: QueuedTurn, platform: Platform, options: TurnRunOptions) {
    this.#queued = queued;
    this.#platform = platform;
    this.#options = options;
  }

  /** Ends the turn as stopped; what has been said is kept. */
  stop(): void {
    this.#stop.abort(stopRequested());
    this.#stopped.resolve();
  }

  /**
   * Runs the turn to its end. It is left in the store to be resumed when `shutdown` is aborted or
   * somebody else runs it by now.
   *
   * @returns Also `ended` for one that had ended already.
   * @throws What kept it from going on, e.g. a `StoreError`: it is to be resumed later.
   */
  async run(shutdown: AbortSignal): Promise<'ended' | 'left'> {
    const { store, memory } = this.#options;
    const { threadId } = this.#queued;
    // Asked in one step, so that a store that is far away is waited for once.
    const [record, { channel: current, beside }] = await Promise.all([
      store.turns.take(this.#queued),
      readChannel(this.#options, threadId, [deletedScope(threadId)]),
    ]);
    if (!record) return 'ended';
    const past = readPastTurn(record);
    if (current.settings.forgetDeleted && wasDeleted(beside[0], past.request.eventId)) {
      await memory.forgetting.forget({ kind: 'turn', turnId: record.turnId, threadId }, shutdown);
      return 'ended';
    }
    const channel = past.settings ? channelAsOf(this.#options, current, past.settings) : current;
    const held = new HeldTurn(store.turns, record);
    const unwanted = AbortSignal.any([shutdown, held.lost]);
    const shown = new EventChannel<TurnEvent>();
    const presented = this.#platform.present(
      presentedTurn(store.turns, record, past, current.settings, held),
      shown,
      unwanted,
    );
    presented.catch(() => undefined); // whoever finishes hears of it, which may be later
    const audience: Audience = {
      shown,
      begun: Promise.race([shown.wanted, presented]),
      async finish() {
        shown.close();
        await presented;
      },
    };
    try {
      return await this.#deliberate({ record, past, channel, held }, audience, shutdown);
    } finally {
      // What kept it from being shown at all was dealt with before anything was asked.
      await audience.begun.then(
        () => this.#finish(audience, unwanted),
        () => undefined,
      );
    }
  }

  /** What is left of a turn after its end may stay unshown only if that was to be expected. */
  async #finish(audience: Audience, unwanted: AbortSignal): Promise<void> {
    try {
      await audience.finish();
    } catch (error) {
      if (!unwanted.aborted && !(error instanceof UndeliveredError)) throw error;
    }
  }

  async #deliberate(
    turn: TurnParts,
    audience: Audience,
    shutdown: AbortSignal,
  ): Promise<'ended' | 'left'> {
    const { shown } = audience;
    const { record, past, channel, held } = turn;
    const { openModels, memory, now } = this.#options;
    const log = this.#options.log.child({ turnId: record.turnId, attempt: record.attempt });
    log.info({}, 'turn begun');
    logIgnored(log, channel);
    const noted = channel.settings.memory ? memory.shards.begun(record) : undefined;
    const journal = new Journal({
      turns: held,
      record,
      user: past.request.author.id,
      spendScopes: spendScopes(record.threadId, past.request.author.id),
      isPrivate: past.request.isPrivate,
      settings: channel.settings,
      now,
    });
    const models = openModels((call) => journal.count(call), {
      chair: channel.settings.chairModel,
    });
    try {
      await Promise.race([audience.begun, this.#stopped.promise]);
    } catch (error) {
      return this.#giveUp(error, { journal, log, shown, shutdown, request: past.request });
    }
    const context = await this.#recall(turn, models, log, shutdown);
    journal.remember(context);
    const storeFailed = new AbortController();
    const events = runTurn({
      request: past.request,
      council: channel.council,
      context,
      models,
      passed: past,
      signal: AbortSignal.any([this.#stop.signal, shutdown, storeFailed.signal]),
    });
    // Each event is shown once it is stored, and after those before it. The turn does not wait for
    // either, so that what finishes together is stored together.
    let shownUpToHere: Promise<unknown> = Promise.resolve();
    try {
      for await (const event of events) {
        if (event.type === 'ended') {
          await shownUpToHere;
          logEvent(log, event);
          this.hasShownEnd = true;
          shown.push(event);
          // Whatever is not posted yet would be lost with this process once the turn counts as ended.
          await audience.finish();
          await noted;
          await journal.write(event);
          if (noted) void memory.shards.ended(record);
          continue;
        }
        shownUpToHere = Promise.all([shownUpToHere, journal.write(event)]).then(() => {
          logEvent(log, event);
          shown.push(event);
        });
        shownUpToHere.catch((error: unknown) => storeFailed.abort(error));
      }
      await shownUpToHere;
      return 'ended';
    } catch (error) {
      await Promise.allSettled([shownUpToHere]);
      return await this.#giveUp(error, { journal, log, shown, shutdown, request: past.request });
    }
  }

  /** What the prompts of the turn hold of earlier talk. */
  async #recall(
    { record, past, channel: { settings, pins } }: TurnParts,
    { compactor, embedder }: TurnModels,
    log: Log,
    shutdown: AbortSignal,
  ): Promise<RememberedContext> {
    const { store, memory } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, shutdown]);
    return recallContext(
      { messages: store.messages, recollection: memory.recollection },
      {
        ...memory.limits,
        ...(settings.memory ? {} : { interactions: 0 }),
        threadId: record.threadId,
        turnId: record.turnId,
        question: past.request.question,
        isPrivate: past.request.isPrivate,
        isPrivateThread: past.request.isPrivateThread,
        pins,
        history: settings.history,
        reach: settings.memoryReach,
        isOpenOutside: past.request.isOpenOutside === true,
        language: settings.language,
        embedder,
        fencing: fence,
        counter: await loadTokenCounter(settings.chairModel),
        compact: compactWith(compactor, signal, memory.compacted, fence),
        onTrouble: (error, what) => log.warn({ error }, what),
      },
    );
  }

  /** Decides what an interrupted turn becomes: somebody else's, left for later, or failed. */
  async #giveUp(
    error: unknown,
    turn: {
      readonly journal: Journal;
      readonly log: Log;
      readonly shown: EventChannel<TurnEvent>;
      readonly shutdown: AbortSignal;
      readonly request: TurnRequest;
    },
  ): Promise<'ended' | 'left'> {
    const { journal, log, shown, shutdown } = turn;
    if (error instanceof SupersededError) {
      if ((await this.#options.store.turns.read(this.#queued)) === undefined) {
        log.info({}, 'turn was forgotten while it ran');
        shown.push({ type: 'ended', end: { outcome: 'stopped', explanation: forgotten } });
        return 'ended';
      }
      log.warn({ error }, 'turn is run by somebody else by now');
      return 'left';
    }
    if (shutdown.aborted) {
      await journal.writeUsage();
      log.info({}, 'turn left to be resumed');
      return 'left';
    }
    if (error instanceof UndeliveredError) {
      await journal.writeUsage();
      throw error;
    }
    if (error instanceof StoreError) {
      log.error({ error }, 'turn interrupted: the store failed');
      shown.push({ type: 'ended', end: { outcome: 'failed', explanation: interrupted } });
      throw error;
    }
    const isUnshowable = error instanceof UnshowableError;
    if (!isUnshowable) log.error({ error }, 'turn failed by a fault of the program');
    const explanation = isUnshowable
      ? error.message
      : `Something went wrong inside Council, not in the sages. The log has the details under turn ${turn.request.turnId}.`;
    const ended: TurnEvent = { type: 'ended', end: { outcome: 'failed', explanation } };
    await journal.write(ended);
    shown.push(ended);
    return 'ended';
  }
}
