/**
 * A chat model behind OpenAI's API: OpenAI itself, OpenRouter, Ollama, vLLM and whatever else speaks it.
 *
 * Every call is one attempt. Trying again and counting wrap it: `withRetry(withUsage(createOpenAiModel(…)))`.
 */

import { APIConnectionError, APIError } from 'openai/error';
import { councilHeader } from '../../domain/asking.ts';
import type { ModelOptions, ProviderOptions } from '../called.ts';
import type { ChatChunk, ChatModel, ChatReply, ChatRequest } from '../chat-model.ts';
import { type Reply, reach } from '../network.ts';
import { readStart, readText } from '../response-body.ts';
import { notTheApi, toModelError } from './openai-failure.ts';
import { createReplyReader } from './reply-reader.ts';
import {
  composeBody,
  hasPictures,
  isPassing,
  type Refusable,
  refusedParts,
  remarkOn,
} from './request-body.ts';
import { readEvents } from './server-sent-events.ts';

const defaultRequestTimeoutMs = 600_000;

/**
 * What a reply may weigh on the wire, in bytes: a stream needs some hundred for each token. What is said
 * in it is bounded by the reply reader.
 */
const maxReplyBytes = 16 * 1024 * 1024;

/** Of what a server says when it refuses, in bytes; the rest is not read. */
const maxRefusalBytes = 64 * 1024;

/**
 * What the server refuses is left out, and stays left out for the life of the model; its replies tell so.
 *
 * @param options - The provider, and the model's name there, e.g. `gpt-5`.
 * @returns A model that throws {@link ModelError}s with advice for people, or the signal's reason.
 * @throws Error when the base URL or the key can't be right; the message says what to fix.
 */
