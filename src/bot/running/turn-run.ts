/**
 * Runs one turn from the queue: context, council, store, presenter.
 *
 * If the store fails, this attempt ends and the turn stays unfinished for the queue to retry
 * (`queue/bullmq/bullmq-queue.ts`, `queue/inline/inline-queue.ts`). `store/redis/connection.ts` decides how long
 * the store waits for its server, and `store-trouble-words.ts` explains the failure to people.
 */

import { stopRequested } from '../../council/cutoff.ts';
import type { TurnEvent } from '../../council/events.ts';
import { type PastTurn, readPastTurn } from '../../council/past-turn.ts';
import { EventChannel } from '../../council/streaming.ts';
import { runTurn } from '../../council/turn.ts';
import { describeHeard } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { visibleReach } from '../../memory/memories.ts';
import { type Platform, UndeliveredError, UnshowableError } from '../../platforms/platform.ts';
import { type QueuedTurn, TakenOverError } from '../../queue/queue.ts';
import { StoreError, SupersededError, type TurnRecord } from '../../store/store.ts';
import { linkSignals } from '../../waiting.ts';
import { reserveWithContext } from '../asking/admission.ts';
import { type Payer, RefusedError } from '../money/budgets.ts';
import type { Reservation } from '../money/reservation.ts';
import type { BotParts } from '../parts.ts';
import { type Channel, channelFor, channelOfTurn, readChannel } from '../places/channels.ts';
import { firstAskedAt } from '../places/turns-of-place.ts';
import { storeTrouble } from '../store-trouble-words.ts';
import { type Halts, HeldTurn } from './held-turn.ts';
import { type Journal, journalOf, logEvent } from './journal.ts';
import { presentedTurn } from './presented-turn.ts';
import { assertReadable, readSurroundings } from './surroundings.ts';
import { recallFor } from './turn-memory.ts';

/** One attempt to run a turn. */
interface Attempt {
  readonly record: TurnRecord;
  readonly past: PastTurn;
  readonly channel: Channel;
  readonly held: HeldTurn;
  readonly payer: Payer;
  readonly paid: Reservation;
  readonly journal: Journal;
  readonly log: Log;
  /** The events that are presented. */
  readonly shown: EventChannel<TurnEvent>;
  /** Resolves when the start of the turn is shown. Rejects if it can't be: then the turn must cost nothing. */
  readonly begun: Promise<void>;
  /** Ends the presentation. Resolves when everything is shown. */
  readonly finish: () => Promise<void>;
  /** Aborted with an `UnshowableError` once nothing more of the turn can be shown. */
  readonly unshowable: AbortSignal;
  /** Aborted when the process shuts down. */
  readonly shutdown: AbortSignal;
}

/** A turn that this process runs. */
export class TurnRun {
  readonly #parts: BotParts;
  readonly #queued: QueuedTurn;
  readonly #platform: Platform;
  readonly #halts: Halts;
  readonly #stop = new AbortController();
  readonly #forgotten = new AbortController();
  /** Resolves when the turn is stopped or forgotten. */
  readonly #unwanted = Promise.withResolvers<void>();
  /** The end is shown but possibly not stored yet. */
  hasShownEnd = false;
  isForgotten = false;
  /** As taken from the store. */
  record: TurnRecord | undefined;

  constructor(queued: QueuedTurn, platform: Platform, halts: Halts, parts: BotParts) {
    this.#halts = halts;
    this.#queued = queued;
    this.#platform = platform;
    this.#parts = parts;
  }

  /** Ends the turn as stopped and keeps the answers so far. */
  stop(): void {
    this.#stop.abort(stopRequested());
    this.#unwanted.resolve();
  }

  /** Ends the turn without showing or storing anything more. */
  forget(): void {
    this.isForgotten = true;
    this.#forgotten.abort(new Error('The question was forgotten meanwhile.'));
    this.#unwanted.resolve();
  }

