/** The embedding model interface, and embedding models behind OpenAI's API. */

import { APIError } from 'openai/error';
import { z } from 'zod';
import { ModelError, type TokenUsage } from './chat-model.ts';
import type { ModelOptions } from './model-options.ts';
import { createClient } from './openai/openai.ts';
import { toModelError } from './openai/openai-failure.ts';
import { statedFailure } from './openai/stated-failure.ts';
import { costIn, statedCost } from './prices.ts';
import { readText } from './response-body.ts';

export interface Embedder {
  /** `provider:model`, e.g. `openai:text-embedding-3-small`. */
  readonly id: string;
  /**
   * Returns one vector per text, in order, all of the same length.
   *
   * @param texts - At most 2,048, none empty.
   * @throws {@link ModelError}, or the signal's reason when aborted.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  /** Absent if the server doesn't count it. */
  readonly usage?: TokenUsage;
}

/** A batch is little work: a server that is silent for longer has lost it. */
const defaultRequestTimeoutMs = 60_000;

/** The size limit of one vector: 4,096 numbers of 25 characters take about 100 kB. */
const maxVectorBytes = 128 * 1024;

/** Some vendors report failures with status 200. */
const refusalSchema = z.object({ error: z.union([z.string().min(1), z.looseObject({})]) });

const replySchema = z.object({
  // Gemini leaves out an index of 0, others all of them; the order is then that of the texts.
  data: z.array(z.object({ index: z.number().catch(0), embedding: z.array(z.number()).min(1) })),
  // Unreadable figures count as missing, and are estimated.
  usage: z
    .object({
      prompt_tokens: z.int().nonnegative(),
      ...statedCost,
    })
    .nullish()
    .catch(undefined),
});

/** An embedding model behind OpenAI's API. Throws what `createOpenAiModel` throws. */
export function createOpenAiEmbedder(options: ModelOptions): Embedder {
  const maxSilenceMs = options.requestTimeoutMs ?? defaultRequestTimeoutMs;
  const post = createClient(options, '/embeddings', maxSilenceMs);
  const id = `${options.provider}:${options.model}`;

  // Plain numbers are the default, which vLLM behind LiteLLM must be told and Voyage must not.
  let format: { readonly encoding_format?: 'float' } = { encoding_format: 'float' };

  async function ask(texts: readonly string[], signal: AbortSignal): Promise<unknown> {
    // Servers refuse a request with half a surrogate pair, which truncation may leave.
    const input = texts.map((text) => text.toWellFormed());
    const maxBytes = (texts.length + 1) * maxVectorBytes;
    const send = (form = format) => post({ model: options.model, input, ...form }, signal);
    try {
      const { stream } = await send().catch(async (error: unknown) => {
        const isOfFormat = error instanceof APIError && /encoding_format/.test(error.message);
        if (!isOfFormat) throw error;
        const reply = await send({});
        // The success shows that the server really minded it: others repeat the request in any refusal.
        format = {};
        return reply;
      });
      return JSON.parse(await readText(stream, maxBytes));
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
      const sent = await ask(texts, signal);
      const refusal = refusalSchema.safeParse(sent);
      if (refusal.success) throw statedFailure(refusal.data.error, options, { partialText: '' });
      const reply = replySchema.safeParse(sent);
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
  const { prompt_tokens: inputTokens } = stated;
  return { usage: { inputTokens, outputTokens: 0, reasoningTokens: 0, ...costIn(stated) } };
}
