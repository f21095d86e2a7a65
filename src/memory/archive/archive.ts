/**
 * What was said in a thread or a channel, as a file that can be read back: version 1 of our JSON.
 *
 * The same content is the same text, whenever it was made and however often it was moved.
 */

import { z } from 'zod';
import type { Json, JsonObject, Message } from '../../store/store.ts';

const json: z.ZodType<Json> = z.json();
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);

/** Times in milliseconds since 1970, in a file: a number that a store can order by, and up to the last one that can be shown. */
const time = z.int().min(0).max(8_640_000_000_000_000);

const messageSchema = z.object({
  id: z.string().min(1),
  turnId: z.string().min(1).exactOptional(),
  role: z.enum(['human', 'ai']),
  type: z.enum(['user_query', 'sage_output']),
  sage: z.string().exactOptional(),
  author: z.string().exactOptional(),
  content: jsonObject,
  createdAt: time,
  parentId: z.string().exactOptional(),
  isPrivate: z.boolean().exactOptional(),
  platformMessageId: z.string().exactOptional(),
});
/** A message that is complete, in its thread. */
export type ArchivedMessage = z.infer<typeof messageSchema>;

const turnSchema = z
  .object({
    turnId: z.string().min(1),
    createdAt: time,
    endedAt: time,
    outcome: z.string(),
    request: jsonObject,
    /** The question first, then the answers. */
    messages: z.array(messageSchema).min(1),
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
export type ArchivedTurn = z.infer<typeof turnSchema>;

const threadId = z
  .string()
  .regex(/^[^:]+(:[^:]+){3}$/, 'expected platform:workspace:channel:thread');

const threadSchema = z
  .object({
    threadId,
    turns: z.array(turnSchema),
    /** Those of no turn that is kept, e.g. imported from elsewhere; oldest first. */
    messages: z.array(messageSchema),
  })
  .superRefine(({ turns, messages }, context) => {
    const ids = new Set<string>();
    const places = [
      ...turns.flatMap((turn, number) =>
        turn.messages.map(({ id }, index) => ({ id, path: ['turns', number, 'messages', index] })),
      ),
      ...messages.map(({ id }, index) => ({ id, path: ['messages', index] })),
    ];
    for (const { id, path } of places) {
      if (ids.has(id)) {
        const message = 'another message of the thread has this id';
        context.addIssue({ code: 'custom', path: [...path, 'id'], message });
      }
      ids.add(id);
    }
  });
export type ArchivedThread = z.infer<typeof threadSchema>;

export const archiveSchema = z.object({
  format: z.literal('council-archive'),
  version: z.literal(1, 'this program reads version 1'),
  /** `platform:workspace:channel:thread` of one thread, `platform:workspace:channel` of a channel. */
  place: z.string(),
  threads: z.array(threadSchema),
});
export type Archive = z.infer<typeof archiveSchema>;

/** Makes an archive of threads; those that hold nothing are left out. */
export function archiveOf(place: string, threads: readonly ArchivedThread[]): Archive {
  const kept = threads.filter(({ turns, messages }) => turns.length + messages.length > 0);
  return {
    format: 'council-archive',
    version: 1,
    place,
    threads: kept.toSorted((one, other) => compareTexts(one.threadId, other.threadId)),
  };
}

/** The archive as the text of a file. Keys come in the order of the schema. */
export function archiveJson(archive: Archive): string {
  return `${JSON.stringify(archiveSchema.parse(archive), null, 2)}\n`;
}

/** A stored message without its thread, which the archive names once. */
export function archivedMessage(message: Message): ArchivedMessage {
  const { threadId: _, status: __, ...archived } = message;
  return archived;
}

export function storedMessage(threadId: string, message: ArchivedMessage): Message {
  return { ...message, threadId, status: 'complete' };
}

/** By code units, so that no locale changes a file. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
