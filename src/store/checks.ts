/**
 * Checks shared by all backends: of arguments (a RangeError), of stored records, and of retention. A
 * workspace's retention is a setting that every backend looks up on each read, so a change takes effect
 * at once in every process.
 */

import { z } from 'zod';
import { tooDeepAt } from '../domain/json.ts';
import { workspaceOfScope } from '../domain/thread-id.ts';
import {
  type Json,
  type JsonObject,
  type StoredSettings,
  StoreError,
  spendingKeptDays,
} from './store.ts';
import { type Checkpoint, isJsonObject, type Message, type TurnKey } from './turn-store.ts';

/** The most answers of one imported question; far more than a council seats. */
export const mostAnswers = 100;

/** Throws a RangeError for a message of another turn or thread. */
export function assertOwnMessage(owner: TurnKey, message: Message): void {
  assertOwn(owner, message, `Message ${message.id}`);
}

function assertOwn(owner: TurnKey, { turnId, threadId }: Partial<TurnKey>, name: string): void {
  if (turnId === owner.turnId && threadId === owner.threadId) return;
  throw new RangeError(
    `${name} is of turn ${turnId} in thread ${threadId}, but was to be stored with turn ${owner.turnId} in thread ${owner.threadId}. Give it the turn's own ids.`,
  );
}

/** Throws a RangeError for messages and usage of another turn or thread than the checkpoint's. */
export function assertOwnCheckpoint(checkpoint: Checkpoint): void {
  for (const message of checkpoint.messages ?? []) assertOwnMessage(checkpoint, message);
  for (const event of checkpoint.usage ?? []) assertOwn(checkpoint, event, `Usage ${event.id}`);
}

/** The error for an id that another message of the thread has. */
export function takenId({ id, threadId }: Pick<Message, 'id' | 'threadId'>): RangeError {
  return new RangeError(
    `Message id ${id} is taken in thread ${threadId} by another message. Give every message of a thread an id of its own.`,
  );
}

/** A constant because creating a schema costs many times as much as using it. */
const jsonText = z.string();

/**
 * Parses a JSON object.
 *
 * @param record - Names the record in the error, e.g. `The request of turn 7`.
 * @throws {@link StoreError} `corrupt`, like the functions below.
 */
export function readJsonObject(text: unknown, record: string): JsonObject {
  const value = readJson(text, record);
  if (isJsonObject(value)) return value;
  throw damaged(record, new TypeError('It is not a JSON object.'));
}

/** Parses JSON. */
export function readJson(text: unknown, record: string): Json {
  try {
    const json = jsonText.parse(text);
    if (tooDeepAt(json) !== undefined) throw new SyntaxError('It is nested too deeply.');
    const value: Json = JSON.parse(json);
    return value;
  } catch (error) {
    throw damaged(record, error);
  }
}

/** Parses a stored record, e.g. a row. */
export function parseRecord<Output>(
  schema: z.ZodType<Output>,
  stored: unknown,
  record: string,
): Output {
  const parsed = schema.safeParse(stored);
  if (parsed.success) return parsed.data;
  throw damaged(record, parsed.error);
}

/** The error for using a closed store. @param store - Its file, or its address without secrets. */
export function closed(store: string): StoreError {
  return new StoreError(`The store ${store} was closed. Open it again to use it.`, {
    reason: 'unreachable',
  });
}

function damaged(record: string, cause: unknown): StoreError {
  return new StoreError(
    `${record} is damaged in the store and can't be read. Everything else can. Restore a backup, or delete this record.`,
    { reason: 'corrupt', cause },
  );
}

const json = z.custom<Json>((value) => value !== undefined);
export const settingSchema = z.object({
  scope: z.string(),
  name: z.string(),
  value: json,
  setBy: z.string(),
  setAt: z.number(),
  expiresAt: z.number().exactOptional(),
});

/** A setting with its scope, its name and when it expires (ms since 1970), if it does. */
export type KeptSetting = Readonly<z.infer<typeof settingSchema>>;

/** The settings of one scope by their names. */
export function settingsByName(kept: readonly KeptSetting[]): StoredSettings {
  return Object.fromEntries(
    kept.map(({ name, value, setBy, setAt }) => [name, { value, setBy, setAt }]),
  );
}

/**
 * The setting that shortens a workspace's retention, in the scope {@link retentionScopeOf}: a number of days
 * above 0. Values longer than the store's retention, and any other values, have no effect.
 * `redis/scripts/prelude.lua` repeats the name.
 */
export const retentionSetting = 'retentionDays';

const dayMs = 86_400_000;

/** The scope of a workspace's settings; `undefined` unless the name is `platform:workspace`. */
export function retentionScopeOf(workspace: string): string | undefined {
  const scope = `workspace:${workspace}`;
  return workspaceOfScope(scope) === workspace ? scope : undefined;
}

/** Converts days to milliseconds. Throws a RangeError unless the days are above 0. */
export function retentionMsOf(retentionDays: number = Number.POSITIVE_INFINITY): number {
  if (retentionDays > 0) return retentionDays * dayMs;
  throw new RangeError(`retentionDays is ${retentionDays}. Write a number above 0.`);
}

/**
 * Records of a workspace created before this time (milliseconds since 1970) have expired.
 *
 * @param value - The workspace's {@link retentionSetting}, if any.
 * @param ofStore - The same time by the store's retention.
 */
export function keptSinceIn(value: unknown, ofStore: number, now: number): number {
  if (typeof value !== 'number' || !(value > 0)) return ofStore;
  return Math.max(ofStore, now - retentionMsOf(value));
}

/** The first UTC day whose spending has not expired. */
export function oldestSpendingDay(now: number): number {
  return utcDay(now) - spendingKeptDays;
}

/** Days since 1970 in UTC. */
export function utcDay(milliseconds: number): number {
  return Math.floor(milliseconds / dayMs);
}
