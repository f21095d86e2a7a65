/**
 * The export format of threads and channels: version 1 of our JSON, which can be imported again.
 *
 * The same content always gives the same text, even after any number of imports and exports.
 */

import { z } from 'zod';
import type { Json, JsonObject, Message } from '../../store/store.ts';

const json: z.ZodType<Json> = z.json();
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
/** Early versions stored a message as a bare string. */
const content = z.union([z.string().transform((text): JsonObject => ({ text })), jsonObject]);

/** Milliseconds since 1970, up to the last time that a `Date` can represent. */
const time = z.int().min(0).max(8_640_000_000_000_000);

export const exportedMessageSchema = z.object({
  id: z.string().min(1),
  turnId: z.string().min(1).exactOptional(),
  role: z.enum(['human', 'ai']),
  type: z.enum(['user_query', 'sage_output']),
  sage: z.string().exactOptional(),
  author: z.string().exactOptional(),
  content,
  createdAt: time,
  parentId: z.string().exactOptional(),
  isPrivate: z.boolean().exactOptional(),
  platformMessageId: z.string().exactOptional(),
});
/** A complete message, without its thread id. */
export type ExportedMessage = z.infer<typeof exportedMessageSchema>;

export const exportedTurnSchema = z
  .object({
    turnId: z.string().min(1),
    createdAt: time,
    endedAt: time,
    outcome: z.string(),
    request: jsonObject,
    /** The question, then the answers. */
    messages: z.array(exportedMessageSchema).min(1),
    steps: z.array(z.object({ kind: z.string(), key: z.string(), data: jsonObject })),
  })
  .refine(({ messages }) => messages[0]?.role === 'human', {
    path: ['messages', 0, 'role'],
    error: 'the first message of a turn is its question, of the role human',
  })
  .superRefine(({ turnId, messages }, context) => {
    const index = messages.findIndex((message) => message.turnId !== turnId);
    const message = 'expected the id of the turn that it stands in';
    const path = ['messages', index, 'turnId'];
    if (index >= 0) context.addIssue({ code: 'custom', path, message });
  });
/** An ended turn. */
export type ExportedTurn = z.infer<typeof exportedTurnSchema>;

const threadId = z
  .string()
  .regex(/^[^:]+(:[^:]+){3}$/, 'expected platform:workspace:channel:thread');

const threadSchema = z.object({
  threadId,
  turns: z.array(exportedTurnSchema),
  /** Messages without a stored turn, e.g. imported ones; oldest first. */
  messages: z.array(exportedMessageSchema),
});
export type ExportedThread = z.infer<typeof threadSchema>;

/** Doesn't check that message ids are unique within a thread; the file's reader does. */
export const exportSchema = z.object({
  format: z.literal('council-archive'),
  version: z.literal(1, 'this program reads version 1'),
  /** `platform:workspace:channel:thread` for a thread, `platform:workspace:channel` for a channel. */
  place: z.string(),
  threads: z.array(threadSchema),
});
export type Export = z.infer<typeof exportSchema>;

/** Oldest first; each iteration reads again from the start. */
type Readable<Item> = Iterable<Item> | AsyncIterable<Item>;

/** A thread that is read while it is written; an {@link ExportedThread} is one, too. */
export interface ReadableThread {
  readonly threadId: string;
  readonly turns: Readable<ExportedTurn>;
  /** As in {@link ExportedThread}. */
  readonly messages: Readable<ExportedMessage>;
}

/** One file format of exports. */
export interface ExportWriter {
  /** The text before the threads. @param place - As in {@link Export}. */
  begin(place: string): string;
  /** A thread in parts of at most one turn. */
  thread(thread: ReadableThread): AsyncIterable<string>;
  /** Separates two threads. */
  readonly between: string;
  /** Follows the last thread. */
  readonly end: string;
}

/** Whether a thread has any turn or message; exports leave out empty threads. */
export async function hasContent({ turns, messages }: ReadableThread): Promise<boolean> {
  for (const items of [turns, messages]) for await (const _ of items) return true;
  return false;
}

/** Writes the same text as `JSON.stringify` with an indent of 2, with keys in schema order. */
export const jsonWriter = {
  begin: (place) => {
    const head = JSON.stringify({ format: 'council-archive', version: 1, place }, null, 2);
    return `${head.slice(0, -'\n}'.length)},\n  "threads": [\n`;
  },
  async *thread({ threadId, turns, messages }) {
    yield `    {\n      "threadId": ${JSON.stringify(threadId)},\n      "turns": `;
    yield* jsonList(turns, exportedTurnSchema);
    yield ',\n      "messages": ';
    yield* jsonList(messages, exportedMessageSchema);
    yield '\n    }';
  },
  between: ',\n',
  end: '\n  ]\n}\n',
} as const satisfies ExportWriter;

async function* jsonList<Item>(
  items: Readable<Item>,
  schema: z.ZodType<unknown, Item>,
): AsyncGenerator<string> {
  let before = '[';
  for await (const item of items) {
    // JSON escapes line feeds in strings, so this only indents.
    const json = JSON.stringify(schema.parse(item), null, 2).replaceAll('\n', '\n        ');
    yield `${before}\n        ${json}`;
    before = ',';
  }
  yield before === '[' ? '[]' : '\n      ]';
}

/** A stored message without its thread id, which the export gives once per thread. */
export function exportedMessage(message: Message): ExportedMessage {
  const { threadId: _, status: __, ...exported } = message;
  return exported;
}

export function storedMessage(threadId: string, message: ExportedMessage): Message {
  return { ...message, threadId, status: 'complete' };
}
