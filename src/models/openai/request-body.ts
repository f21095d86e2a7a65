/** Composes request bodies, without the parts that a server is known to refuse. */

import {
  alternating,
  blindRemark,
  type ChatMessage,
  type ChatRequest,
  type ReplySchema,
} from '../chat-model.ts';
import type { ModelOptions, ProviderOptions } from '../model-options.ts';

/** A part of a request that some servers refuse, by its name on the wire. */
export type Refusable =
  | 'json_schema' // as a `response_format`; `json_object` is asked for instead
  | 'json_object' // as a `response_format`; the prompt alone asks instead
  | 'stream' // OpenAI streams some models to verified organizations only
  | 'whole' // as the way of the reply; Alibaba only streams what thinks
  | 'stream_options'
  | 'max_completion_tokens' // `max_tokens` is sent instead
  | 'max_tokens' // `max_completion_tokens` is sent instead
  | 'pictures' // words say that there were some
  | 'system' // as a role; it begins the first message instead. Gemma and older Mistrals have none
  | 'reasoning_effort';

/** Groq's codes for a reply of the model, which it quotes, that lacks the requested format or calls a tool. */
const brokenReply = /"(json_validate_failed|tool_use_failed)"/;
const outputFormat =
  /response_format|json_schema|json_object|json mode|schema|structured|grammar|guided|json_validate_failed|tool_use_failed/i;

/** For each part, how servers name it in a refusal, and the remark about a model that refuses it. */
export const refusables: Readonly<
  Record<Refusable, { readonly named: RegExp; readonly remark: string }>
> = {
  json_schema: { named: outputFormat, remark: 'speaks JSON without schema' },
  json_object: { named: outputFormat, remark: 'is asked for JSON in words alone' },
  stream: {
    named:
      /"stream"(?!:)|to stream this model|streaming (?:is )?(?:not|unsupp)|not support streaming/i,
    remark: 'does not stream',
  },
  whole: {
    named: /only supports? stream|non-streaming calls/i,
    remark: 'only streams',
  },
  stream_options: {
    named: /stream_options|include_usage/i,
    remark: 'counts no tokens in streams',
  },
  max_completion_tokens: {
    named: /max_completion_tokens/i,
    remark: 'takes its output limit as max_tokens',
  },
  max_tokens: {
    named: /max_tokens/i,
    remark: 'takes its output limit as max_completion_tokens',
  },
  pictures: {
    named: /image|vision|multi-?modal|content\b.{0,40}\bstring/i,
    remark: blindRemark,
  },
  system: {
    named:
      /developer instruction|system (?:role|message|prompt)s? (?:is |are )?not|support 'system'|roles must alternate/i,
    remark: 'takes no system message',
  },
  reasoning_effort: {
    named: /reasoning[_. ]?effort|support thinking|think(?:ing)? (?:value|level)/i,
    remark: 'takes no reasoning effort',
  },
};

/** The name of the limit is right, but the server rejects its value. */
const isAboutTheValue = /too (?:large|high|big)|exceed|at most|greater than|less than/i;

export interface Composed {
  readonly body: Readonly<Record<string, unknown>>;
  /** The parts of the body that the server may refuse. */
  readonly refusable: readonly Refusable[];
}

