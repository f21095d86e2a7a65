/** Asks a model for an answer in a given shape, and insists. */

import { z } from 'zod';
import type { ChatMessage, ChatModel, ChatReply, ChatRequest } from './chat-model.ts';
import { findJson } from './json-in-text.ts';
import { createJsonPreview, type PreviewListener } from './json-preview.ts';

/** What the answer must be. */
export interface ReplyShape<T> {
  /** Letters, digits, `_` and `-`; at most 64 characters. */
  readonly name: string;
  /** An object schema without maps of free keys. */
  readonly schema: z.ZodType<T>;
}

/** Who is told of the answer while it comes. */
export interface ShapeListener extends PreviewListener {
  /** Everything so far is void: the call, or the answer, starts over. */
  onRestart?(): void;
}

/** An answer in its shape, or the plain text of a model that could not be brought to it. */
export type Shaped<T> =
  | {
      readonly status: 'shaped';
      readonly value: T;
      readonly reply: ChatReply;
      /** How often the model was asked, 1 to 3. */
      readonly tries: number;
    }
  | {
      readonly status: 'unshaped';
      /** The first reply in plain prose if there was one, else the last reply as it stands. */
      readonly text: string;
      /** What was wrong with the last reply. */
      readonly problem: string;
      readonly reply: ChatReply;
      readonly tries: number;
    };

const maxTries = 3;

/**
 * Asks for an answer in a shape. A reply that does not have it is repaired in the same conversation:
 * the reply and what is wrong with it are appended, and the model is asked again, up to twice.
 *
 * @param listen - Given, the answer is streamed to it; absent, it is awaited as a whole.
 * @returns Never throws for the shape. Throws the model's errors, and what the listener throws.
 */
export async function askInShape<T>(
  model: ChatModel,
  request: Omit<ChatRequest, 'replySchema'>,
  shape: ReplyShape<T>,
  listen?: ShapeListener,
): Promise<Shaped<T>> {
  const replySchema = { name: shape.name, json: replyJsonSchema(shape.schema) };
  let messages: readonly ChatMessage[] = request.messages;
  let prose: ChatReply | undefined;
  for (let tries = 1; ; tries += 1) {
    const asked = { ...request, messages, replySchema };
    const reply = listen ? await readStream(model, asked, listen) : await model.complete(asked);
    const judged = judge(reply, shape.schema);
    if (judged.status === 'shaped') {
      return { ...judged, reply, tries };
    }
    if (judged.status === 'prose') {
      prose ??= reply;
    }
    const { problem } = judged;
    if (tries === maxTries) {
      const best = prose ?? reply;
      return { status: 'unshaped', text: best.text.trim(), problem, reply: best, tries };
    }
    messages = [
      ...messages,
      { role: 'assistant', content: reply.text },
      { role: 'user', content: repairInstruction(problem) },
    ];
    listen?.onRestart?.();
  }
}

async function readStream(
  model: ChatModel,
  request: ChatRequest,
  listen: ShapeListener,
): Promise<ChatReply> {
  let preview = createJsonPreview(listen);
  let reply: ChatReply | undefined;
  try {
    for await (const chunk of model.stream(request)) {
      if (chunk.type === 'text') {
        await preview.take(chunk.text);
      } else if (chunk.type === 'restarted') {
        preview.close();
        listen.onRestart?.();
        preview = createJsonPreview(listen);
      } else if (chunk.type === 'finished') {
        reply = chunk.reply;
      }
    }
  } finally {
    preview.close();
  }
  if (reply === undefined) {
    throw new Error(
      `The stream of ${model.id} ended without its reply: a fault in the model's adapter.`,
    );
  }
  return reply;
}

type Judged<T> =
  | { readonly status: 'shaped'; readonly value: T }
  | { readonly status: 'misshaped' | 'prose'; readonly problem: string };

function judge<T>(reply: ChatReply, schema: z.ZodType<T>): Judged<T> {
  let misfit: string | undefined;
  let malformed: string | undefined;
  for (const found of findJson(reply.text)) {
    if (found.status === 'malformed') {
      malformed ??= found.problem;
      continue;
    }
    const fitted = validate(found.value, schema);
    if (fitted.success) {
      return { status: 'shaped', value: fitted.data };
    }
    misfit ??= z.prettifyError(fitted.error);
  }
  const cut =
    reply.finishReason === 'length' ? 'It was cut off at the length limit: be shorter.' : '';
  if (misfit !== undefined) {
    return {
      status: 'misshaped',
      problem: joined('The JSON does not fit the schema:', misfit, cut),
    };
  }
  return malformed === undefined
    ? { status: 'prose', problem: joined('There is no JSON object in it.', cut) }
    : { status: 'misshaped', problem: joined('It is not valid JSON:', malformed, cut) };
}

function validate<T>(value: unknown, schema: z.ZodType<T>): z.ZodSafeParseResult<T> {
  const strict = schema.safeParse(value);
  // Where every property is required, a model says `null` for what it would leave out.
  const lenient = strict.success ? strict : schema.safeParse(withoutNulls(value));
  return lenient.success ? lenient : strict;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutNulls);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]));
}

function repairInstruction(problem: string): string {
  return [
    "Your last reply can't be used.",
    problem,
    'Send the whole object again, corrected: JSON that fits the schema, and nothing else.',
  ].join('\n');
}

/** At most 2000 characters: a reply that is wrong throughout need not be told all of it. */
function joined(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, 2000);
}

const known = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/** Keywords that strict servers refuse; zod checks what they ask for when the reply is there. */
const refusedKeywords = ['default', 'minLength', 'maxLength', 'pattern', 'format'] as const;

/**
 * The JSON Schema of a zod schema, as the strictest servers want it: every object closed, every
 * property required (an optional one may be `null` instead), no keyword that they refuse. What
 * those keywords ask for, zod checks when the reply is there.
 *
 * Made once per schema object.
 *
 * @param schema - An object schema. A map with free keys in it is an error: servers can't be held to it.
 */
export function replyJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const made = known.get(schema) ?? closedSchema(schema);
  known.set(schema, made);
  return made;
}

function closedSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => close(jsonSchema),
  });
  return json;
}

function close(schema: z.core.JSONSchema.BaseSchema): void {
  for (const keyword of refusedKeywords) delete schema[keyword];
  if (schema.type !== 'object') return;
  const { properties, required = [] } = schema;
  if (!properties) {
    throw new Error(
      'The shape of a reply has a map with free keys. Use a list of objects with a key instead.',
    );
  }
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || typeof property !== 'object') continue;
    properties[name] = { anyOf: [property, { type: 'null' }] };
  }
  schema.required = Object.keys(properties);
  schema.additionalProperties = false;
}
