import { z } from 'zod';
import type { ModelOptions, ProviderOptions } from './called.ts';
import type { ChatModel } from './chat-model.ts';
import { createOpenAiEmbedder, type Embedder } from './embeddings.ts';
import { reach } from './network.ts';
import { createOpenAiModel } from './openai/openai.ts';
import { readText } from './response-body.ts';

/** Providers by name, e.g. `openai`. */
export type Providers = Readonly<Record<string, ProviderOptions>>;

/**
 * Opens a model by its full name.
 *
 * @param name - `provider:model`. Only the first colon divides: `ollama:llama3.2:3b`.
 * @param more - Goes before what the provider says.
 * @throws Error when the name can't be right; the message says how to write it.
 */
export function openModel(
  name: string,
  providers: Providers,
  more: Pick<ProviderOptions, 'requestTimeoutMs'> = {},
): ChatModel {
  return createOpenAiModel({ ...calledBy(name, providers, 'openai:gpt-5'), ...more });
}

/** Opens an embedding model by its full name. Throws as {@link openModel} does. */
export function openEmbedder(name: string, providers: Providers): Embedder {
  return createOpenAiEmbedder(calledBy(name, providers, 'openai:text-embedding-3-small'));
}

function calledBy(name: string, providers: Providers, example: string): ModelOptions {
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

const modelListSchema = z.object({ data: z.array(z.object({ id: z.string() })).nullable() });

/** A local server answers at once or is not there; people wait for this when they start. */
const localServerTimeoutMs = 500;
const maxListBytes = 1024 * 1024;

/** What a model that can't chat is called: the list says no more of it than its name. */
const isForOtherWork =
  /embed|rerank|whisper|\btts\b|moderation|transcribe|realtime|dall-e|sora|imagen|\b(?:audio|image|ocr|veo|guard)\b|(?:^|[/_-])(?:bge|gte|e5|all-minilm|clip|stable-diffusion|flux)(?:[-_.:\d]|$)/i;

/**
 * Looks for a model server, e.g. Ollama, and lists its models that can chat.
 *
 * @param baseUrl - e.g. `http://127.0.0.1:11434/v1`.
 * @returns The names of its models, possibly none; `undefined` where no server with OpenAI's API answers
 *   within 500 ms. Throws only the signal's reason.
 */
export async function findLocalServer(
  baseUrl: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  return listChatModels({ baseUrl }, localServerTimeoutMs, signal);
}

/**
 * Lists the models of a server that can chat, as {@link findLocalServer} does.
 *
 * @param withinMs - How long the server may take.
 */
export async function listChatModels(
  { baseUrl, apiKey }: Pick<ProviderOptions, 'baseUrl' | 'apiKey'>,
  withinMs: number,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const { stream } = await reach(`${baseUrl.replace(/\/+$/, '')}/models`, {
      method: 'GET',
      ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
    });
    const bounds = { maxSilenceMs: withinMs, maxBytes: maxListBytes };
    const list = modelListSchema.safeParse(JSON.parse(await readText(stream, bounds)));
    if (!list.success) return undefined;
    // Gemini lists its models as `models/…`, and takes them without it.
    const names = (list.data.data ?? []).map(({ id }) => id.replace(/^models\//, ''));
    return names.filter((name) => !isForOtherWork.test(name));
  } catch {
    // Whatever went wrong, there is no usable server.
    signal.throwIfAborted();
    return undefined;
  }
}
