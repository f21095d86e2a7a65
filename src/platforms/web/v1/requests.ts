/** What programs ask for, in the two shapes that they know, brought into one. */

import { z } from 'zod';
import { type Choice, wishedDepths } from '../../../domain/asking.ts';
import type { Offered } from '../question.ts';
import { parsed, V1Failure } from './failure.ts';

/** A request in either shape. */
export interface V1Request {
  /** As it was named; see {@link modelIds}. */
  readonly model: string;
  readonly isStreamed: boolean;
  /** A last chunk with the usage is asked for; without streaming it always comes. */
  readonly wantsUsage: boolean;
  /** Oldest first. */
  readonly messages: readonly SentMessage[];
  /** Id of the reply that this one goes on from; absent: none. */
  readonly previous?: string;
  /** As they were sent beside the messages, among which they are too. */
  readonly instructions?: string;
  /** Fields that were sent and change nothing. */
  readonly ignored: readonly string[];
}

export interface SentMessage extends Sent {
  /** `tool`: what a program's own tool gave to an earlier reply. */
  readonly by: 'instructions' | 'user' | 'assistant' | 'tool';
  /** The author's, where it was sent. */
  readonly name?: string;
}

interface Sent {
  readonly text: string;
  readonly files: readonly SentFile[];
}

/** A picture or a document. `address`: a `data:` address, or where it can be fetched. */
export interface SentFile {
  readonly name: string;
  readonly address: string;
}

const roles = {
  system: 'instructions',
  developer: 'instructions',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
} as const satisfies Record<string, SentMessage['by']>;
const role = z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

const words = (type: string) =>
  z.looseObject({ type: z.literal(type), text: z.string() }).transform(({ text }) => said(text));
const refusal = z
  .looseObject({ type: z.literal('refusal'), refusal: z.string() })
  .transform((part) => said(part.refusal));
const file = { filename: z.string().nullish(), file_data: z.string().nullish() };

const chatContent = contentOf(
  z.union([
    words('text'),
    refusal,
    z
      .looseObject({
        type: z.literal('image_url'),
        image_url: z.union([z.string(), z.looseObject({ url: z.string() })]),
      })
      .transform(({ image_url: image }) => shown(typeof image === 'string' ? image : image.url)),
    z
      .looseObject({ type: z.literal('file'), file: z.looseObject(file) })
      .transform(({ file: sent }) => shown(sent.file_data, sent.filename)),
  ]),
);

const chatBody = {
  model: z.string().nullish(),
  messages: z
    .array(
      z
        .looseObject({ role, content: chatContent.nullish(), name: z.string().nullish() })
        .transform(({ role: by, content, name }) => messageBy(by, content ?? nothing, name)),
    )
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().nullish(),
};

const inputContent = contentOf(
  z.union([
    words('input_text'),
    words('output_text'),
    words('text'),
    refusal,
    z
      .looseObject({ type: z.literal('input_image'), image_url: z.string().nullish() })
      .transform((part) => shown(part.image_url)),
    z
      .looseObject({ type: z.literal('input_file'), ...file, file_url: z.string().nullish() })
      .transform((part) => shown(part.file_data ?? part.file_url, part.filename)),
  ]),
);

const inputItem = z.union([
  z
    .looseObject({ type: z.literal('message').nullish(), role, content: inputContent })
    .transform(({ role: by, content }) => messageBy(by, content)),
  z
    .looseObject({ type: z.literal('function_call_output'), output: inputContent })
    .transform(({ output }) => messageBy('tool', output)),
  // Thoughts, calls of tools, references: nothing of them is read.
  z
    .looseObject({ type: z.string().regex(/^(?!message$|function_call_output$)/) })
    .transform(() => undefined),
]);

