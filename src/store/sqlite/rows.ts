/** Maps records to columns, and reads rows. */

import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import {
  type KeptSetting,
  parseRecord,
  readJson,
  readJsonObject,
  settingSchema,
} from '../checks.ts';
import { shardSchema } from '../memory-store.ts';
import type {
  Message,
  Shard,
  Step,
  StoredVector,
  TurnHeader,
  TurnRecord,
  UsageEvent,
} from '../store.ts';
import { messageSchema, turnHeaderSchema, usageSchema } from '../turn-store.ts';
import type { Connection } from './connection.ts';

export const messageColumns = columnsOf(messageSchema, ['content']);
export const turnColumns = columnsOf(turnHeaderSchema);
export const usageColumns = columnsOf(usageSchema);
export const shardColumns = columnsOf(shardSchema, ['sourceIds']);
export const spendingColumns = columnsOf(
  z.object({ scope: z.string(), day: z.number(), costUsd: z.number() }),
);
export const claimColumns = columnsOf(z.object({ key: z.string(), expiresAt: z.number() }));
export const forgottenColumns = columnsOf(
  z.object({ eventId: z.string(), workspace: z.string(), expiresAt: z.number() }),
);
export const settingColumns = columnsOf(settingSchema, ['value']);

const stepRow = z.object({ kind: z.string(), key: z.string(), data: z.string() });
const vectorRow = z.object({ model: z.string(), vector: z.instanceof(Uint8Array) });

/** Reads a row of {@link messageColumns}. Throws a `StoreError` `corrupt` for an invalid row, like the readers below. */
export function readMessage(row: Row): Message {
  return messageColumns.read(row, `Message ${row.id} of thread ${row.thread_id}`);
}

/** Reads a row of {@link turnColumns}. */
export function readTurnHeader(row: Row): TurnHeader {
  return turnColumns.read(row, `Turn ${row.turn_id}`);
}

/** Reads a row of kind, key and data. */
export function readStep(row: Row, turnId: string): Step {
  const { kind, key, data } = parseRecord(stepRow, row, `A step of turn ${turnId}`);
  return { kind, key, data: readJsonObject(data, `Step ${kind} ${key} of turn ${turnId}`) };
}

/** Reads a row of {@link shardColumns}. */
export function readShard(row: Row): Shard {
  return shardColumns.read(row, `Shard ${row.id} of thread ${row.thread_id}`);
}

/** Reads a row of {@link settingColumns}. */
export function readSetting(row: Row): KeptSetting {
  return settingColumns.read(row, `Setting ${row.name} of ${row.scope}`);
}

/** Reads a row of model and vector. */
export function readVector(row: Row): StoredVector {
  const { model, vector } = parseRecord(vectorRow, row, 'A vector');
  return { model, dimensions: vector.length, values: Int8Array.from(vector) };
}

/** Reads a whole turn group by its indexes, even if it has expired. Call inside `read` or `transaction`. */
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
      usage: usage.all(seq).map((event): UsageEvent => {
        const { threadId } = header;
        return { turnId, threadId, ...usageColumns.read(event, `The usage of turn ${turnId}`) };
      }),
    };
  };
}

export type Row = Readonly<Record<string, SQLOutputValue>>;

/**
 * The columns of a kind of record, named like its fields in snake case. Absent fields are NULL, booleans
 * numbers.
 *
 * @param inJson - Fields stored as JSON.
 */
function columnsOf<Fields>(
  schema: z.ZodType<Fields> & { readonly shape: object },
  inJson: readonly string[] = [],
) {
  const columns = Object.keys(schema.shape).map((field) => ({
    field,
    column: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    isJson: inJson.includes(field),
  }));
  return {
    /** e.g. `id, thread_id, created_at`. */
    names: columns.map(({ column }) => column).join(', '),
    /** Throws a `StoreError` `corrupt` that names the record, for an invalid row. */
    read(row: Row, record: string): Fields {
      const fields = columns.flatMap(({ field, column, isJson }) => {
        const value = row[column];
        return value === null ? [] : [[field, isJson ? readJson(value, record) : value]];
      });
      return parseRecord(schema, Object.fromEntries(fields), record);
    },
    /** A record's values in the order of `names`. */
    values(record: object): readonly SQLInputValue[] {
      const fields = new Map<string, unknown>(Object.entries(record));
      return columns.map(({ field, isJson }) => columnValue(fields.get(field), isJson));
    },
  };
}

/** An INSERT statement, to which a conflict clause may be appended. */
export function insertInto(table: string, names: string): string {
  return `INSERT INTO ${table} (${names}) VALUES (${names.replaceAll(/\w+/g, '?')})`;
}

function columnValue(value: unknown, isJson: boolean): SQLInputValue {
  if (value === undefined) return null;
  if (isJson) return JSON.stringify(value);
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : String(value);
}
