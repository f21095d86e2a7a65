import type { ChatModel, ChatRequest } from './chat-model.ts';

/** Lets only so many calls go on at the same time. */
export interface Permits {
  /**
   * Waits until one more call may go on.
   *
   * @returns A function that is called when the call has ended.
   * @throws The signal's reason when that is aborted first.
   */
  acquire(signal: AbortSignal): Promise<() => void>;
}

/**
 * A model whose calls wait for a permit each. Outside of `withUsage`, so that the wait does not count
 * as the model's time; inside of `withRetry`, so that no call holds a permit while it waits to try again.
 */
export function withPermits(model: ChatModel, permits: Permits): ChatModel {
  async function permitFor({ signal, onWait }: ChatRequest): Promise<() => void> {
    const goOn = onWait?.();
    try {
      return await permits.acquire(signal);
    } finally {
      goOn?.();
    }
  }

  return {
    id: model.id,
    async complete(request) {
      const release = await permitFor(request);
      try {
        return await model.complete(request);
      } finally {
        release();
      }
    },
    async *stream(request) {
      const release = await permitFor(request);
      try {
        yield* model.stream(request);
      } finally {
        release();
      }
    },
  };
}