  /**
   * Runs the turn to its end, or leaves it in the store when `shutdown` is aborted or another process takes it
   * over.
   *
   * @returns `ended` also if the turn had ended before; `gone` if it is no longer in the store.
   * @throws What interrupted the turn, e.g. a `StoreError`. It can be resumed later.
   */
  async run(shutdown: AbortSignal): Promise<'ended' | 'left' | 'gone'> {
    const { store, money, now } = this.#parts;
    const { threadId } = this.#queued;
    const clock = () => performance.now();
    const takenAt = clock();
    // In parallel, because the store may be far away.
    const [record, { channel: current }] = await Promise.all([
      store.turns.take(this.#queued),
      readChannel(this.#parts, threadId),
    ]);
    if (!record) return 'ended';
    this.record = record;
    const past = readPastTurn(record);
    if (past.isStopped) this.stop();
    const channel = channelFor(past.request, channelOfTurn(this.#parts, current, past));
    const held = new HeldTurn(record, {
      turns: store.turns,
      halts: this.#halts,
      takenAt,
      now: clock,
    });
    const payer = { threadId, userId: past.request.author.id, settings: channel.settings };
    await using paid = money.resume(payer, record.turnId);
    using linked = linkSignals(shutdown, held.lost, this.#forgotten.signal);
    const unwanted = linked.signal;
    const shown = new EventChannel<TurnEvent>();
    const unshowable = new AbortController();
    const endUnshown = (why: string) => unshowable.abort(new UnshowableError(why));
    const presented = this.#platform.present(
      { ...presentedTurn(store, record, past, current.settings, held), endUnshown },
      shown,
      unwanted,
    );
    presented.catch(() => undefined); // the error surfaces where `presented` is awaited
    const begun = Promise.race([shown.wanted, presented]);
    const finish = () => {
      shown.close();
      return presented;
    };
    const log = this.#parts.log.child({ turnId: record.turnId, attempt: record.attempt });
    const journal = journalOf({ held, record, past, paid, channel, now });
    try {
      return await this.#deliberate({
        record,
        past,
        channel,
        held,
        payer,
        paid,
        journal,
        log,
        shown,
        begun,
        finish,
        unshowable: unshowable.signal,
        shutdown,
      });
    } catch (error) {
      if (!this.isForgotten) throw error;
      return 'gone';
    } finally {
      // A turn whose start could not be shown has already ended without calling a model.
      const isBegun = await begun.then(
        () => true,
        () => false,
      );
      const presentation = isBegun ? finish() : undefined;
      await presentation?.catch((error: unknown) => {
        if (!unwanted.aborted && !(error instanceof UndeliveredError)) throw error;
      });
    }
  }

  async #deliberate(attempt: Attempt): Promise<'ended' | 'left' | 'gone'> {
    const { record, past, channel, held, payer, journal, log, shown, shutdown } = attempt;
    const { money, memory, now } = this.#parts;
    const { threadId, userId: user } = payer;
    log.info({ threadId, user, sinceAskedMs: now() - record.createdAt }, 'turn begun');
    const noted = channel.settings.memory ? memory.shards.begun(record) : undefined;
    const models = money.models(
      payer,
      (call) => journal.count(call),
      () => held.assertAwake(),
    );
    using unwanted = linkSignals(this.#stop.signal, this.#forgotten.signal, shutdown);
    let { request } = past;
    let context: Awaited<ReturnType<typeof recallFor>>;
    let earlier: PastTurn | undefined;
    try {
      await Promise.race([attempt.begun, this.#unwanted.promise]);
      const listening = { ...this.#parts, platform: this.#platform };
      const { heard, pictures } = await readSurroundings(attempt, listening, unwanted.signal);
      await assertReadable(request, heard, this.#parts.store);
      if (heard) shown.push({ type: 'heard', heard: describeHeard(heard) });
      const recalling = { request, channel, log, at: record.createdAt, heard, pictures };
      const first = await this.#readDeepened(request);
      earlier = first && readPastTurn(first);
      const before = first && earlier && firstAskedAt(first, earlier);
      context = await recallFor({ ...recalling, before }, models, this.#parts, unwanted.signal);
      // What an earlier attempt has paid for is finished, whatever it costs.
      if (record.usage.length === 0 && !unwanted.signal.aborted) {
        request = await reserveWithContext(request, channel, context, this.#parts);
      }
    } catch (error) {
      return this.#giveUp(error, attempt);
    }
    journal.remember(context);
    const storeFailed = new AbortController();
    const { unshowable } = attempt;
    using ended = linkSignals(unwanted.signal, storeFailed.signal, held.lost, unshowable);
    const events = runTurn({
      request,
      council: channel.council,
      context,
      models,
      passed: past,
      ...(earlier ? { earlier } : {}),
      signal: ended.signal,
    });
    const { isOpenOutside = false } = request;
    const said = { threadId, reach: visibleReach(isOpenOutside, channel.settings.memoryReach) };
    // Events are shown in order, each after it is stored. The turn waits for neither, so steps that finish
    // together are stored together.
    let shownSoFar: Promise<unknown> = Promise.resolve();
    try {
      for await (const event of events) {
        if (event.type === 'ended') {
          await shownSoFar;
          logEvent(log.child(journal.bill()), event);
          this.hasShownEnd = true;
          shown.push(event);
          // Once the turn is stored as ended, anything not posted would be lost if this process died.
          await attempt.finish();
          await noted;
          await journal.write(event);
          if (noted) memory.shards.ended(record);
          continue;
        }
        shownSoFar = Promise.all([shownSoFar, journal.write(event)]).then(() => {
          logEvent(log, event);
          shown.push(event);
          // A verdict changes the text of its question.
          const isRemembered = event.type === 'answered' || event.type === 'concluded';
          if (isRemembered && channel.settings.memory) memory.recollection.embedSoon(said);
        });
        shownSoFar.catch((error: unknown) => storeFailed.abort(error));
      }
      await shownSoFar;
      return 'ended';
    } catch (error) {
      await Promise.allSettled([shownSoFar]);
      return await this.#giveUp(error, attempt);
    }
  }

  /** The turn that this one deepens, if any. Throws an `UnshowableError` if it was forgotten. */
  async #readDeepened({ deepens, threadId }: TurnRequest): Promise<TurnRecord | undefined> {
    if (deepens === undefined) return undefined;
    const record = await this.#parts.store.turns.read({ turnId: deepens, threadId });
    if (!record) throw new UnshowableError('The turn that it continues was forgotten.');
    return record;
  }

  /** Handles an interruption: the turn belongs to another process, is left for later, or has failed. */
  async #giveUp(error: unknown, attempt: Attempt): Promise<'ended' | 'left' | 'gone'> {
    const { record, past, paid, journal, log, shown, shutdown } = attempt;
    const isSuperseded = error instanceof SupersededError;
    const isTaken = isSuperseded || shutdown.reason instanceof TakenOverError;
    const isGone = isTaken && (await this.#parts.store.turns.read(this.#queued)) === undefined;
    if (isGone || this.isForgotten) {
      log.info({}, 'turn ended: it is no longer in the store');
      return 'gone';
    }
    if (isSuperseded) {
      log.warn({ error }, 'another process runs the turn now');
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
      const explanation = storeTrouble(error, {
        what: 'The turn was interrupted',
        its: 'store',
        threadId: past.request.threadId,
        whatToDo: 'What was said is kept, and the turn continues as soon as that is fixed.',
      });
      shown.push({ type: 'ended', end: { outcome: 'failed', explanation } });
      throw error;
    }
    const isUnshowable = error instanceof UnshowableError || error instanceof RefusedError;
    if (!isUnshowable) log.error({ error }, 'turn failed: an error in the program');
    else if (record.usage.length === 0 && !paid.isUsed) await paid.slot?.release();
    const told = isUnshowable
      ? error.message
      : `Something went wrong inside Council, not in the sages. The log has the details under turn ${past.request.turnId}.`;
    const inPublic = error instanceof RefusedError ? error.inPublic : undefined;
    const forAll = {
      explanation: inPublic ?? told,
      ...(inPublic !== undefined && { toAsker: told }),
    };
    const ended: TurnEvent = { type: 'ended', end: { outcome: 'failed', ...forAll } };
    try {
      await journal.write(ended);
    } catch (failure) {
      // Passed on, the error would have the queue take the turn back from the process that runs it now.
      if (failure instanceof SupersededError) return this.#giveUp(failure, attempt);
      throw failure;
    }
    shown.push(ended);
    return 'ended';
  }
}
