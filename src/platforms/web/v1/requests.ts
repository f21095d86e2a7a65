/** Parses requests of both APIs into one form, and maps model names to choices. */

import { z } from 'zod';
import { type Choice, wishedDepths } from '../../../domain/asking.ts';
import type { Offered } from '../question-fields.ts';
import { CodedError } from '../refusals.ts';

/** Prefix of response ids, which later requests use to continue a conversation. */
export const responsePrefix = 'resp_';
/** Prefix of the ids of side tasks. Nothing of them is stored, so no conversation continues from one. */
export const taskPrefix = 'task_';

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
  /** Id of the response that the message belongs to, if it is only a reference. */
  readonly response?: string;
}

/** The content of a message. */
interface SentContent {
  readonly text: string;
  readonly files: readonly SentFile[];
}

/** A picture or a document. `address`: a `data:` URL or a web address; empty if only its id was sent. */
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

const fileFields = { filename: z.string().nullish(), file_data: z.string().nullish() };
const imageUrl = z.union([
  z.string(),
  z.looseObject({ url: z.string() }).transform(({ url }) => url),
]);

const partsWords =
  'only texts, pictures and files are supported (`text`, `image_url`, `file`, or `input_text`, `input_image`, `input_file`)';

/** A part of a message; each API has names of its own for the same. */
const part = z.discriminatedUnion(
  'type',
  [
    z
      .looseObject({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() })
      .transform(({ text }) => textContent(text)),
    z
      .looseObject({ type: z.literal('refusal'), refusal: z.string() })
      .transform(({ refusal }) => textContent(refusal)),
    z
      .looseObject({ type: z.enum(['image_url', 'input_image']), image_url: imageUrl.nullish() })
      .transform(({ image_url: address }) => fileContent(address, 'the picture')),
    z
      .looseObject({ type: z.literal('file'), file: z.looseObject(fileFields) })
      .transform(({ file }) => fileContent(file.file_data, file.filename)),
    z
      .looseObject({
        type: z.literal('input_file'),
        file_url: z.string().nullish(),
        ...fileFields,
      })
      .transform((file) => fileContent(file.file_data ?? file.file_url, file.filename)),
  ],
  { error: partsWords },
);

const content = z.union([
  z.string().transform(textContent),
  z.array(part).transform((parts) => ({
    text: parts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
    files: parts.flatMap(({ files }) => files),
  })),
]);

const sentMessage = z.looseObject({
  role,
  content: content.nullish(),
  name: z.string().nullish(),
});
const asMessage = ({ role: by, content: sent, name }: z.output<typeof sentMessage>) =>
  messageBy(by, sent ?? textContent(''), name);

const inputItem = z.union([
  sentMessage.extend({ type: z.literal('message').nullish() }).transform(asMessage),
  z
    .looseObject({ type: z.literal('function_call_output'), output: content })
    .transform(({ output }) => messageBy('tool', output)),
  // The AI SDK repeats a reply by references to its items.
  z
    .looseObject({ type: z.literal('item_reference'), id: z.string().regex(/^(rs|msg)_/) })
    .transform(({ id }) => ({
      ...messageBy('assistant', textContent('')),
      response: id.replace(/^[a-z]+_/, responsePrefix),
    })),
  // Reasoning and tool calls are ignored.
  z
    .looseObject({ type: z.string().regex(/^(?!message$|function_call_output$)/) })
    .transform(() => undefined),
]);

const common = { model: z.string().nullish(), stream: z.boolean().nullish() };

const chatBody = z.looseObject({
  ...common,
  messages: z.array(sentMessage.transform(asMessage)).min(1),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().nullish(),
});

