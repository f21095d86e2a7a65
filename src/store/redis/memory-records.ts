/** How what is remembered looks in Redis, and what is read back of it. */

import { z } from 'zod';
import { shardSchema } from '../records.ts';
import type { MemoryKey, RememberedMessage, Shard, StoredVector } from '../store.ts';
import { parseRecord, readJsonObject } from '../stored-json.ts';
import { threadOfKey } from './keys.ts';
import { readPlacedMessage } from './records.ts';

const storedMessage = z.tuple([z.string(), z.unknown(), z.coerce.number(), z.string().nullable()]);
const storedShard = z.tuple([z.string(), z.string(), z.string()]);

/** @param stored - Thread key, message, what it ages from, shard, as the script gives them. */
export function readRemembered(stored: unknown): RememberedMessage {
  const [thread, message, agesFrom, shardId] = parseRecord(
    storedMessage,
    stored,
    'A remembered message',
  );
  return {
    ...readPlacedMessage(message, threadOfKey(thread)),
    agesFrom,
    ...(shardId !== null && { shardId }),
  };
}

/** What is kept of a shard; its id and thread are in the names of the key and the field. */
export function shardText({ id: _id, threadId: _thread, supersededAt: _, ...body }: Shard): string {
  return JSON.stringify(body);
}

/** @param stored - Thread key, id, value, as the script gives them. */
export function readShard(stored: unknown): Shard {
  const [thread, id, value] = parseRecord(storedShard, stored, 'A shard');
  const threadId = threadOfKey(thread);
  const record = `Shard ${id} of thread ${threadId}`;
  const [, supersededAt, json] = /^(\S+) (.*)$/s.exec(value) ?? [];
  const fields = {
    ...readJsonObject(json, record),
    id,
    threadId,
    ...(supersededAt !== '-' && { supersededAt: Number(supersededAt) }),
  };
  return parseRecord(shardSchema, fields, record);
}

/** The field of a vector among those of its thread. */
export function vectorField({ kind, id }: MemoryKey): string {
  return `${kind === 'message' ? 'm' : 's'}:${id}`;
}

/** As text, because not every way to a server takes bytes. */
export function vectorText({ model, values }: StoredVector): string {
  return `${model} ${Buffer.from(values.buffer, values.byteOffset, values.length).toString('base64')}`;
}

export function readVector(model: string, base64: string): StoredVector {
  const values = Int8Array.from(Buffer.from(base64, 'base64'));
  return { model, dimensions: values.length, values };
}
