/** What to do when a model fails: repeat the call, then ask another model. */

import { setTimeout as wait } from 'node:timers/promises';
import { listed } from '../domain/words.ts';
import { type ChatChunk, type ChatModel, ModelError } from './chat-model.ts';
import { wrapped } from './wrapped.ts';

export interface RetryOptions {
  /** Calls in total, at least 1. Default 3. */
  readonly attempts?: number;
  /**
   * Gives up at once if the server asks for a longer wait, and after three times as long in all. Default 65 000: limits
   * are counted by the minute.
   */
  readonly maxDelayMs?: number;
  /** Whether to repeat a call that the model worked on or that took time; at most once. Default true. */
  readonly repeatsCostly?: boolean;
  /** From 0 up to 1. Default `Math.random`. */
  readonly random?: () => number;
  /** Rejects when the signal is aborted. Default: a timer. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** Told that a call was answered, or the error that it fails with after its last attempt. */
  readonly onEnd?: (error?: unknown) => void;
}

/**
 * Wraps a model to repeat calls after retryable failures.
 *
 * Waits as long as the server asks (`Retry-After`), else with exponential backoff and jitter, so that sages
 * that failed together don't retry together. The request's signal ends the waits, too. A wait for a rate limit whose end
 * the server names is no failed attempt, and stops the caller's clock: the calls of a council queue for a free tier.
 */
export function withRetry(model: ChatModel, options: RetryOptions = {}): ChatModel {
  const {
    attempts = 3,
    maxDelayMs = 65_000,
    repeatsCostly = true,
    random = Math.random,
    sleep = (delayMs, signal) => wait(delayMs, undefined, { signal }),
    onEnd = () => undefined,
  } = options;

  function delayAfter({ failure, retryAfterMs = 0 }: ModelError, failed: number): number {
    // Half is fixed, so that no retry is immediate, even where a server asks for no wait; half is random.
    const firstMs = failure === 'rate_limited' ? limitedDelayMs : baseDelayMs;
    if (retryAfterMs === 0) return firstMs * 2 ** (failed - 1) * (0.5 + random() / 2);
    // Never earlier than asked, with jitter. A reset that is past, or a clock that is off, asks for a millisecond.
    return Math.max(retryAfterMs, baseDelayMs) + random() * baseDelayMs;
  }

  return wrapped(model, async function* retried(request, ask) {
    const { signal } = request;
    let cause: ModelError | undefined;
    let hasFailedCostly = !repeatsCostly;
    let failed = 1;
    let queuedMs = 0;
    try {
      while (true) {
        let hasYielded = false;
        try {
          if (cause !== undefined) yield { type: 'restarted', cause };
          for await (const chunk of ask(model, request)) {
            hasYielded = true;
            // Its reader may read no further.
            if (chunk.type === 'finished') onEnd();
            yield chunk;
          }
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ModelError) || !error.isRetryable) throw error;
          const { retryAfterMs: askedMs = 0 } = error;
          const isQueued = error.failure === 'rate_limited' && askedMs > 0;
          if (isQueued) queuedMs += Math.max(askedMs, leastQueuedMs);
          if (isQueued ? queuedMs > 3 * maxDelayMs : failed >= attempts) throw error;
          // The model worked, or time passed: repeated only once, whatever else fails.
          const isCostly = !error.isFree;
          if (isCostly && hasFailedCostly) throw error;
          hasFailedCostly ||= isCostly;
          if (askedMs > maxDelayMs) throw error;
          const endWait = isQueued ? request.onWait?.() : undefined;
          await sleep(delayAfter(error, failed), signal)
            .catch((fault: unknown) => {
              // The timer rejects with an AbortError; the caller expects the signal's reason.
              signal.throwIfAborted();
              throw fault;
            })
            .finally(endWait);
          if (!isQueued) failed += 1;
          cause = hasYielded ? error : undefined;
        }
      }
    } catch (error) {
      onEnd(error);
      throw error;
    }
  });
}

/** Bounds how often a server that asks for short waits is asked again. */
const leastQueuedMs = 10_000;
/** The first delay, on average three quarters of this; each further one is twice as long. */
const baseDelayMs = 500;
/** The same after a rate limit that names no time, e.g. of one request a second. */
const limitedDelayMs = 2500;

/**
 * Wraps a model with fallbacks, which are asked in order when it fails. Wrap each in `withRetry` first, so
 * that it makes all its attempts before the next is asked. A fallback's reply names its model.
 *
 * @returns A model that throws the first model's failure, which is the one to fix, and names the fallbacks that
 *   failed, too.
 */
export function withFallback(model: ChatModel, others: readonly ChatModel[]): ChatModel {
  const standIns = others.filter(({ id }) => id !== model.id);
  if (standIns.length === 0) return model;
  return wrapped(model, async function* withStandIns(request, ask) {
    const failures: ModelError[] = [];
    for (const next of [model, ...standIns]) {
      const [first] = failures;
      const cause = failures.at(-1);
      if (cause) yield { type: 'restarted', cause };
      const asked = first ? { ...request, standsInFor: first } : request;
      try {
        for await (const chunk of ask(next, asked)) yield signed(chunk, next, model);
        return;
      } catch (error) {
        // Not the model's failure: a stop, a deadline, a bug.
        request.signal.throwIfAborted();
        if (!(error instanceof ModelError)) throw error;
        failures.push(error);
      }
    }
    const [first] = failures;
    if (!first) throw new TypeError('Neither a reply nor a failure: a bug.');
    const { failure, retryAfterMs, partialText, said } = first;
    const facts = { failure, model: model.id, retryAfterMs, partialText, said, cause: first };
    const tried = listed(standIns.map(({ id }) => id));
    throw new ModelError(`${first.message} ${tried}, asked in its place, failed, too.`, facts);
  });
}

/** Names the model that stands in for the one that was asked. */
function signed(chunk: ChatChunk, by: ChatModel, asked: ChatModel): ChatChunk {
  if (chunk.type !== 'finished' || by === asked) return chunk;
  return { ...chunk, reply: { ...chunk.reply, by: by.id } };
}