const responsesBody = z.looseObject({
  ...common,
  input: z.union([
    z.string().transform((text) => [messageBy('user', textContent(text))]),
    z.array(inputItem),
  ]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  background: z.boolean().nullish(),
});

/** Sent by many programs without need: not reported as ignored. */
const unreported = ['user', 'metadata', 'stream_options'];

/** Reads the body of `/v1/chat/completions`. @throws {CodedError} */
export function chatRequest(body: unknown): V1Request {
  const request = parsed(chatBody, body);
  const { messages, stream_options, n } = request;
  if (typeof n === 'number' && n !== 1) {
    const why = 'A council gives one reply: `n` must be 1.';
    throw new CodedError(400, 'unsupported_value', why, 'n');
  }
  const wantsUsage = stream_options?.include_usage ?? false;
  return { ...commonIn(request, chatBody), wantsUsage, messages };
}

/** Reads the body of `/v1/responses`. @throws {CodedError} */
export function responsesRequest(body: unknown): V1Request {
  const request = parsed(responsesBody, body);
  const { input, instructions } = request;
  const sent = input.flatMap((item) => item ?? []);
  const known = sent.findLastIndex(({ response }) => response !== undefined);
  const previous = request.previous_response_id ?? sent[known]?.response;
  const isStored = previous && !previous.startsWith(`${responsePrefix}${taskPrefix}`);
  if (request.background) {
    const why = 'A council can’t answer in the background: omit `background`, or stream.';
    throw new CodedError(400, 'unsupported_value', why, 'background');
  }
  // The thread of the last reference has what came before it.
  const messages = sent.filter(({ by }, index) => by === 'instructions' || index > known);
  const preamble = instructions ? [messageBy('system', textContent(instructions))] : [];
  return {
    ...commonIn(request, responsesBody),
    wantsUsage: true,
    messages: [...preamble, ...messages],
    ...(isStored && { previous }),
    ...(instructions && { instructions }),
  };
}

/** `ignored` contains only names that are valid in a header. */
function commonIn(
  body: Readonly<Record<string, unknown>> & z.infer<z.ZodObject<typeof common>>,
  { shape }: { readonly shape: object },
): Pick<V1Request, 'model' | 'isStreamed' | 'ignored'> {
  const ignored = Object.keys(body)
    .filter((name) => !(name in shape) && !unreported.includes(name))
    // Every turn is stored, as the response says in its own `store`.
    .filter((name) => name !== 'store' || body[name] === false)
    .filter((name) => /^[a-z_]{1,40}$/.test(name));
  return {
    model: body.model ?? council,
    isStreamed: body.stream ?? false,
    ignored: ignored.slice(0, 40),
  };
}

/** Parses a request. @throws {CodedError} that names the first invalid field. */
function parsed<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0] && innermost(result.error.issues[0]);
  const param = (issue?.path ?? []).join('.').slice(0, 200);
  const where = param === '' ? 'The request' : `\`${param}\``;
  const why = issue?.message ?? 'it has another shape';
  throw new CodedError(400, 'invalid_value', `${where} is invalid: ${why}.`, param);
}

/** The issue at the innermost field: that of a union says only that no option fits. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const [inner] = issue.errors
    .flatMap(([first]) => (first && first.path.length > 0 ? innermost(first) : []))
    .toSorted((one, other) => other.path.length - one.path.length);
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue;
}

function textContent(text: string): SentContent {
  return { text, files: [] };
}

function fileContent(address: string | null | undefined, name?: string | null): SentContent {
  return { text: '', files: [{ address: address ?? '', name: name || 'the file' }] };
}

function messageBy(by: keyof typeof roles, sent: SentContent, name?: string | null): SentMessage {
  return { by: roles[by], ...sent, ...(name && { name }) };
}

const council = 'council';

/** Identifies a program's chat with a model: in a chat with several at once, none hears what another answers. */
export function chatWith(model: string, chat: string): string {
  return model === council ? chat : `${chat}\n${model}`;
}

/** The model names of a place, the council first. */
export function modelIds({ presets, sages }: Offered): readonly string[] {
  return [
    council,
    ...wishedDepths.map((depth) => `${council}-${depth}`),
    ...presets.map(({ value }) => `${council}/${value}`),
    ...sages.map(({ key }) => `sage/${key}`),
  ];
}

/** The choice that a model name stands for; `{}` is the default council. Doesn't check that the preset or sage exists. @throws {CodedError} */
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

/** @throws {CodedError} if there is no such model. */
export function assertOffered(model: string, offered: Offered): void {
  if (!modelIds(offered).includes(model)) throw unknownModel(model);
}

function unknownModel(model: string): CodedError {
  const name = model.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
  const text = `There is no model “${name}” here. \`GET /v1/models\` lists the available ones.`;
  return new CodedError(404, 'model_not_found', text, 'model');
}
