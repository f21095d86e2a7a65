/** The turns that this process currently runs. */

import { setTimeout as wait } from 'node:timers/promises';
import type { TurnEvent } from '../../council/events.ts';
import {
  endOf,
  type PastTurn,
  readPastTurn,
  replayTurn,
  type TurnStep,
} from '../../council/past-turn.ts';
import type { Platform, PresentedTurn } from '../../platforms/platform.ts';
import { type QueuedTurn, TakenOverError } from '../../queue/queue.ts';
import type { TurnKey, TurnRecord } from '../../store/store.ts';
import { within } from '../../waiting.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { withPast } from '../places/turns-of-place.ts';
import { Halts } from './held-turn.ts';
import {
  concludedTurn,
  forgettingOf,
  platformOf,
  presentedTurn,
  retract,
} from './presented-turn.ts';
import { TurnRun } from './turn-run.ts';

/** How long requests of a halted process may take to arrive after it wakes up, in milliseconds. */
const arrivalMs = 1000;
/** How long to wait for an unreachable platform to show an end again, in milliseconds. */
const maxShowingMs = 30_000;
/** How long a command waits for an ended turn to be stored, in milliseconds. Then it reads the turn as it is. */
const maxWaitMs = 500;

/** Asks to stop a turn. Noted in the turn too, because one that waits may outlive this process and its requests. */
export async function requestStop(
  turn: TurnKey,
  { stops, store }: Pick<BotParts, 'stops' | 'store'>,
): Promise<void> {
  await stops.request(turn.turnId);
  const step: TurnStep = { kind: 'stop', key: '', data: {} };
  await store.turns.remark(turn, step);
}

export class Running {
  readonly #parts: BotParts;
  readonly #halts = new Halts();
  /** By thread, because one turn of a thread runs at a time. */
  readonly #running = new Map<string, { readonly run: TurnRun; readonly done: Promise<unknown> }>();

  constructor(parts: BotParts) {
    this.#parts = parts;
  }

  /**
   * Runs a turn, see {@link TurnRun.run}, and watches for requests to stop or forget it.
   *
   * @throws What interrupted it.
   */
  async run(queued: QueuedTurn, shutdown: AbortSignal): Promise<'ended' | 'left'> {
    const { platforms, stops, money } = this.#parts;
    const { threadId, turnId } = queued;
    const platform = platformOf(threadId, platforms);
    if (!platform) throw new Error(`The queue handed over a turn of another process: ${threadId}`);
    const run = new TurnRun(queued, platform, this.#halts, this.#parts);
    using watches = new DisposableStack();
    watches.defer(await stops.watch(turnId, () => run.stop()));
    watches.defer(await stops.watch(forgettingOf(turnId), () => run.forget()));
    const done = run.run(shutdown);
    this.#running.set(threadId, { run, done: done.catch(() => undefined) });
    const outcome = await done.finally(() => this.#running.delete(threadId));
    if (outcome === 'gone' || run.isForgotten) await this.#showGone(run);
    if (outcome !== 'left') await money.release(turnId);
    else if (!shutdown.aborted || shutdown.reason instanceof TakenOverError)
      await this.#showEnd(queued, platform);
    return outcome === 'left' ? 'left' : 'ended';
  }

  /** Waits until a turn of this thread whose end is shown is stored as ended, too. */
  async settled(threadId: string): Promise<void> {
    const running = this.#running.get(threadId);
    if (!running?.run.hasShownEnd) return;
    await within(running.done, { ms: maxWaitMs });
  }

  /** Shows that a turn could not be run, and releases what it had reserved. */
  async failForGood(turn: QueuedTurn): Promise<void> {
    const { log, money, store } = this.#parts;
    try {
      const record = await store.turns.read(turn);
      if (record) await this.#showFailure(record, failedForGood);
    } catch (error) {
      log.warn({ ...turn, error }, 'the asker could not be told that their turn failed for good');
    }
    await money.release(turn.turnId).catch((error: unknown) => {
      log.warn({ ...turn, error }, 'a turn that failed for good keeps its reservation for a day');
    });
  }

  /** Call it once no more turns run. */
  stop(): void {
    this.#halts.stop();
  }

  /**
   * Empties the posts of a turn that was forgotten while it ran. If the store has lost it, says so: then the queue
   * on the same server has lost it as well, and no request to forget it is on its way. Never throws.
   */
  async #showGone(run: TurnRun): Promise<void> {
    const { platforms, queue, log } = this.#parts;
    const { record } = run;
    if (!record) return;
    try {
      const isQueued = run.isForgotten || (await queue.waiting(record.threadId)) > 0;
      if (!isQueued) await wait(arrivalMs);
      if (isQueued || run.isForgotten) await retract(record, platforms, log);
      else await this.#showFailure(record, lost);
    } catch (error) {
      log.warn({ turnId: record.turnId, error }, 'the asker could not be told that all is lost');
    }
  }

  async #showFailure(record: TurnRecord, explanation: string): Promise<void> {
    const { platforms } = this.#parts;
    const turn = await this.#presented(record, readPastTurn(record));
    // A turn that is no longer in the store can keep nothing.
    const shown = explanation === lost ? { ...turn, keepShownAt: async () => undefined } : turn;
    const ended: TurnEvent = { type: 'ended', end: { outcome: 'failed', explanation } };
    const { signal } = new AbortController();
    await platformOf(record.threadId, platforms)?.present(shown, streamOf([ended]), signal);
  }

  /**
   * Presents a turn again if it has ended in another process: late requests of this process, e.g. after a halt,
   * may have overwritten its end. While the turn still runs, the other process draws it anyway. Never throws.
   */
  async #showEnd(queued: QueuedTurn, platform: Platform): Promise<void> {
    const { store, log } = this.#parts;
    try {
      await wait(arrivalMs);
      const record = await store.turns.read(queued);
      if (record?.status !== 'ended') return;
      const { past } = await withPast(store.turns, record);
      const turn = await this.#presented(record, past);
      const events = replayTurn(past, endOf(past, record.outcome));
      const signal = AbortSignal.timeout(maxShowingMs);
      await platform.present({ ...turn, isAlreadyShown: true }, streamOf(events), signal);
      const isUsed = past.followed.length > 0 || past.posted !== undefined;
      const verdict = isUsed ? concludedTurn(past) : undefined;
      if (verdict) await platform.redraw(verdict);
    } catch (error) {
      log.warn({ ...queued, error }, 'what shows a turn may be older than what came of it');
    }
  }

  /** A turn that no process runs anymore. */
  async #presented(record: TurnRecord, past: PastTurn): Promise<PresentedTurn> {
    const { channel } = await readChannel(this.#parts, record.threadId);
    const turn = presentedTurn(this.#parts.store, record, past, channel.settings);
    return { ...turn, isResumed: true };
  }
}

async function* streamOf(events: readonly TurnEvent[]) {
  yield* events;
}

const failedForGood =
  'The council could not start on this question, though it tried several times. Its operator has been told.';
const lost =
  'All that the council had stored is lost. Please ask again: neither this question nor any that waits behind it gets an answer.';
