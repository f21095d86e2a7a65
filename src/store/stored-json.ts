/** Reads back what a backend keeps as text; what can't be read is told by the name of its record. */

import { z } from 'zod';
import { tooDeepAt } from '../domain/json.ts';
import { type Json, type JsonObject, StoreError } from './store.ts';

/** Made once: to make a schema costs many times what it costs to use it. */
const jsonText = z.string();

/**
 * Reads text that holds a JSON object.
 *
 * @param record - Names the record in the error, e.g. `The request of turn 7`.
 * @throws {@link StoreError} `corrupt`; so do all below.
 */
export function readJsonObject(text: unknown, record: string): JsonObject {
  const value = readJson(text, record);
  if (isJsonObject(value)) return value;
  throw damaged(record, new TypeError('It is not a JSON object.'));
}

/**
 * Reads text that holds JSON.
 *
 * @param record - Names the record in the error, e.g. `Setting depth of channel:1`.
 */
export function readJson(text: unknown, record: string): Json {
  try {
    // What JSON.parse gives is JSON all the way down: only the outermost shape is left to check.
    const json = jsonText.parse(text);
    if (tooDeepAt(json) !== undefined) throw new SyntaxError('It is nested too deeply.');
    const value: Json = JSON.parse(json);
    return value;
  } catch (error) {
    throw damaged(record, error);
  }
}

/** Reads what a backend gave for a record, e.g. a row. */
export function parseRecord<Output>(
  schema: z.ZodType<Output>,
  stored: unknown,
  record: string,
): Output {
  const parsed = schema.safeParse(stored);
  if (parsed.success) return parsed.data;
  throw damaged(record, parsed.error);
}

/**
 * The content of a message. Where it is no object, as in records of long ago, it is what was said: a bare
 * string is the text itself.
 */
export function contentOf(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  return { text: typeof value === 'string' ? value : JSON.stringify(value) };
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(record: string, cause: unknown): StoreError {
  return new StoreError(
    `${record} is damaged in the store and can't be read. Everything else can. Put back a backup, or delete this record.`,
    { reason: 'corrupt', cause },
  );
}
