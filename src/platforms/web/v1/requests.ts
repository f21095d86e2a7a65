/** Parses requests of both APIs into one form, and maps model names to choices. */

import { z } from 'zod';
import { type Choice, wishedDepths } from '../../../domain/asking.ts';
import type { Offered } from '../question-fields.ts';
import { parsed, V1Failure } from './failure.ts';

/** A request of either API. */
export interface V1Request {
  /** The requested model; see {@link modelIds}. */
  readonly model: string;
  readonly isStreamed: boolean;
  /** Whether a stream ends with a chunk for the usage. Replies that are not streamed always contain it. */
  readonly wantsUsage: boolean;
  /** Oldest first. */
  readonly messages: readonly SentMessage[];
  /** Id of the response that this one continues; absent: none. */
  readonly previous?: string;
  /** The separate `instructions` field, which is also one of the messages. */
  readonly instructions?: string;
  /** Fields of the request that have no effect. */
  readonly ignored: readonly string[];
}

export interface SentMessage extends SentContent {
  /** `tool`: the result of one of the program's own tools. */
  readonly by: 'instructions' | 'user' | 'assistant' | 'tool';
  /** Name of the author, if sent. */
  readonly name?: string;
}

/** The content of a message. */
interface SentContent {
  readonly text: string;
  readonly files: readonly SentFile[];
}

/** A picture or a document. `address`: a `data:` URL or a web address. */
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
  z
    .looseObject({ type: z.literal(type), text: z.string() })
    .transform(({ text }) => textContent(text));
const refusal = z
  .looseObject({ type: z.literal('refusal'), refusal: z.string() })
  .transform((part) => textContent(part.refusal));
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
      .transform(({ image_url: image }) =>
        fileContent(typeof image === 'string' ? image : image.url),
      ),
    z
      .looseObject({ type: z.literal('file'), file: z.looseObject(file) })
      .transform(({ file: sent }) => fileContent(sent.file_data, sent.filename)),
  ]),
);

const chatBody = {
  model: z.string().nullish(),
  messages: z
    .array(
      z
        .looseObject({ role, content: chatContent.nullish(), name: z.string().nullish() })
        .transform(({ role: by, content, name }) => messageBy(by, content ?? noContent, name)),
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
      .transform((part) => fileContent(part.image_url)),
    z
      .looseObject({ type: z.literal('input_file'), ...file, file_url: z.string().nullish() })
      .transform((part) => fileContent(part.file_data ?? part.file_url, part.filename)),
  ]),
);

const inputItem = z.union([
  z
    .looseObject({ type: z.literal('message').nullish(), role, content: inputContent })
    .transform(({ role: by, content }) => messageBy(by, content)),
  z
    .looseObject({ type: z.literal('function_call_output'), output: inputContent })
    .transform(({ output }) => messageBy('tool', output)),
  // Reasoning, tool calls and references are ignored.
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

/** Sent by many programs without need: not reported as ignored. */
const unreported = ['user', 'metadata', 'store', 'stream_options'];

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
    ignored: otherFields(body, [...Object.keys(chatBody), ...unreported]),
  };
}

/** Reads the body of `/v1/responses`. @throws {V1Failure} */
export function responsesRequest(body: unknown): V1Request {
  const request = parsed(z.looseObject(responsesBody), body);
  const { model, input, instructions, previous_response_id: previous, stream } = request;
  if (request.background) {
    const why = 'A council can’t answer in the background: omit `background`, or stream.';
    throw new V1Failure(400, 'unsupported_value', why, 'background');
  }
  const preamble = instructions ? [messageBy('system', { text: instructions, files: [] })] : [];
  return {
    model: model ?? 'council',
    isStreamed: stream ?? false,
    wantsUsage: true,
    messages: [...preamble, ...input.flatMap((item) => item ?? [])],
    ...(previous && { previous }),
    ...(instructions && { instructions }),
    ignored: otherFields(body, [...Object.keys(responsesBody), ...unreported]),
  };
}

const noContent: SentContent = { text: '', files: [] };

function textContent(text: string): SentContent {
  return { text, files: [] };
}

function fileContent(address: string | null | undefined, name?: string | null): SentContent {
  return address ? { text: '', files: [{ address, name: name || 'picture' }] } : noContent;
}

function contentOf(part: z.ZodType<SentContent>) {
  return z.union([
    z.string().transform(textContent),
    z.array(part).transform((parts) => ({
      text: parts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
      files: parts.flatMap(({ files }) => files),
    })),
  ]);
}

function messageBy(by: keyof typeof roles, sent: SentContent, name?: string | null): SentMessage {
  return { by: roles[by], ...sent, ...(name && { name }) };
}

/** Names of the body's other fields that are valid in a header. */
function otherFields(body: unknown, read: readonly string[]): readonly string[] {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return names.filter((name) => !read.includes(name) && /^[a-z_]{1,40}$/.test(name)).slice(0, 40);
}

const council = 'council';

/** The model names of a place, the council first. */
export function modelIds({ presets, sages }: Offered): readonly string[] {
  return [
    council,
    ...wishedDepths.map((depth) => `${council}-${depth}`),
    ...presets.map(({ value }) => `${council}/${value}`),
    ...sages.map(({ key }) => `sage/${key}`),
  ];
}

/** The choice that a model name stands for; `{}` is the default council. Doesn't check that the preset or sage exists. @throws {V1Failure} */
export function choiceOf(model: string): Choice {
  if (model === council) return {};
  const depth = wishedDepths.find((one) => model === `${council}-${one}`);
  if (depth) return { depth };
  const [, kind, key] = /^(council|sage)\/(.{1,100})$/s.exec(model) ?? [];
  if (kind === undefined || key === undefined) throw unknownModel(model);
  return kind === council ? { preset: key } : { sages: [key] };
}

/** The model name for a choice; the reverse of {@link choiceOf}. */
export function modelOf({ depth, preset, sages = [] }: Choice): string {
  if (preset !== undefined) return `${council}/${preset}`;
  if (sages[0] !== undefined) return `sage/${sages[0]}`;
  return depth === undefined ? council : `${council}-${depth}`;
}

/** @throws {V1Failure} if the preset or a sage does not exist. */
export function assertOffered(model: string, choice: Choice, { presets, sages }: Offered): void {
  const isThere =
    (choice.preset === undefined || presets.some(({ value }) => value === choice.preset)) &&
    (choice.sages ?? []).every((sage) => sages.some(({ key }) => key === sage));
  if (!isThere) throw unknownModel(model);
}

export function unknownModel(model: string): V1Failure {
  const name = model.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
  const text = `There is no model “${name}” here. \`GET /v1/models\` lists the available ones.`;
  return new V1Failure(404, 'model_not_found', text, 'model');
}