const responsesBody = {
  model: z.string().nullish(),
  input: z.union([
    z.string().transform((text) => [messageBy('user', { text, files: [] })]),
    z.array(inputItem),
  ]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
};

/** Sent by many programs, and of no consequence to anything: not worth a header. */
const known = ['user', 'metadata', 'store', 'stream_options'];

/** Reads the body of `/v1/chat/completions`. @throws {V1Failure} */
export function chatRequest(body: unknown): V1Request {
  const { model, messages, stream, stream_options, n } = parsed(z.looseObject(chatBody), body);
  if (typeof n === 'number' && n !== 1) {
    throw new V1Failure(400, 'unsupported_value', 'A council gives one reply: `n` must be 1.', 'n');
  }
  return {
    model: model ?? 'council',
    isStreamed: stream ?? false,
    wantsUsage: stream_options?.include_usage ?? false,
    messages,
    ignored: without(body, [...Object.keys(chatBody), ...known]),
  };
}

/** Reads the body of `/v1/responses`. @throws {V1Failure} */
export function responsesRequest(body: unknown): V1Request {
  const request = parsed(z.looseObject(responsesBody), body);
  const { model, input, instructions, previous_response_id: previous, stream } = request;
  if (request.background) {
    const why = 'A council does not answer in the background: leave `background` out, or stream.';
    throw new V1Failure(400, 'unsupported_value', why, 'background');
  }
  const told = instructions ? [messageBy('system', { text: instructions, files: [] })] : [];
  return {
    model: model ?? 'council',
    isStreamed: stream ?? false,
    wantsUsage: true,
    messages: [...told, ...input.flatMap((item) => item ?? [])],
    ...(previous && { previous }),
    ...(instructions && { instructions }),
    ignored: without(body, [...Object.keys(responsesBody), ...known]),
  };
}

const nothing: Sent = { text: '', files: [] };

function said(text: string): Sent {
  return { text, files: [] };
}

function shown(address: string | null | undefined, name?: string | null): Sent {
  return address ? { text: '', files: [{ address, name: name || 'picture' }] } : nothing;
}

function contentOf(part: z.ZodType<Sent>) {
  return z.union([
    z.string().transform(said),
    z.array(part).transform((parts) => ({
      text: parts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
      files: parts.flatMap(({ files }) => files),
    })),
  ]);
}

function messageBy(by: keyof typeof roles, sent: Sent, name?: string | null): SentMessage {
  return { by: roles[by], ...sent, ...(name && { name }) };
}

/** Names of the other fields of a body, as far as they can stand in a header. */
function without(body: unknown, read: readonly string[]): readonly string[] {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return names.filter((name) => !read.includes(name) && /^[a-z_]{1,40}$/.test(name)).slice(0, 40);
}

const council = 'council';

/** All names of a place, the council first. */
export function modelIds({ presets, sages }: Offered): readonly string[] {
  return [
    council,
    ...wishedDepths.map((depth) => `${council}-${depth}`),
    ...presets.map(({ value }) => `${council}/${value}`),
    ...sages.map(({ key }) => `sage/${key}`),
  ];
}

/** Whom a name asks for; nothing of it: the council as its place is set. Whether there is such a preset or sage is for its place to say. @throws {V1Failure} */
export function askedBy(model: string): Choice {
  if (model === council) return {};
  const depth = wishedDepths.find((one) => model === `${council}-${one}`);
  if (depth) return { depth };
  const [, kind, key] = /^(council|sage)\/(.{1,100})$/s.exec(model) ?? [];
  if (kind === undefined || key === undefined) throw unknownModel(model);
  return kind === council ? { preset: key } : { sages: [key] };
}

/** The name under which a question was asked, as far as its wishes tell. */
export function modelNamed({ depth, preset, sages = [] }: Choice): string {
  if (preset !== undefined) return `${council}/${preset}`;
  if (sages[0] !== undefined) return `sage/${sages[0]}`;
  return depth === undefined ? council : `${council}-${depth}`;
}

/** @throws {V1Failure} where a preset or a sage is not offered. */
export function assertOffered(model: string, asked: Choice, { presets, sages }: Offered): void {
  const isThere =
    (asked.preset === undefined || presets.some(({ value }) => value === asked.preset)) &&
    (asked.sages ?? []).every((sage) => sages.some(({ key }) => key === sage));
  if (!isThere) throw unknownModel(model);
}

export function unknownModel(model: string): V1Failure {
  const name = model.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
  const text = `There is no model “${name}” here. \`GET /v1/models\` lists those that there are.`;
  return new V1Failure(404, 'model_not_found', text, 'model');
}
