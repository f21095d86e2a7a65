/** Opens models by name, and lists the models of a server. */

import { z } from 'zod';
import type { ChatModel } from './chat-model.ts';
import { createOpenAiEmbedder, type Embedder } from './embeddings.ts';
import type { ModelOptions, ProviderOptions } from './model-options.ts';
import { sendRequest } from './network.ts';
import { createOpenAiModel } from './openai/openai.ts';
import { keyWords, saidIn, statedIn } from './openai/stated-failure.ts';
import { readText } from './response-body.ts';

/** Providers by name, e.g. `openai`. */
export type Providers = Readonly<Record<string, ProviderOptions>>;

/**
 * Opens a model by its full name.
 *
 * @param name - `provider:model`, split at the first colon: `ollama:llama3.2:3b`.
 * @param more - Overrides the provider's options.
 * @throws Error if the name is invalid; the message says how to write it.
 */
export function openModel(
  name: string,
  providers: Providers,
  more: Pick<ProviderOptions, 'requestTimeoutMs' | 'maxOutputTokens'> = {},
): ChatModel {
  return createOpenAiModel({ ...optionsOf(name, providers, 'openai:gpt-5'), ...more });
}

/** Opens an embedding model by its full name. Throws as {@link openModel} does. */
export function openEmbedder(name: string, providers: Providers): Embedder {
  return createOpenAiEmbedder(optionsOf(name, providers, 'openai:text-embedding-3-small'));
}

function optionsOf(name: string, providers: Providers, example: string): ModelOptions {
  const colon = name.indexOf(':');
  const provider = name.slice(0, Math.max(colon, 0));
  const model = name.slice(colon + 1);
  if (provider === '' || model.trim() === '') {
    throw new Error(`"${name}" is not provider:model. Write e.g. ${example}.`);
  }
  const options = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (options === undefined) {
    const known = Object.keys(providers).join(', ');
    throw new Error(`Provider "${provider}", as in "${name}", is not set up. Known: ${known}.`);
  }
  return { ...options, provider, model };
}

const modelsSchema = z.array(z.object({ id: z.string() })).nullable();
/** Together sends the bare list. */
const modelListSchema = modelsSchema.or(
  z.object({ data: modelsSchema }).transform(({ data }) => data),
);

/** A local server answers at once if it runs; people wait for this at the start. */
const localServerTimeoutMs = 500;
/** OpenRouter describes each of its hundreds of models at length. */
const maxListBytes = 8 * 1024 * 1024;

/** Names of models that can't chat; the list gives nothing but names. */
const nonChatName =
  /embed|rerank|whisper|\btts\b|moderation|transcribe|realtime|dall-e|sora|imagen|\b(?:audio|image|ocr|veo|guard)\b|(?:^|[/_-])(?:bge|gte|e5|all-minilm|clip|stable-diffusion|flux)(?:[-_.:\d]|$)/i;

/**
 * Lists the chat models of a server, e.g. Ollama.
 *
 * @param withinMs - The time limit of the server.
 * @param explain - Receives the reason if the server lists none: a clause in its own words, perhaps with the key;
 *   and whether it is that key.
 * @returns The models' names, possibly none; `undefined` if no server with OpenAI's API answers in time. Throws
 *   only the signal's reason.
 */
export async function listChatModels(
  { baseUrl, apiKey }: Pick<ProviderOptions, 'baseUrl' | 'apiKey'>,
  signal: AbortSignal,
  withinMs: number = localServerTimeoutMs,
  explain: (why: string, isKeyRefused: boolean) => void = () => {},
): Promise<readonly string[] | undefined> {
  let why = 'what it answers is not a list of models';
  try {
    const { status, stream } = await sendRequest(`${baseUrl.replace(/\/+$/, '')}/models`, {
      method: 'GET',
      ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
    });
    const text = await readText(stream, maxListBytes);
    if (status >= 400) {
      const said = saidIn(statedIn(text));
      const isKeyRefused = apiKey !== undefined && (status === 401 || keyWords.test(said));
      explain(`it answered ${status}${said && `, “${said}”`}`, isKeyRefused);
      return undefined;
    }
    const list = modelListSchema.safeParse(JSON.parse(text));
    if (list.success) {
      // Gemini lists its models as `models/…`, and accepts them without the prefix.
      const names = (list.data ?? []).map(({ id }) => id.replace(/^models\//, ''));
      return names.filter((name) => !nonChatName.test(name));
    }
  } catch (error) {
    // After any error, there is no usable server.
    signal.throwIfAborted();
    if (error instanceof Error && !(error instanceof SyntaxError)) why = error.message;
  }
  explain(why, false);
  return undefined;
}
