/** Ends model calls: at a deadline, when enough others have answered, or when a person presses stop. */

import type { FailureReason } from '../domain/failure.ts';
import { type ChatModel, type ChatRequest, ModelError } from '../models/chat-model.ts';
import {
  askInShape,
  type ReplyShape,
  type Shaped,
  type ShapeListener,
} from '../models/structured.ts';

/** The council ended a call. The message is for people. */
export class Cutoff extends Error {
  override readonly name = 'Cutoff';
  readonly reason: 'timed_out' | 'late' | 'stopped';
  constructor(reason: Cutoff['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The abort reason when a person stops a turn; any other reason leaves the turn unfinished. */
export function stopRequested(): Cutoff {
  return new Cutoff('stopped', 'Stopped on request.');
}

/** The part of a deadline that a call needs. */
export type CallDeadline = Pick<Deadline, 'signal' | 'onWait'>;

/** A time limit for one call. */
export interface Deadline {
  /** Aborted with a {@link Cutoff} when the time is up, and with its parent. */
  readonly signal: AbortSignal;
  /** Stops the clock while a call waits for a provider's permit; the returned function restarts it. */
  readonly onWait: () => () => void;
  /** The time used so far, without waits; unknown once it is shortened. */
  usedMs(): number;
  /** Reduces the remaining time to at most `mostMs` and ends the call with this cutoff then. */
  shorten(mostMs: number, cutoff: () => Cutoff): void;
  /** Ends the call at once, even while the clock is stopped. */
  cut(cutoff: Cutoff): void;
  /** Releases the timer and `parent`. Call it when the call has ended. */
  clear(): void;
}

/**
 * Starts the deadline of one call.
 *
 * @param parent - Aborts the returned signal, too.
 * @param timeoutMs - Counted from now.
 * @param who - Named in the message, e.g. `Nassim Taleb`.
 */
export function startDeadline(parent: AbortSignal, timeoutMs: number, who: string): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  const seconds = Math.round(timeoutMs / 1000);
  let cutoff = () => new Cutoff('timed_out', `${who} did not answer within ${seconds} s.`);
  let leftMs = timeoutMs;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let pauses = 0;

  function run(): void {
    if (pauses > 0) return;
    startedAt = performance.now();
    timer = setTimeout(() => controller.abort(cutoff()), leftMs);
  }

  function halt(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    leftMs -= performance.now() - startedAt;
  }

  run();
  return {
    signal: controller.signal,
    onWait() {
      halt();
      pauses += 1;
      return () => {
        pauses -= 1;
        run();
      };
    },
    usedMs: () => timeoutMs - leftMs + (timer === undefined ? 0 : performance.now() - startedAt),
    shorten(mostMs, shorter) {
      halt();
      if (mostMs < leftMs) {
        leftMs = mostMs;
        cutoff = shorter;
      }
      run();
    },
    cut: (now) => controller.abort(now),
    clear() {
      halt();
      pauses = Number.POSITIVE_INFINITY;
      parent.removeEventListener('abort', follow);
    },
  };
}

/** Why a call did not deliver. */
export interface Failure {
  readonly reason: FailureReason;
  /** For people: what happened and what to do about it. */
  readonly explanation: string;
  /** The text that had arrived. */
  readonly partial: string;
}

/**
 * Turns the error of a model call into a failure. Rethrows any other error: a bug or a shutdown must not look like a
 * sage without an answer.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof ModelError) {
    return { reason: error.failure, explanation: error.message, partial: error.partialText };
  }
  if (error instanceof Cutoff) {
    return { reason: error.reason, explanation: error.message, partial: '' };
  }
  throw error;
}

/** Whether a text that was whole before the failure stands. What a provider refused or broke off is no answer. */
export function keepsText({ reason }: Pick<Failure, 'reason'>): boolean {
  return reason !== 'refused' && reason !== 'broken_stream';
}

/** A request with its time limit. */
export interface TimedRequest extends Pick<ChatRequest, 'messages' | 'stage' | 'signal'> {
  readonly timeoutMs: number;
  /** Named in the message of a timeout, e.g. `The chair`. */
  readonly who: string;
}

/** Why a call with a time limit gave nothing. */
type Failed = { readonly status: 'failed' } & Failure;

/**
 * Makes a call with a deadline. Waiting for a provider's permit doesn't count.
 *
 * @throws Only after a stop or a shutdown, or because of a bug.
 */
export async function callInTime<Reply>(
  { timeoutMs, who, ...asked }: TimedRequest,
  call: (request: ChatRequest) => Promise<Reply>,
): Promise<Reply | Failed> {
  const deadline = startDeadline(asked.signal, timeoutMs, who);
  try {
    return await call({ ...asked, signal: deadline.signal, onWait: deadline.onWait });
  } catch (error) {
    const failure = failureOf(error);
    if (failure.reason === 'stopped') throw error;
    return { status: 'failed', ...failure };
  } finally {
    deadline.clear();
  }
}

/** Requests a reply in a shape, as {@link callInTime} does. @param listen - See `askInShape`. */
export function askInTime<T>(
  model: ChatModel,
  request: TimedRequest,
  shape: ReplyShape<T>,
  listen?: ShapeListener,
): Promise<Shaped<T> | Failed> {
  return callInTime(request, (asked) => askInShape(model, asked, shape, listen));
}
