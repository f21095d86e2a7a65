/** What is read of a row, and which columns hold a record. */

import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import {
  type KeptSetting,
  messageSchema,
  parseRecord,
  readJson,
  readJsonObject,
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

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The columns of one kind of record. */
interface Columns {
  /** e.g. `id, thread_id, created_at`. */
  readonly names: string;
  /** The fields of a row: lists and objects as the text that they are kept as, flags as numbers. */
  fields(row: Row): Readonly<Record<string, unknown>>;
  /** What is stored of a record, in the order of `names`: lists and objects as JSON, flags as numbers. */
  values(record: object): readonly SQLInputValue[];
}

function columnsOf(schema: z.ZodObject): Columns {
  const columns = Object.keys(schema.shape).map((field) => ({
    field,
    column: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }));
  return {
    names: columns.map(({ column }) => column).join(', '),
    fields: (row) =>
      Object.fromEntries(
        columns.flatMap(({ field, column }) => {
          const value = row[column];
          return value === null ? [] : [[field, value]];
        }),
      ),
    values: (record) => {
      const fields = new Map<string, unknown>(Object.entries(record));
      return columns.map(({ field }) => columnValue(fields.get(field)));
    },
  };
}

/** A statement that stores a row; what is to happen with a known one is to be put behind it. */
export function insertInto(table: string, names: string): string {
  return `INSERT INTO ${table} (${names}) VALUES (${names.replaceAll(/\w+/g, '?')})`;
}

function columnValue(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
