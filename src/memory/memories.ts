/** What is remembered, as it is found and as it is shown: messages and shards alike. */

import { z } from 'zod';
import type { MemoryKey, Message, RememberedMessage, Shard } from '../store/store.ts';
import type { MemoryDocument } from './retrieval/document.ts';

/** Something that was said, or a shard made of it. */
export interface Memory extends MemoryDocument, MemoryKey {
  /** How it stands in a prompt. */
  readonly shown: string;
  /** What its retention counts from. */
  readonly agesFrom: number;
  readonly turnId?: string;
  /** Absent for a shard. */
  readonly role?: Message['role'];
  /** Keys of what a shard was made of; none for a message. */
  readonly sourceKeys: readonly string[];
}

const said = z.object({ text: z.string() });
const answered = z.object({
  answer: z.string(),
  summary: z.string(),
  status: z.string().optional(),
});

/** An answer up to this length is shown whole, a longer one by its summary. */
const wholeAnswerChars = 600;

/** Absent for what says nothing: an answer that failed, content of no known shape. */
export function memoryOfMessage(remembered: RememberedMessage): Memory | undefined {
  const { message, place, agesFrom } = remembered;
  const texts = textsOf(message);
  if (!texts) return undefined;
  const { id, threadId, turnId, createdAt, role } = message;
  return {
    ...texts,
    ...{ key: messageKey(message), kind: 'message', id, threadId, createdAt, place, agesFrom },
    ...{ role, sourceKeys: [] },
    speaker: (role === 'ai' ? message.sage : message.author) ?? '',
    ...(turnId !== undefined && { turnId }),
  };
}

export function memoryOfShard(shard: Shard): Memory {
  const { id, threadId, text, createdAt, agesFrom } = shard;
  const key = shardKey(shard);
  return {
    ...{ key, kind: 'shard', id, threadId, createdAt, agesFrom },
    ...{ place: 0, speaker: '', text, shown: text },
    sourceKeys: shard.sourceIds.map((sourceId) => messageKey({ threadId, id: sourceId })),
  };
}

/** The key of a message among memories. */
export function messageKey({ threadId, id }: Pick<Message, 'threadId' | 'id'>): string {
  return `message ${threadId} ${id}`;
}

export function shardKey({ threadId, id }: Pick<Shard, 'threadId' | 'id'>): string {
  return `shard ${threadId} ${id}`;
}

function textsOf({ content }: Message): Pick<Memory, 'text' | 'shown'> | undefined {
  const answer = answered.safeParse(content);
  if (answer.success) {
    const { answer: whole, summary, status } = answer.data;
    if (status === 'failed') return undefined;
    // Found by all of it: a summary leaves out what somebody may ask about.
    return {
      text: `${whole}\n${summary}`,
      shown: whole.length <= wholeAnswerChars ? whole : summary,
    };
  }
  const text = said.safeParse(content);
  return text.success ? { text: text.data.text, shown: text.data.text } : undefined;
}