export function createOpenAiModel(options: ModelOptions): ChatModel {
  refuseUnusable(options);
  const { requestTimeoutMs = defaultRequestTimeoutMs } = options;
  const post = createClient(options, '/chat/completions', requestTimeoutMs);
  const bounds = { maxSilenceMs: requestTimeoutMs, maxBytes: maxReplyBytes };
  const refused = new Set<Refusable>(options.pictures ? [] : ['pictures']);

  /** Sends the call, without what this server turns out to refuse. Throws what the SDK throws. */
  async function send(request: ChatRequest, isStreamed: boolean): Promise<Sent> {
    const leftOut = new Set(refused);
    const passing = new Set<Refusable>();
    while (true) {
      const composed = composeBody(request, options, leftOut, isStreamed);
      try {
        const reply = await post(composed.body, request.signal);
        // Only now it is known that this was what the server minded.
        for (const part of leftOut) if (!passing.has(part)) refused.add(part);
        return { reply, remarks: remarksOn(request, leftOut) };
      } catch (error) {
        const isMinded = error instanceof APIError && mindedStatuses.has(error.status);
        const minded = isMinded ? refusedParts(error.error, composed) : [];
        const news = minded.filter((part) => !leftOut.has(part));
        if (news.length === 0) throw error;
        for (const part of news) {
          leftOut.add(part);
          if (error instanceof APIError && isPassing(part, error.error)) passing.add(part);
        }
      }
    }
  }

  async function complete(request: ChatRequest): Promise<ChatReply> {
    request.signal.throwIfAborted();
    const reader = createReplyReader(options);
    let remarks: Sent['remarks'] = [];
    try {
      const sent = await send(request, false);
      remarks = sent.remarks;
      reader.take(await readWhole(sent.reply));
    } catch (error) {
      request.signal.throwIfAborted();
      throw toModelError(error, options);
    }
    reader.end();
    return reader.finish('whole', remarks);
  }

  async function* stream(request: ChatRequest): AsyncGenerator<ChatChunk> {
    request.signal.throwIfAborted();
    const reader = createReplyReader(options);
    let how: 'whole' | 'streamed' = 'streamed';
    let remarks: Sent['remarks'] = [];
    try {
      const sent = await send(request, true);
      remarks = sent.remarks;
      const type = sent.reply.headers['content-type'] ?? '';
      if (type.includes('json') || type.includes('html')) {
        // It does not stream: the whole reply, or no reply at all.
        how = 'whole';
        yield* reader.take(await readWhole(sent.reply));
      } else {
        for await (const events of readEvents(sent.reply.stream, bounds)) {
          // Not `yield*`, which wraps each piece in a promise more.
          for (const piece of merged(events.flatMap((event) => reader.take(JSON.parse(event)))))
            yield piece;
        }
      }
    } catch (error) {
      request.signal.throwIfAborted();
      // What breaks after the finish reason takes nothing from the answer.
      if (!reader.isFinished) throw toModelError(error, options, reader.text);
    }
    yield* reader.end();
    yield { type: 'finished', reply: reader.finish(how, remarks) };
  }

  async function readWhole({ stream }: Reply): Promise<unknown> {
    const text = await readText(stream, bounds);
    if (!/^\s*[[{]/.test(text)) throw notTheApi(options, text);
    return JSON.parse(text);
  }

  return { id: `${options.provider}:${options.model}`, complete, stream };
}

/** What a server answered, and what people should know of what it was sent. */
interface Sent {
  readonly reply: Reply;
  readonly remarks: readonly string[];
}

/** Of pictures only where there were some. */
function remarksOn(request: ChatRequest, leftOut: ReadonlySet<Refusable>): readonly string[] {
  const parts = [...leftOut].filter((part) => part !== 'pictures' || hasPictures(request));
  return parts.map(remarkOn);
}

/** With these a server may mean a part of the request; some fail over a schema that they can't compile. */
const mindedStatuses: ReadonlySet<number | undefined> = new Set([400, 415, 422, 500, 501]);

/**
 * Text that arrived together as one piece: every piece costs each wrapper around the model, and the
 * preview of the answer, a step of its own.
 */
function merged(chunks: readonly ChatChunk[]): readonly ChatChunk[] {
  const pieces: ChatChunk[] = [];
  for (const chunk of chunks) {
    const last = pieces.at(-1);
    if (chunk.type === 'text' && last?.type === 'text') {
      pieces[pieces.length - 1] = { type: 'text', text: last.text + chunk.text };
    } else {
      pieces.push(chunk);
    }
  }
  return pieces;
}

/** Posts JSON. Throws an `APIError`: without status where no answer came. */
type Post = (body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<Reply>;

/**
 * A client of one provider. It tries nothing twice, prints nothing, reads no environment, and follows no
 * redirect: the key would go along.
 *
 * @param path - Below the base URL, e.g. `/embeddings`.
 * @param maxSilenceMs - How long an answer may take to begin, in milliseconds.
 */
export function createClient(options: ProviderOptions, path: string, maxSilenceMs: number): Post {
  async function writeHead() {
    // Loaded by the first call: it would be a seventh of the time that a start takes.
    const { OpenAI } = await import('openai');
    const client = new OpenAI({
      baseURL: options.baseUrl,
      // The SDK wants a key even where the server does not; without one, no header is sent.
      apiKey: options.apiKey ?? 'none',
      defaultHeaders: {
        [councilHeader]: '1',
        ...(options.apiKey === undefined && { Authorization: null }),
      },
      timeout: maxSilenceMs,
      // It would print to the console; what it has to say is in the errors.
      logLevel: 'off',
      // Else it would read these from the environment, for every provider.
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
    // All calls have the same address and headers: the SDK writes them once.
    head ??= writeHead();
    const { url, headers } = await head;
    const sent = { headers, body: JSON.stringify(body), signal, maxSilenceMs };
    const reply = await reach(url, { method: 'POST', ...sent }).catch((cause: unknown) => {
      throw new APIConnectionError(cause instanceof Error ? { cause } : {});
    });
    if (reply.status >= 200 && reply.status < 300) return reply;
    throw await refusalIn(reply, maxSilenceMs);
  };
}

/** What a server says when it refuses, cut to its limit. */
async function refusalIn(
  { status, headers, stream }: Reply,
  maxSilenceMs: number,
): Promise<APIError> {
  const said = await readStart(stream, { maxSilenceMs, maxBytes: maxRefusalBytes });
  const error = statedIn(said);
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    `${value}`,
  ]);
  return APIError.generate(status, { error }, undefined, new Headers(pairs));
}

function statedIn(said: string): unknown {
  try {
    const json: unknown = JSON.parse(said);
    return typeof json === 'object' && json !== null && 'error' in json ? json.error : json;
  } catch {
    // A page for browsers says nothing that is worth quoting.
    return said.trimStart().startsWith('<') ? '' : said;
  }
}

/** Throws what {@link createOpenAiModel} throws. */
export function refuseUnusable({
  provider,
  baseUrl,
  apiKey,
  apiKeyEnv = `the key of ${provider}`,
}: ModelOptions): void {
  const url = URL.parse(baseUrl);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new Error(
      `The base URL of ${provider} must be http(s)://host/path without user name and password, e.g. http://127.0.0.1:11434/v1.`,
    );
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new Error(
      `${apiKeyEnv} is empty or holds a character that no key has, e.g. a space or a line break. Copy the key again.`,
    );
  }
}
