/** Asks a model for a reply that fits a schema, with up to two corrections. */

import { z } from 'zod';
import type { ChatChunk, ChatMessage, ChatModel, ChatReply, ChatRequest } from './chat-model.ts';
import { findJson } from './json-in-text.ts';
import { createJsonPreview, type PreviewListener } from './json-preview.ts';
import { replyOf } from './wrapped.ts';

export interface ReplyShape<T> {
  /** Letters, digits, `_` and `-`; at most 64 characters. */
  readonly name: string;
  /** An object schema without records. */
  readonly schema: z.ZodType<T>;
}

/** A list. Models also write `null` or '' for an empty one, and an only item without the list. */
export function listOf<Item>(item: z.ZodType<Item>) {
  const listed = (value: unknown) =>
    value === null || value === '' ? [] : value === undefined ? value : [value].flat();
  return z.preprocess(listed, z.array(item));
}

/** One of these words. Models also capitalise it, or add to it, as in `High (80 %)`. */
export function wordOf<const Word extends string>(words: readonly Word[]) {
  const plain = (value: unknown) =>
    // A list of choices, e.g. `low|high`, is the prompt's own.
    typeof value === 'string' ? /^\W*(\p{L}+)(?![\p{L}|])/u.exec(value)?.[1]?.toLowerCase() : value;
  return z.preprocess(plain, z.enum(words));
}

/** Callbacks for the reply while it arrives. */
export interface ShapeListener extends PreviewListener {
  /** The call or the reply starts over: discard everything so far. */
  onRestart?(): void;
}

/** A valid reply, or the plain text of a model that never sent one. */
export type Shaped<T> =
  | {
      readonly status: 'shaped';
      readonly value: T;
      readonly reply: ChatReply;
      /** Model calls, 1 to 3. */
      readonly tries: number;
    }
  | {
      readonly status: 'unshaped';
      /** The first reply in prose if there was one, else the last reply; of a JSON object its texts, which people can read. */
      readonly text: string;
      /** The fault of the last reply. */
      readonly problem: string;
      readonly reply: ChatReply;
      readonly tries: number;
    };

const maxTries = 3;

/**
 * Asks for a reply that fits a schema. An invalid reply is appended to the conversation together with its
 * fault, and the model is asked again, up to twice.
 *
 * @param listen - Receives the reply as a stream. Absent: the reply is awaited as a whole.
 * @returns An invalid reply never throws. Throws the model's errors, and what the listener throws.
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
    const read = readReply(reply, shape.schema);
    if (read.status === 'shaped') {
      return { ...read, reply, tries };
    }
    if (read.status === 'prose') {
      prose ??= reply;
    }
    const { problem } = read;
    if (tries === maxTries) {
      const best = prose ?? reply;
      return { status: 'unshaped', text: readable(best.text), problem, reply: best, tries };
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
  async function* previewed(): AsyncGenerator<ChatChunk> {
    for await (const chunk of model.stream(request)) {
      if (chunk.type === 'text') {
        preview.take(chunk.text);
      } else if (chunk.type === 'restarted') {
        preview.close();
        listen.onRestart?.();
        preview = createJsonPreview(listen);
      }
      yield chunk;
    }
  }
  return replyOf(previewed()).finally(() => preview.close());
}

type ReadReply<T> =
  | { readonly status: 'shaped'; readonly value: T }
  | { readonly status: 'misshaped' | 'prose'; readonly problem: string };

function readReply<T>(reply: ChatReply, schema: z.ZodType<T>): ReadReply<T> {
  let misfit: string | undefined;
  let malformed: string | undefined;
  for (const found of findJson(decoded(reply.text))) {
    if (found.status === 'malformed') {
      malformed ??= `It is not valid JSON:\n${found.problem}`;
      continue;
    }
    // Small models also write the object as a call of a tool, encode it once more, or fill in a copy of the schema.
    const parts = Object.values(found.value ?? {}).slice(0, 8);
    const encoded = parts.flatMap((part) => (typeof part === 'string' ? objectsIn(part) : []));
    const inner = parts.filter((part) => typeof part === 'object');
    for (const value of [...encoded, found.value, ...inner]) {
      const fitted = validate(value, schema);
      if (fitted.success) return { status: 'shaped', value: fitted.data };
      if (value !== found.value) continue;
      misfit ??= `The JSON does not fit the schema:\n${z.prettifyError(fitted.error)}`;
    }
  }
  const fault = misfit ?? malformed;
  const isCut = reply.finishReason === 'length';
  const problem = `${fault ?? 'There is no JSON object in it.'}${isCut ? cutOff : ''}`;
  return { status: fault ? 'misshaped' : 'prose', problem: problem.slice(0, maxProblemChars) };
}

/** What a reply says that is one JSON string; else the reply. */
function decoded(reply: string): string {
  if (!/^\s*"/.test(reply)) return reply;
  try {
    return z.string().parse(JSON.parse(reply));
  } catch {
    return reply;
  }
}

/** The object that a text is, alone or in a fence. */
function objectsIn(text: string): readonly unknown[] {
  const [found] = /^\s*(?:```\w*\s*)?\{/.test(text) ? findJson(text) : [];
  return found?.status === 'parsed' ? [found.value] : [];
}

/** The texts of a reply that is a JSON object; else the reply. */
function readable(reply: string): string {
  const text = decoded(reply).trim();
  const [value] = objectsIn(text);
  const texts = Object.values(value ?? {}).filter((one) => typeof one === 'string' && one !== '');
  return texts.join('\n\n') || text;
}

const cutOff = '\nIt was cut off at the length limit: be shorter.';
/** The model doesn't need every fault of a thoroughly wrong reply. */
const maxProblemChars = 2000;

function validate<T>(value: unknown, schema: z.ZodType<T>): z.ZodSafeParseResult<T> {
  const strict = schema.safeParse(value);
  // Reply schemas require every property, so models send `null` for what they would leave out.
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

const jsonSchemas = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/** Keywords that strict servers refuse; zod checks them in the reply. */
const refusedKeywords = ['default', 'minLength', 'maxLength', 'pattern', 'format'] as const;

/**
 * The JSON Schema of a zod schema in the form that the strictest servers accept: every object closed, every
 * property required (optional ones may be `null`), none of the keywords that they refuse. Cached per schema
 * object.
 *
 * @param schema - An object schema. Throws for a record in it, which servers can't enforce.
 */
export function replyJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const json = jsonSchemas.get(schema) ?? closedSchema(schema);
  jsonSchemas.set(schema, json);
  return json;
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
