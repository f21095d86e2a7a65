import {
  type CallUsage,
  type ChatChunk,
  type ChatMessage,
  type ChatModel,
  type ChatReply,
  type ChatRequest,
  ModelError,
  type TokenUsage,
} from './chat-model.ts';
import type { Embedder } from './embeddings.ts';
import { costOf, type Prices } from './prices.ts';

export interface UsageOptions {
  readonly prices: Prices;
  /** Gets exactly one record for every call that was made, however it ended. Must not throw. */
  readonly record: (usage: CallUsage) => void;
}

/**
 * Counts every call of a model. Inside of `withRetry`, so that every attempt counts.
 *
 * Tokens are the server's; where it states none, they are estimated from the text. The cost is by the
 * operator's price, else the server's own figure, else by the table's price, else absent.
 */
export function withUsage(model: ChatModel, options: UsageOptions): ChatModel {
  async function complete(request: ChatRequest): Promise<ChatReply> {
    const call = openCall(model.id, request, options);
    try {
      const reply = await model.complete(request);
      call.answered(reply);
      return reply;
    } catch (error) {
      call.failed(error);
      throw error;
    }
  }

  async function* stream(request: ChatRequest): AsyncGenerator<ChatChunk> {
    const call = openCall(model.id, request, options);
    try {
      for await (const chunk of model.stream(request)) {
        if (chunk.type === 'finished') {
          call.answered(chunk.reply);
        } else if (chunk.type !== 'restarted') {
          call.heard(chunk.text);
        }
        yield chunk;
      }
    } catch (error) {
      call.failed(error);
      throw error;
    } finally {
      call.left();
    }
  }

  return { id: model.id, complete, stream };
}

/** Counts every call of an embedding model, as {@link withUsage} does. */
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

/** What counting a call needs to know of it. */
type Counted = Pick<ChatRequest, 'stage' | 'sage' | 'standsInFor'> & {
  readonly messages: readonly Pick<ChatMessage, 'content' | 'pictures'>[];
};

/** Watches one call and records it once, at the first of the ways in which it can end. */
function openCall(model: string, request: Counted, { prices, record }: UsageOptions) {
  const startedAt = performance.now();
  const { standsInFor } = request;
  const standIn = standsInFor === undefined ? [] : [`stands in for ${standsInFor}`];
  let heardText = '';
  let isRecorded = false;

  function end(
    outcome: CallUsage['outcome'],
    stated: TokenUsage | undefined,
    text: string,
    { isFree = false, told = [] }: { isFree?: boolean; told?: readonly string[] | undefined } = {},
  ): void {
    if (isRecorded) {
      return;
    }
    isRecorded = true;
    const tokens = stated ?? (isFree ? noTokens : estimate(request.messages, text));
    // What was not worked on costs nothing, whether a price is known or not.
    const costUsd = tokens === noTokens ? 0 : costOf(prices, model, tokens);
    const remarks = [...standIn, ...told];
    record({
      model,
      stage: request.stage,
      ...(request.sage !== undefined && { sage: request.sage }),
      inputTokens: tokens.inputTokens,
      outputTokens: tokens.outputTokens,
      reasoningTokens: tokens.reasoningTokens,
      ...(costUsd !== undefined && { costUsd }),
      estimated: stated === undefined,
      outcome,
      latencyMs: Math.round(performance.now() - startedAt),
      ...(remarks.length > 0 && { remarks }),
    });
  }

  return {
    heard(text: string): void {
      heardText += text;
    },
    answered(reply: Pick<ChatReply, 'usage' | 'reasoning' | 'text' | 'remarks'>): void {
      end('answered', reply.usage, reply.reasoning + reply.text, {
        told: reply.remarks,
      });
    },
    failed(error: unknown): void {
      if (!(error instanceof ModelError)) end('aborted', undefined, heardText);
      else end(error.failure, undefined, heardText, { isFree: error.isFree });
    },
    /** The consumer broke off; nothing to record where the call had ended by itself. */
    left(): void {
      end('aborted', undefined, heardText);
    },
  };
}

const noTokens: TokenUsage = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

function estimate(messages: Counted['messages'], text: string): TokenUsage {
  const inputTokens = messages.reduce(
    (sum, { content, pictures = [] }) =>
      sum + estimateTokens(content) + pictures.length * tokensPerPicture,
    0,
  );
  return { inputTokens, outputTokens: estimateTokens(text), reasoningTokens: 0 };
}

/** What the vendors count for one of a usual size, roughly. */
const tokensPerPicture = 1000;

/** One token for four bytes, the vendors' own rule of thumb; by bytes, because other scripts need more tokens. */
function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
