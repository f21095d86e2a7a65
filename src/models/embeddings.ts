/** An embedding model: an identity and one verb. */

import { z } from 'zod';
import type { ModelOptions } from './called.ts';
import { ModelError, type TokenUsage } from './chat-model.ts';
import { createClient, refuseUnusable } from './openai/openai.ts';
import { toModelError } from './openai/openai-failure.ts';
import { readText } from './response-body.ts';

export interface Embedder {
  /** `provider:model`, e.g. `openai:text-embedding-3-small`. */
  readonly id: string;
  /**
   * Makes a vector of each text, in their order; all of one length.
   *
   * @param texts - At most 2,048, none empty.
   * @throws {@link ModelError}, or the signal's reason when aborted.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  /** As the server counted it; absent where it does not. */
  readonly usage?: TokenUsage;
}

/** A batch is small work: a server that is silent for longer has lost it. In milliseconds. */
const defaultRequestTimeoutMs = 60_000;

/** What a vector may weigh on the wire, in bytes: 4,096 numbers of 25 characters take some 100 kB. */
const maxVectorBytes = 128 * 1024;

const replySchema = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()).min(1) })),
  // Figures that can't be read are as good as none: they are estimated then.
  usage: z
    .object({
      prompt_tokens: z.number().nonnegative(),
      cost: z.number().nonnegative().nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** An embedding model behind OpenAI's API. Throws what `createOpenAiModel` throws. */
export function createOpenAiEmbedder(options: ModelOptions): Embedder {
  refuseUnusable(options);
  const maxSilenceMs = options.requestTimeoutMs ?? defaultRequestTimeoutMs;
  const post = createClient(options, '/embeddings', maxSilenceMs);
  const id = `${options.provider}:${options.model}`;

  async function ask(texts: readonly string[], signal: AbortSignal): Promise<unknown> {
    // Numbers in plain sight: not every server knows the shorter way to write them. Half a character, as a
    // cut may leave it, would have the whole request refused.
    const input = texts.map((text) => text.toWellFormed());
    const body = { model: options.model, input, encoding_format: 'float' };
    const maxBytes = (texts.length + 1) * maxVectorBytes;
    try {
      const { stream } = await post(body, signal);
      return JSON.parse(await readText(stream, { maxSilenceMs, maxBytes }));
    } catch (error) {
      signal.throwIfAborted();
      throw toModelError(error, options);
    }
  }

  return {
    id,
    embed: async (texts, signal) => {
      signal.throwIfAborted();
      if (texts.length === 0) return { vectors: [] };
      const reply = replySchema.safeParse(await ask(texts, signal));
      const vectors = reply.data?.data
        .toSorted((one, other) => one.index - other.index)
        .map(({ embedding }) => embedding);
      const lengths = new Set(vectors?.map(({ length }) => length));
      if (vectors?.length === texts.length && lengths.size === 1) {
        return { vectors, ...usageIn(reply.data?.usage) };
      }
      throw new ModelError(
        `${id} did not return one vector for each of ${texts.length} texts. Set models.embedding to an embedding model.`,
        { failure: 'bad_request', model: id, cause: reply.error },
      );
    },
  };
}

function usageIn(stated: z.infer<typeof replySchema>['usage']): Pick<Embedded, 'usage'> {
  if (!stated) return {};
  const { prompt_tokens: inputTokens, cost } = stated;
  const costUsd = typeof cost === 'number' ? { costUsd: cost } : {};
  return { usage: { inputTokens, outputTokens: 0, reasoningTokens: 0, ...costUsd } };
}
