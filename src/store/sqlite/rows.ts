import { z } from 'zod';
import {
  type KeptSetting,
  messageSchema,
  readKeptSetting,
  settingSchema,
  shardSchema,
  turnHeaderSchema,
  usageSchema,
} from '../records.ts';
import type {
  Message,
  Shard,
  Step,
  StoredVector,
  TurnHeader,
  TurnRecord,
  UsageEvent,
} from '../store.ts';
import { parseRecord, readJson, readJsonObject } from '../stored-json.ts';
import { columnsOf, type Row } from './columns.ts';
import type { Connection } from './connection.ts';

export const messageColumns = columnsOf(messageSchema);
export const turnColumns = columnsOf(turnHeaderSchema);
export const usageColumns = columnsOf(usageSchema);
export const shardColumns = columnsOf(shardSchema);
export const settingColumns = columnsOf(settingSchema);

const stepRow = z.object({ kind: z.string(), key: z.string(), data: z.string() });
const vectorRow = z.object({ model: z.string(), vector: z.instanceof(Uint8Array) });

/** Throws a `StoreError` `corrupt`, naming the record, for a row that isn't one; so do all below. */
export function readMessage(row: Row): Message {
  const record = `Message ${row.id} of thread ${row.thread_id}`;
  const content = readJson(row.content, record);
  return parseRecord(messageSchema, { ...messageColumns.fields(row), content }, record);
}

/** Reads a row of {@link turnColumns}. */
export function readTurnHeader(row: Row): TurnHeader {
  return parseRecord(turnHeaderSchema, turnColumns.fields(row), `Turn ${row.turn_id}`);
}

/** Reads a row of kind, key and data. */
function readStep(row: Row, turnId: string): Step {
  const { kind, key, data } = parseRecord(stepRow, row, `A step of turn ${turnId}`);
  return { kind, key, data: readJsonObject(data, `Step ${kind} ${key} of turn ${turnId}`) };
}

/** Reads a row of {@link usageColumns}. */
function readUsage(row: Row, { turnId, threadId }: TurnHeader): UsageEvent {
  const record = `The usage of turn ${turnId}`;
  return { turnId, threadId, ...parseRecord(usageSchema, usageColumns.fields(row), record) };
}

/** Reads a row of {@link shardColumns}. */
export function readShard(row: Row): Shard {
  const record = `Shard ${row.id} of thread ${row.thread_id}`;
  const sourceIds = readJson(row.source_ids, record);
  return parseRecord(shardSchema, { ...shardColumns.fields(row), sourceIds }, record);
}

/** Reads a row of {@link settingColumns}. */
export function readSetting(row: Row): KeptSetting {
  const record = `Setting ${row.name} of ${row.scope}`;
  const value = readJson(row.value, record);
  return readKeptSetting({ ...settingColumns.fields(row), value }, record);
}

/** Reads a row of model and vector. */
export function readVector(row: Row): StoredVector {
  const { model, vector } = parseRecord(vectorRow, row, 'A vector');
  return { model, dimensions: vector.length, values: Int8Array.from(vector) };
}

/**
 * Reads a turn with all that belongs to it, each part by its own index; also what has expired. Works
 * inside the caller's `read` or `transaction`.
 */
export function turnGroupReader(
  connection: Connection,
): (turnId: string) => TurnRecord | undefined {
  const turn = connection.prepare(
    `SELECT seq, request, ${turnColumns.names} FROM turns WHERE turn_id = ?`,
  );
  const messages = connection.prepare(
    `SELECT ${messageColumns.names} FROM messages WHERE thread_id = ? AND turn_id = ? ORDER BY created_at, seq`,
  );
  const steps = connection.prepare(
    'SELECT kind, key, data FROM steps WHERE turn_seq = ? ORDER BY seq',
  );
  const usage = connection.prepare(
    `SELECT ${usageColumns.names} FROM usage WHERE turn_seq = ? ORDER BY seq`,
  );

  return (turnId) => {
    const row = turn.get(turnId);
    if (row === undefined) return undefined;
    const header = readTurnHeader(row);
    const seq = Number(row.seq);
    return {
      ...header,
      request: readJsonObject(row.request, `The request of turn ${turnId}`),
      messages: messages.all(header.threadId, turnId).map(readMessage),
      steps: steps.all(seq).map((step) => readStep(step, turnId)),
      usage: usage.all(seq).map((event) => readUsage(event, header)),
    };
  };
}