/** @param refused - The parts that this server is known to refuse. */
export function composeBody(
  { messages, replySchema, ...request }: ChatRequest,
  options: ModelOptions,
  refused: ReadonlySet<Refusable>,
  isStreamed: boolean,
): Composed {
  const format = replySchema && formatFor(options.structuredOutput, refused);
  const { maxOutputTokens = options.maxOutputTokens } = request;
  const limit =
    maxOutputTokens === undefined
      ? undefined
      : limitFor(options.outputLimit ?? 'max_tokens', refused);
  const { reasoningEffort } = options;
  const hasEffort = reasoningEffort !== undefined && !refused.has('reasoning_effort');
  const isSeeing = !refused.has('pictures') && hasPictures({ messages });
  const streams = (isStreamed || refused.has('whole')) && !refused.has('stream');
  const hasUsage = streams && options.streamUsage && !refused.has('stream_options');
  const asked =
    replySchema === undefined || format === 'json_schema'
      ? messages
      : withSchemaInstruction(messages, replySchema);
  const hasSystem = !refused.has('system') && asked.some(({ role }) => role === 'system');
  const sent = hasSystem ? asked : withoutSystem(asked);
  // No temperature: reasoning models refuse it, and a council wants its members unaltered.
  const body = {
    model: options.model,
    messages: sent.map((message) => ({
      role: message.role,
      content: contentOf(message, isSeeing),
    })),
    ...(format === 'json_schema' && {
      response_format: {
        type: format,
        json_schema: { name: replySchema?.name, schema: replySchema?.json, strict: true },
      },
    }),
    ...(format === 'json_object' && { response_format: { type: format } }),
    ...(limit && { [limit]: maxOutputTokens }),
    ...(hasEffort && { reasoning_effort: reasoningEffort }),
    ...(options.statesCost && { usage: { include: true } }),
    ...(streams && { stream: true }),
    ...(hasUsage && { stream_options: { include_usage: true } }),
  };
  const parts: readonly (Refusable | undefined)[] = [
    format === 'prompt' ? undefined : format,
    limit,
    hasEffort ? 'reasoning_effort' : undefined,
    streams ? 'stream' : 'whole',
    hasUsage ? 'stream_options' : undefined,
    isSeeing ? 'pictures' : undefined,
    hasSystem ? 'system' : undefined,
  ];
  return { body, refusable: parts.filter((part) => part !== undefined) };
}

function withoutSystem(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return alternating(
    messages.map((message) => (message.role === 'system' ? { ...message, role: 'user' } : message)),
  );
}

/** Replaces pictures that are left out. */
const unseen =
  'The pictures named above can’t be shown to you. Where the question turns on one, say that you have not seen it; never guess what it shows.';

function contentOf({ content, pictures = [] }: ChatMessage, isSeeing: boolean) {
  // Truncated text may end in half a surrogate pair, for which servers refuse the whole request.
  const text = content.toWellFormed();
  if (pictures.length === 0) return text;
  if (!isSeeing) return `${text}\n\n${unseen}`;
  return [
    { type: 'text', text },
    ...pictures.map(({ mediaType, base64 }) => ({
      type: 'image_url',
      image_url: { url: `data:${mediaType};base64,${base64}` },
    })),
  ];
}

/** Whether a call has pictures. */
export function hasPictures({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return messages.some(({ pictures = [] }) => pictures.length > 0);
}

/**
 * @param said - The server's refusal, in any form.
 * @returns The parts that it names. `isOnce`: it may concern this call only, e.g. a picture that is too large.
 */
export function refusedParts(said: unknown, { refusable }: Composed) {
  const all = JSON.stringify(said ?? '').slice(0, 10_000);
  // The quoted reply may name any part.
  const words = brokenReply.exec(all)?.[1] ?? all;
  const isOfValue = isAboutTheValue.test(words);
  return refusable
    .filter((part) => refusables[part].named.test(words))
    .filter((part) => !(isOfValue && part.startsWith('max_')))
    .map((part) => ({
      part,
      isOnce: words !== all || (isOfValue && part === 'pictures'),
    }));
}

function formatFor(
  wanted: ProviderOptions['structuredOutput'],
  refused: ReadonlySet<Refusable>,
): ProviderOptions['structuredOutput'] {
  const format = wanted === 'json_schema' && refused.has(wanted) ? 'json_object' : wanted;
  return format === 'json_object' && refused.has(format) ? 'prompt' : format;
}

/** OpenAI's reasoning models refuse the old name; most other servers know no other. */
function limitFor(
  usual: 'max_completion_tokens' | 'max_tokens',
  refused: ReadonlySet<Refusable>,
): 'max_completion_tokens' | 'max_tokens' {
  const other = usual === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  // If the server refuses both, the call fails: it must not run without the limit.
  return refused.has(usual) && !refused.has(other) ? other : usual;
}

/**
 * Adds the schema to the prompt, for servers that don't enforce schemas. It joins the leading system message,
 * because some local models accept only one, and only at the start.
 */
function withSchemaInstruction(
  messages: readonly ChatMessage[],
  schema: ReplySchema,
): readonly ChatMessage[] {
  const instruction = [
    'Reply with one JSON object and nothing else: no introduction, no code fence, no remarks after it.',
    'It must be valid against this JSON Schema; reply with the object itself, not with the schema:',
    JSON.stringify(schema.json),
  ].join('\n');
  const [first, ...others] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${instruction}` }, ...others]
    : [{ role: 'system', content: instruction }, ...messages];
}
