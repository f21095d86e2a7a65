/**
 * A chat model behind OpenAI's API: OpenAI itself, OpenRouter, Ollama, vLLM and whatever else speaks it.
 *
 * Every call is one attempt. Trying again and counting wrap it: `withRetry(withUsage(createOpenAiModel(…)))`.
 */

import OpenAI from 'openai';
import type { ChatChunk, ChatModel, ChatReply, ChatRequest } from './chat-model.ts';
import { silent, toModelError } from './openai-failure.ts';
import { createReplyReader } from './reply-reader.ts';
import { withSchemaInstruction } from './schema-instruction.ts';
import { readEvents, SilenceError } from './server-sent-events.ts';

/** How a provider is reached, and what it can do. */
export interface ProviderOptions {
  /** e.g. `https://api.openai.com/v1`. No user name or password in it. */
  readonly baseUrl: string;
  /** Absent for servers that want none. */
  readonly apiKey?: string;
  /** Name of the environment variable that the key comes from; told to people when the key is rejected. */
  readonly apiKeyEnv?: string;
  /**
   * How the server is brought to reply in JSON: by the schema itself, by JSON of any shape with the
   * schema in the prompt, or by the prompt alone.
   */
  readonly structuredOutput: 'json_schema' | 'json_object' | 'prompt';
  /** Ask for token figures at the end of a stream. Off for servers that refuse the option. */
  readonly streamUsage: boolean;
  /** How much a reasoning model should think; absent: the server's own default. */
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  /** How the network is reached; absent: Node's own `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * How long the server may be silent, in milliseconds, at least 1: from the request to the reply, or
   * in a stream between two chunks. Absent: 10 minutes. The deadline of a stage is the caller's signal.
   */
  readonly requestTimeoutMs?: number;
}

const defaultRequestTimeoutMs = 600_000;

/**
 * @param options - The provider, and the model's name there, e.g. `gpt-5`.
 * @returns A model that throws {@link ModelError}s with advice for people, or the signal's reason.
 * @throws Error when the base URL or the key can't be right; the message says what to mend.
 */
export function createOpenAiModel(
  options: ProviderOptions & { readonly provider: string; readonly model: string },
): ChatModel {
  refuseUnusable(options);
  const { requestTimeoutMs = defaultRequestTimeoutMs } = options;
  const client = createClient(options, requestTimeoutMs);

  async function complete(request: ChatRequest): Promise<ChatReply> {
    request.signal.throwIfAborted();
    const reader = createReplyReader(options);
    let body: unknown;
    try {
      body = await client.chat.completions.create(bodyOf(request, options), {
        signal: request.signal,
      });
    } catch (error) {
      request.signal.throwIfAborted();
      throw toModelError(error, options);
    }
    reader.take(body);
    reader.end();
    return reader.finish('whole');
  }

  async function* stream(request: ChatRequest): AsyncGenerator<ChatChunk> {
    request.signal.throwIfAborted();
    const reader = createReplyReader(options);
    try {
      const response = await client.chat.completions
        .create(
          {
            ...bodyOf(request, options),
            stream: true,
            ...(options.streamUsage && { stream_options: { include_usage: true } }),
          },
          { signal: request.signal },
        )
        .asResponse();
      for await (const events of readEvents(response, requestTimeoutMs)) {
        yield* merged(events.flatMap((event) => reader.take(JSON.parse(event))));
      }
    } catch (error) {
      request.signal.throwIfAborted();
      // What breaks after the finish reason takes nothing from the answer.
      if (!reader.isFinished) {
        throw error instanceof SilenceError
          ? silent(options, reader.text)
          : toModelError(error, options, reader.text);
      }
    }
    yield* reader.end();
    yield { type: 'finished', reply: reader.finish('streamed') };
  }

  return { id: `${options.provider}:${options.model}`, complete, stream };
}

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

/** A client of one provider. It tries nothing twice, prints nothing and reads no environment. */
export function createClient(options: ProviderOptions, timeout: number): OpenAI {
  return new OpenAI({
    baseURL: options.baseUrl,
    // The SDK wants a key even where the server does not; without one, no header is sent.
    apiKey: options.apiKey ?? 'none',
    ...(options.apiKey === undefined && { defaultHeaders: { Authorization: null } }),
    maxRetries: 0,
    timeout,
    // It would print to the console; what it has to say is in the errors.
    logLevel: 'off',
    // Else it would read these from the environment, for every provider.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    ...(options.fetch && { fetch: options.fetch }),
  });
}

/** Throws what {@link createOpenAiModel} throws. */
export function refuseUnusable({
  provider,
  baseUrl,
  apiKey,
  apiKeyEnv = `the key of ${provider}`,
}: ProviderOptions & { readonly provider: string }): void {
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

function bodyOf(
  { messages, replySchema, maxOutputTokens }: ChatRequest,
  options: ProviderOptions & { readonly provider: string; readonly model: string },
) {
  const isForced = options.structuredOutput === 'json_schema';
  const asked =
    replySchema === undefined || isForced ? messages : withSchemaInstruction(messages, replySchema);
  // No temperature: reasoning models refuse it, and a council wants its members as they are.
  return {
    model: options.model,
    // A text that was cut, by whomever, may end in half a sign, for which servers refuse the whole request.
    messages: asked.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
    ...(replySchema !== undefined && formatOf(replySchema, options.structuredOutput)),
    ...(maxOutputTokens !== undefined && limitOf(maxOutputTokens, options.provider)),
    ...(options.reasoningEffort && { reasoning_effort: options.reasoningEffort }),
    // The one vendor that states the price of a call, when asked to.
    ...(options.provider === 'openrouter' && { usage: { include: true } }),
  };
}

function formatOf(
  { name, json }: NonNullable<ChatRequest['replySchema']>,
  structuredOutput: ProviderOptions['structuredOutput'],
) {
  switch (structuredOutput) {
    case 'json_schema':
      return {
        response_format: {
          type: 'json_schema',
          json_schema: { name, schema: { ...json }, strict: true },
        },
      } as const;
    case 'json_object':
      return { response_format: { type: 'json_object' } } as const;
    case 'prompt':
      return {};
  }
}

// OpenAI's reasoning models refuse the old name; the other servers know no other.
function limitOf(tokens: number, provider: string) {
  return provider === 'openai' ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}
