import { setTimeout as wait } from 'node:timers/promises';
import {
  type ChatChunk,
  type ChatModel,
  type ChatReply,
  type ChatRequest,
  ModelError,
} from './chat-model.ts';

export interface RetryOptions {
  /** Calls in all, the first included; at least 1. Default 3. */
  readonly attempts?: number;
  /** About how long the first wait is, in milliseconds; each further one is twice as long. Default 500. */
  readonly baseDelayMs?: number;
  /** A server that asks for a longer wait than this, in milliseconds, is given up at once. Default 30 000. */
  readonly maxDelayMs?: number;
  /** Whether a call that the model has worked on, or that took its time, is made again; it is so once at most. Default true. */
  readonly repeatsCostly?: boolean;
  /** From 0 up to 1; default `Math.random`. */
  readonly random?: () => number;
  /** Waits; rejects when the signal is aborted. Default: a timer. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A model that makes a call again when it failed in a way that may pass.
 *
 * Waits as long as the server asks (`Retry-After`), else for a growing time with jitter, so that sages
 * who failed together don't come back together. All of it happens inside the request's signal.
 */
export function withRetry(model: ChatModel, options: RetryOptions = {}): ChatModel {
  async function complete(request: ChatRequest): Promise<ChatReply> {
    const patience = createPatience(options);
    while (true) {
      try {
        return await model.complete(request);
      } catch (error) {
        await patience.waitAfter(error, request.signal);
      }
    }
  }

  async function* stream(request: ChatRequest): AsyncGenerator<ChatChunk> {
    const patience = createPatience(options);
    let cause: ModelError | undefined;
    while (true) {
      let isPartlyGiven = false;
      try {
        if (cause !== undefined) {
          yield { type: 'restarted', cause };
          cause = undefined;
        }
        for await (const chunk of model.stream(request)) {
          isPartlyGiven = true;
          yield chunk;
        }
        return;
      } catch (error) {
        const failed = await patience.waitAfter(error, request.signal);
        cause = isPartlyGiven ? failed : undefined;
      }
    }
  }

  return { id: model.id, complete, stream };
}

/** Keeps count of the failures of one call. */
function createPatience({
  attempts = 3,
  baseDelayMs = 500,
  maxDelayMs = 30_000,
  repeatsCostly = true,
  random = Math.random,
  sleep = (delayMs, signal) => wait(delayMs, undefined, { signal }),
}: RetryOptions) {
  let failed = 0;
  let hasFailedCostly = !repeatsCostly;

  function delayAfter(error: ModelError): number {
    // Half of it is fixed, so that no retry comes at once; half is drawn.
    const backOffMs = baseDelayMs * 2 ** (failed - 1) * (0.5 + random() / 2);
    // Never earlier than asked, and not all at the same moment.
    return error.retryAfterMs === undefined
      ? backOffMs
      : error.retryAfterMs + random() * Math.min(baseDelayMs, error.retryAfterMs);
  }

  /** Waits until the call may be made again; throws where it must not be. */
  async function waitAfter(error: unknown, signal: AbortSignal): Promise<ModelError> {
    signal.throwIfAborted();
    if (!(error instanceof ModelError) || !error.isRetryable) {
      throw error;
    }
    failed += 1;
    // The model has worked, or time has passed: that is made again only once, whatever else fails.
    const isCostly = !error.isFree;
    if (failed >= attempts || (isCostly && hasFailedCostly)) {
      throw error;
    }
    hasFailedCostly ||= isCostly;
    if ((error.retryAfterMs ?? 0) > maxDelayMs) {
      throw tooLong(error, maxDelayMs);
    }
    await sleep(delayAfter(error), signal).catch((fault: unknown) => {
      // A timer rejects with an error of its own; the caller is owed the signal's reason.
      signal.throwIfAborted();
      throw fault;
    });
    return error;
  }

  return { waitAfter };
}

function tooLong(error: ModelError, maxDelayMs: number): ModelError {
  const asked = Math.ceil((error.retryAfterMs ?? 0) / 1000);
  return new ModelError(
    `${error.message} It asks to wait ${asked} seconds; Council waits at most ${maxDelayMs / 1000}.`,
    {
      failure: error.failure,
      model: error.model,
      retryAfterMs: error.retryAfterMs,
      partialText: error.partialText,
      said: error.said,
      cause: error,
    },
  );
}
