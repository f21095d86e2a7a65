import type {
  MemoryChanges,
  MemoryScope,
  Message,
  Shard,
  Store,
} from '../../../src/store/store.ts';
import { startOfTime } from './case.ts';
import { imported, threadId } from './samples.ts';

const mostPages = 20;

/** A message from elsewhere that everybody of the workspace may read. */
export function open(id: string, changes: Partial<Message> = {}): Message {
  return imported(id, 'human', { isPrivate: false, ...changes });
}

export function shard(id: string, changes: Partial<Shard> = {}): Shard {
  return {
    id,
    threadId,
    text: `In short: ${id}`,
    sourceIds: ['one', 'two'],
    isPrivate: false,
    createdAt: startOfTime,
    agesFrom: startOfTime,
    ...changes,
  };
}

/** Reads a scope to its end, from a version on. */
export async function readAll(
  store: Store,
  reach: MemoryScope['reach'] = 'channel',
  { thread = threadId, since }: { readonly thread?: string; readonly since?: string } = {},
): Promise<MemoryChanges> {
  const scope = { threadId: thread, reach };
  let read = await store.memories.read(scope, {
    ...(since !== undefined && { since }),
    limit: 500,
  });
  const { isAnew } = read;
  const messages = [...read.messages];
  const shards = [...read.shards];
  for (let page = 1; read.hasMore; page += 1) {
    if (page > mostPages) throw new Error('What is remembered comes to no end.');
    read = await store.memories.read(scope, { since: read.version, limit: 500 });
    messages.push(...read.messages);
    shards.push(...read.shards);
  }
  return { ...read, isAnew, messages, shards };
}

/** Ids of the messages, and of the shards, of what was read. */
export function idsIn({ messages, shards }: MemoryChanges): readonly string[] {
  return [...messages.map(({ message }) => message.id), ...shards.map(({ id }) => id)];
}
