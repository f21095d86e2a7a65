/**
 * What was said in a thread or a channel, as a file that can be read back: version 1 of our JSON.
 *
 * The same content is the same text, whenever it was made and however often it was moved.
 */

import { z } from 'zod';
import type { Json, JsonObject, Message } from '../../store/store.ts';

const json: z.ZodType<Json> = z.json();
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
/** Long ago a bare string was all that was kept of what was said. */
const content = z.union([z.string().transform((text): JsonObject => ({ text })), jsonObject]);

/** Times in milliseconds since 1970, in a file: a number that a store can order by, and up to the last one that can be shown. */
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
/** A message that is complete, in its thread. */
export type ExportedMessage = z.infer<typeof exportedMessageSchema>;

export const exportedTurnSchema = z
  .object({
    turnId: z.string().min(1),
    createdAt: time,
    endedAt: time,
    outcome: z.string(),
    request: jsonObject,
    /** The question first, then the answers. */
    messages: z.array(exportedMessageSchema).min(1),
    steps: z.array(z.object({ kind: z.string(), key: z.string(), data: jsonObject })),
  })
  .refine(({ messages }) => messages[0]?.role === 'human', {
    path: ['messages', 0, 'role'],
    error: 'the first message of a turn is its question, of the role human',
  })
  .superRefine(({ turnId, messages }, context) => {
    for (const [index, message] of messages.entries()) {
      if (message.turnId === turnId) continue;
      context.addIssue({
        code: 'custom',
        path: ['messages', index, 'turnId'],
        message: 'expected the id of the turn that it stands in',
      });
    }
  });
/** A turn that has ended. */
export type ExportedTurn = z.infer<typeof exportedTurnSchema>;

const threadId = z
  .string()
  .regex(/^[^:]+(:[^:]+){3}$/, 'expected platform:workspace:channel:thread');

const threadSchema = z.object({
  threadId,
  turns: z.array(exportedTurnSchema),
  /** Messages of no stored turn, e.g. imported ones; oldest first. */
  messages: z.array(exportedMessageSchema),
});
export type ExportedThread = z.infer<typeof threadSchema>;

/** Each message of a thread has an id of its own, which is for the reader of a file to see to. */
export const exportSchema = z.object({
  format: z.literal('council-archive'),
  version: z.literal(1, 'this program reads version 1'),
  /** `platform:workspace:channel:thread` of one thread, `platform:workspace:channel` of a channel. */
  place: z.string(),
  threads: z.array(threadSchema),
});
export type Export = z.infer<typeof exportSchema>;

/** What is read again each time that it is gone through, oldest first. */
type Readable<Item> = Iterable<Item> | AsyncIterable<Item>;

/** A thread that is written as it is read. One that is held whole is one, too. */
export interface ReadableThread {
  readonly threadId: string;
  readonly turns: Readable<ExportedTurn>;
  /** As in {@link ExportedThread}. */
  readonly messages: Readable<ExportedMessage>;
}

/** How an export is written. */
export interface ExportWriter {
  /** What stands before the threads. @param place - As in {@link Export}. */
  begin(place: string): string;
  /** In portions of at most one turn. */
  thread(thread: ReadableThread): AsyncIterable<string>;
  /** Stands between two threads. */
  readonly between: string;
  /** Stands after the last one. */
  readonly end: string;
}

/** Exports leave out empty threads. */
export async function holdsAnything({ turns, messages }: ReadableThread): Promise<boolean> {
  for (const items of [turns, messages]) for await (const _ of items) return true;
  return false;
}

/** Writes what `JSON.stringify` writes with an indentation of 2. Keys come in the order of the schema. */
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
    // In JSON a line feed is never part of what was said.
    const json = JSON.stringify(schema.parse(item), null, 2).replaceAll('\n', '\n        ');
    yield `${before}\n        ${json}`;
    before = ',';
  }
  yield before === '[' ? '[]' : '\n      ]';
}

/** A stored message without its thread, which the export names once. */
export function exportedMessage(message: Message): ExportedMessage {
  const { threadId: _, status: __, ...exported } = message;
  return exported;
}

export function storedMessage(threadId: string, message: ExportedMessage): Message {
  return { ...message, threadId, status: 'complete' };
}
