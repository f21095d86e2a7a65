/** Calls that the council itself ends: the time is up, the others were enough, a person pressed stop. */

import type { FailureReason } from '../domain/failure.ts';
import { type ChatModel, type ChatRequest, ModelError } from '../models/chat-model.ts';
import {
  askInShape,
  type ReplyShape,
  type Shaped,
  type ShapeListener,
} from '../models/structured.ts';

/** Why a call was ended from our side. The message is for people. */
export class Cutoff extends Error {
  override readonly name = 'Cutoff';
  readonly reason: 'timed_out' | 'late' | 'stopped';
  constructor(reason: Cutoff['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The reason to abort a turn's signal with when a person stops it; any other reason leaves the turn unfinished. */
export function stopRequested(): Cutoff {
  return new Cutoff('stopped', 'Stopped on request.');
}

/** A signal that follows `parent` and is aborted with a {@link Cutoff} once the time is up. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the clock while a call waits for its turn; what it gives back lets the clock go on. */
  readonly pause: () => () => void;
  /** Leaves no more than this on the clock, in milliseconds, and ends the call with this cutoff then. */
  shorten(mostMs: number, cutoff: () => Cutoff): void;
  /** Ends the call at once, also while it waits for its turn. */
  cut(cutoff: Cutoff): void;
  /** Lets go of the timer and of `parent`. Call it when the call has ended. */
  clear(): void;
}

/**
 * Gives one call its time.
 *
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
    pause() {
      halt();
      pauses += 1;
      return () => {
        pauses -= 1;
        run();
      };
    },
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
  /** What had arrived before it broke off. */
  readonly partial: string;
}

/**
 * Reads the failure out of what a model call threw.
 *
 * Throws it again when it is neither the model's nor ours to expect: a fault in the code, or a
 * shutdown, must not look like a sage that had nothing to say.
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

/** What is asked, for how long, and of whom. */
export interface TimedRequest extends Pick<ChatRequest, 'messages' | 'stage' | 'signal'> {
  readonly timeoutMs: number;
  /** Named where it does not answer in time, e.g. `The chair`. */
  readonly who: string;
}

/**
 * Asks for a reply in a shape; the time it waits for its turn at a provider does not count.
 *
 * @param listen - As that of `askInShape`.
 * @throws Only when the signal was aborted with a stop or a shutdown, and for a fault in the code.
 */
export async function askInTime<T>(
  model: ChatModel,
  { timeoutMs, who, ...asked }: TimedRequest,
  shape: ReplyShape<T>,
  listen?: ShapeListener,
): Promise<Shaped<T> | ({ readonly status: 'failed' } & Failure)> {
  const deadline = startDeadline(asked.signal, timeoutMs, who);
  try {
    const request = { ...asked, signal: deadline.signal, onWait: deadline.pause };
    return await askInShape(model, request, shape, listen);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.reason === 'stopped') throw error;
    return { status: 'failed', ...failure };
  } finally {
    deadline.clear();
  }
}
