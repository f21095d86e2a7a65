/**
 * Chat models behind OpenAI's API: OpenAI itself, OpenRouter, Ollama, vLLM and others.
 *
 * Every call is one attempt; wrap the model to retry and count: `withRetry(withUsage(createOpenAiModel(…)))`.
 */

import { APIConnectionError, APIError } from 'openai/error';
import { councilHeader } from '../../domain/asking.ts';
import { type ChatChunk, type ChatModel, type ChatRequest, estimateTokens } from '../chat-model.ts';
import { keyForm, type ModelOptions, quotable, shownUrl } from '../model-options.ts';
import { type Reply, sendRequest } from '../network.ts';
import { readBody, readStart } from '../response-body.ts';
import { replyOf } from '../wrapped.ts';
import { toModelError } from './openai-failure.ts';
import { createReplyReader } from './reply-reader.ts';
import {
  composeBody,
  hasPictures,
  type Refusable,
  refusables,
  refusedParts,
} from './request-body.ts';
import { failed, statedIn } from './stated-failure.ts';

const defaultRequestTimeoutMs = 600_000;

/**
 * The size limit of a reply on the wire: streams take a few hundred bytes per token. The reply reader limits
 * the text.
 */
const maxReplyBytes = 16 * 1024 * 1024;

/** How much of a refusal is read. */
const maxRefusalBytes = 64 * 1024;

/**
 * Creates a model that leaves out the parts of a request that its server refuses, for as long as the model
 * lives, and says so in the remarks of its replies.
 *
 * @param options - The provider, and the model's name there, e.g. `gpt-5`.
 * @returns A model that throws {@link ModelError}s with advice for people, or the signal's reason.
 * @throws Error if the key is invalid; the message says what to fix.
 */
