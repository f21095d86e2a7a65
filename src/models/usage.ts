/** Records the usage of every call, and limits how many run at the same time. */

import {
  type CallUsage,
  type ChatMessage,
  type ChatModel,
  type ChatReply,
  type ChatRequest,
  estimateTokens,
  ModelError,
  type TokenUsage,
} from './chat-model.ts';
import type { Embedder } from './embeddings.ts';
import { costOf, type Prices } from './prices.ts';
import { wrapped } from './wrapped.ts';

export interface UsageOptions {
  readonly prices: Prices;
  /**
   * Called exactly once for every call, however it ended. Must not throw.
   *
   * @param said - What of its remarks must not be logged; may be empty.
   */
  readonly record: (usage: CallUsage, said: string) => void;
}

/**
 * Wraps a model to record every call. Goes inside `withRetry`, so that every attempt counts.
 *
 * Tokens come from the server, or are estimated from the text. The cost is by the operator's price, else the
 * server's figure, else the price table, else absent.
 */
export function withUsage(model: ChatModel, options: UsageOptions): ChatModel {
  return wrapped(model, async function* counted(request, ask) {
    const call = openCall(model.id, request, options);
    try {
      for await (const chunk of ask(model, request)) {
        if (chunk.type === 'finished') {
          call.answered(chunk.reply);
        } else if (chunk.type !== 'restarted') {
          call.received(chunk.text);
        }
        yield chunk;
      }
    } catch (error) {
      call.failed(error);
      throw error;
    } finally {
      call.failed();
    }
  });
}

/** Wraps an embedding model to record every call, as {@link withUsage} does. */
export function withEmbeddingUsage({ id, embed }: Embedder, options: UsageOptions): Embedder {
  return {
    id,
    embed: async (texts, signal) => {
      if (texts.length === 0) return embed(texts, signal);
      const messages = texts.map((content) => ({ content }));
      const call = openCall(id, { stage: 'embedding', messages }, options);
      try {
        const embedded = await embed(texts, signal);
        call.answered({ ...embedded, reasoning: '', text: '' });
        return embedded;
      } catch (error) {
        call.failed(error);
        throw error;
      }
    },
  };
}

/** The part of a request that its record needs. */
type RecordedRequest = Pick<ChatRequest, 'stage' | 'sage' | 'standsInFor'> & {
  readonly messages: readonly Pick<ChatMessage, 'content' | 'pictures'>[];
};

/** Tracks one call and records it once, at the first of its possible ends. */
function openCall(model: string, request: RecordedRequest, { prices, record }: UsageOptions) {
  const startedAt = performance.now();
  let receivedText = '';
  let isRecorded = false;

  function end(
    outcome: CallUsage['outcome'],
    stated: TokenUsage | undefined,
    text: string,
    { isFree = false, remarks = [] }: { isFree?: boolean; remarks?: readonly string[] } = {},
  ): void {
    if (isRecorded) {
      return;
    }
    isRecorded = true;
    // Some servers state zeros whatever they did.
    const isStated = stated !== undefined && stated.inputTokens + stated.outputTokens > 0;
    const counted = isFree ? noTokens : { ...stated, ...estimate(request.messages, text) };
    const tokens = isStated ? stated : counted;
    // Free whether or not the price is known.
    const costUsd = tokens === noTokens ? 0 : costOf(prices, model, tokens);
    const { inputTokens, outputTokens, reasoningTokens } = tokens;
    const usage = {
      model,
      stage: request.stage,
      ...(request.sage !== undefined && { sage: request.sage }),
      inputTokens,
      outputTokens,
      reasoningTokens,
      ...(costUsd !== undefined && { costUsd }),
      estimated: !isStated,
      outcome,
      latencyMs: Math.round(performance.now() - startedAt),
      ...(remarks.length > 0 && { remarks }),
    };
    record(usage, request.standsInFor?.said ?? '');
  }

  return {
    received(text: string): void {
      receivedText += text;
    },
    answered(reply: Pick<ChatReply, 'usage' | 'reasoning' | 'text' | 'remarks'>): void {
      const { standsInFor } = request;
      const standIn = standsInFor
        ? [`stands in for ${standsInFor.model}: ${standsInFor.message}`]
        : [];
      const remarks = [...standIn, ...(reply.remarks ?? [])];
      end('answered', reply.usage, reply.reasoning + reply.text, { remarks });
    },
    /** Without an error, the consumer stopped reading; ignored if the call has already ended. */
    failed(error?: unknown): void {
      if (!(error instanceof ModelError)) end('aborted', undefined, receivedText);
      else end(error.failure, error.usage, receivedText, { isFree: error.isFree });
    },
  };
}

const noTokens: TokenUsage = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

function estimate(messages: RecordedRequest['messages'], text: string): TokenUsage {
  const outputTokens = estimateTokens([{ content: text }]);
  return { ...noTokens, inputTokens: estimateTokens(messages), outputTokens };
}

/** Limits how many calls run at the same time. */
export interface Permits {
  /**
   * Waits until another call may start.
   *
   * @returns The function that releases the permit when the call has ended.
   * @throws The signal's reason if it is aborted first.
   */
  acquire(signal: AbortSignal): Promise<() => void>;
}

/**
 * Wraps a model so that every call waits for a permit. Goes outside `withUsage`, so that the wait does not
 * count as the model's time, and inside `withRetry`, so that no call keeps a permit between attempts.
 */
export function withPermits(model: ChatModel, permits: Permits): ChatModel {
  return wrapped(model, async function* permitted(request, ask) {
    const endWait = request.onWait?.();
    const release = await permits.acquire(request.signal).finally(endWait);
    try {
      yield* ask(model, request);
    } finally {
      release();
    }
  });
}
