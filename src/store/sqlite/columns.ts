/** Which columns hold a record: they are named as its fields, in snake case, and NULL where one is absent. */

import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { z } from 'zod';

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

export function columnsOf(schema: z.ZodObject): Columns {
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
