/** The part of OpenAI's HTTP API that the rehearsal speaks: what it reads and the bodies it writes. */

import type { ServerResponse } from 'node:http';
import { z } from 'zod';

/** Models that can be asked: two, so that a council of two models can be configured. */
export const chatModels = ['sages', 'sages-2'] as const;
/** Makes vectors, and is the only one that does not talk. */
export const embeddingModel = 'sages-embedding';

const textSchema = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
    .transform((parts) => parts.map((part) => part.text ?? '').join('\n')),
  z.null().transform(() => ''),
]);

/** Body of `POST /v1/chat/completions`. Fields that a rehearsal has no use for are let through unread. */
export const chatBodySchema = z.object({
  model: z.string(),
  messages: z
    .array(
      z.object({
        role: z.enum(['system', 'developer', 'user', 'assistant']),
        content: textSchema.optional().default(''),
      }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  response_format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.object({
          name: z.string().regex(/^[\w-]{1,64}$/),
          schema: z.record(z.string(), z.unknown()).optional(),
        }),
      }),
    ])
    .nullish(),
});
export type ChatBody = z.infer<typeof chatBodySchema>;

/** Body of `POST /v1/embeddings`. Token arrays are refused: the rehearsal has no tokenizer. */
export const embeddingBodySchema = z.object({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2048)]),
  dimensions: z.number().int().min(1).max(4096).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
});

/** Token counts as the API states them. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** US dollars, in the field in which OpenRouter states them. A rehearsal is free. */
  readonly cost: 0;
}

/** A rehearsal counts so many characters as one token. */
export const charsPerToken = 4;

export function usageOf(promptChars: number, replyChars: number): WireUsage {
  const promptTokens = Math.ceil(promptChars / charsPerToken);
  const completionTokens = Math.ceil(replyChars / charsPerToken);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost: 0,
  };
}

/** The body of `GET /v1/models`. */
export function modelList() {
  const common = { object: 'model', created: 0, owned_by: 'rehearsal' };
  return { object: 'list', data: [...chatModels, embeddingModel].map((id) => ({ id, ...common })) };
}

/** Answers with a value as JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  const body = JSON.stringify(value);
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  response.end(body);
}

/** Refuses a request in the API's error shape. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  {
    code = null,
    retryAfterSeconds,
  }: { code?: string | null; retryAfterSeconds?: number | undefined } = {},
): void {
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  sendJson(response, { error: { message, type, param: null, code } }, status);
}