export function createOpenAiModel(options: ModelOptions): ChatModel {
  const { requestTimeoutMs = defaultRequestTimeoutMs } = options;
  const post = createClient(options, '/chat/completions', requestTimeoutMs);
  const refused = new Set<Refusable>(options.pictures ? [] : ['pictures']);
  /** As in the last reply. Whether a thought is open shows only at its end, too late for that reply's own stream. */
  let opensInThought = false;

  /** Sends the call, repeatedly if the server refuses parts of it. Throws what the SDK throws. */
  async function send(request: ChatRequest, isStreamed: boolean) {
    const leftOut = new Set(refused);
    const refusedOnce = new Set<Refusable>();
    while (true) {
      const composed = composeBody(request, options, leftOut, isStreamed);
      try {
        const reply = await post(composed.body, request.signal);
        // The success shows that the server really minded these parts.
        for (const part of leftOut) if (!refusedOnce.has(part)) refused.add(part);
        return { reply, remarks: remarksOn(request, leftOut) };
      } catch (error) {
        if (!(error instanceof APIError) || !refusalStatuses.has(error.status)) throw error;
        const parts = refusedParts(error.error, composed).filter(({ part }) => !leftOut.has(part));
        if (parts.length === 0) throw error;
        for (const { part, isOnce } of parts) {
          leftOut.add(part);
          if (isOnce) refusedOnce.add(part);
        }
      }
    }
  }

  async function* call(request: ChatRequest, isStreamed: boolean): AsyncGenerator<ChatChunk> {
    request.signal.throwIfAborted();
    const reader = createReplyReader(options, opensInThought);
    // Some servers stream only on request, some always, some never.
    let how: 'whole' | 'streamed' = 'streamed';
    let remarks: readonly string[] = [];
    try {
      const sent = await send(request, isStreamed);
      remarks = sent.remarks;
      for await (const part of readBody(sent.reply.stream, maxReplyBytes)) {
        if (typeof part === 'string') {
          how = 'whole';
          reader.take(parseWhole(part, sent.reply));
        } else {
          for (const event of part) reader.take(JSON.parse(event));
          // Not `yield*`, which costs one more promise per piece.
          for (const piece of reader.takeFresh()) yield piece;
        }
      }
    } catch (error) {
      request.signal.throwIfAborted();
      // After the finish reason of a stream, an error doesn't affect the answer.
      const isAfter = how === 'streamed' && reader.isFinished;
      if (!isAfter) throw toModelError(error, options, reader.text);
    }
    reader.end();
    yield* reader.takeFresh();
    const reply = reader.finish(how, remarks);
    opensInThought = reader.hasOpenThought;
    const cut = cutPrompt(request, reply.usage?.inputTokens ?? 0);
    const noted = cut === undefined ? {} : { remarks: [...(reply.remarks ?? []), cut] };
    yield { type: 'finished', reply: { ...reply, ...noted } };
  }

  /** Reads a reply that isn't a stream of events: usually JSON, but a page if the address is wrong. */
  function parseWhole(text: string, { headers }: Reply): unknown {
    // Gemini sends an error as a list of one.
    if (/^\s*[[{]/.test(text)) return [JSON.parse(text)].flat()[0];
    const isEmptyStream = headers['content-type']?.includes('event-stream') && !/^\s*</.test(text);
    throw failed(isEmptyStream ? 'broken_stream' : 'wrong_address', options, {
      said: `${statedIn(text)}`,
    });
  }

  return {
    id: `${options.provider}:${options.model}`,
    complete: (request) => replyOf(call(request, false)),
    stream: (request) => call(request, true),
  };
}

/** Mentions pictures only if the call had any. */
function remarksOn(request: ChatRequest, leftOut: ReadonlySet<Refusable>): readonly string[] {
  const parts = [...leftOut].filter((part) => part !== 'pictures' || hasPictures(request));
  return parts.map((part) => refusables[part].remark);
}

/** More than any tokenizer puts into a token on average. */
const mostCharsPerToken = 6;
/** No context window is shorter; some servers don't count what was cached. */
const shortestWindow = 1000;

/**
 * A remark if the server dropped the beginning of the prompt, as Ollama does without an error: down to its window, or to
 * half of that and 2 tokens. Then fewer characters are enough evidence.
 */
function cutPrompt({ messages }: ChatRequest, tokens: number): string | undefined {
  const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
  const texts = messages.map(({ content }) => ({ content }));
  const isLong = [0, 2].includes(tokens % 1024)
    ? estimateTokens(texts) > 1.25 * tokens
    : chars > mostCharsPerToken * tokens;
  if (tokens < shortestWindow || !isLong) return undefined;
  return `got only ${tokens} tokens of a longer prompt: raise the context length of its server`;
}

/**
 * The statuses of servers that refuse part of a request: OpenRouter finds no endpoint for it, some fail on a schema
 * that they can't compile.
 */
const refusalStatuses: ReadonlySet<number | undefined> = new Set([400, 404, 415, 422, 500, 501]);

/** Posts JSON. Throws an `APIError`, without a status if there was no response; a `ModelError` if the reply is compressed. */
type Post = (body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<Reply>;

/**
 * Creates a client of one provider. It never retries, prints or reads the environment, and follows no
 * redirects, which would send the key along.
 *
 * @param path - Below the base URL, e.g. `/embeddings`.
 * @param maxSilenceMs - How long the server may send nothing.
 */
export function createClient(options: ModelOptions, path: string, maxSilenceMs: number): Post {
  const { provider, apiKey, apiKeyEnv = `the key of ${provider}` } = options;
  if (apiKey !== undefined && !keyForm.test(apiKey)) {
    throw new Error(
      `${apiKeyEnv} is empty or holds a character that no key has, e.g. a space or a line break. Copy the key again.`,
    );
  }
  async function writeHead() {
    // Loaded on the first call: it would take a seventh of the start time.
    const { OpenAI } = await import('openai');
    const client = new OpenAI({
      baseURL: options.baseUrl,
      // The SDK requires a key even if the server doesn't; its header is removed below.
      apiKey: apiKey ?? 'none',
      defaultHeaders: {
        [councilHeader]: '1',
        ...(apiKey === undefined && { Authorization: null }),
      },
      timeout: maxSilenceMs,
      // The errors carry everything that the SDK would print to the console.
      logLevel: 'off',
      // Otherwise the SDK reads these from the environment, for every provider.
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
    });
    const { url, req } = await client.buildRequest({ method: 'post', path, body: {} });
    return { url, headers: Object.fromEntries(req.headers) };
  }
  let head: ReturnType<typeof writeHead> | undefined;
  return async (body, signal) => {
    // The address and headers are the same for all calls, so the SDK builds them once.
    head ??= writeHead();
    const { url, headers } = await head;
    const sent = { headers, body: JSON.stringify(body), signal, maxSilenceMs };
    const reply = await sendRequest(url, { method: 'POST', ...sent }).catch((cause: unknown) => {
      throw new APIConnectionError(cause instanceof Error ? { cause } : {});
    });
    if (reply.status < 200 || reply.status >= 300) throw await refusalIn(reply);
    const { 'content-encoding': encoding = 'identity' } = reply.headers;
    if (encoding === 'identity') return reply;
    reply.stream.destroy();
    const text = `${shownUrl(options.baseUrl)} compresses its replies (${quotable(encoding, options)}), which can't be read. Switch that off there, or in the proxy before it.`;
    throw failed('wrong_address', options, { text });
  };
}

/** Reads a refusal up to its limit. */
async function refusalIn({ status, headers, stream }: Reply): Promise<APIError> {
  const said = await readStart(stream, maxRefusalBytes);
  const error = statedIn(said);
  const pairs = Object.entries(headers).map(([name, value]) => [name, `${value}`]);
  return APIError.generate(status, { error }, undefined, new Headers(Object.fromEntries(pairs)));
}
