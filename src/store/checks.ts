/**
 * What every backend checks alike: what a verb may be asked, where anything else is a RangeError, and what
 * it reads back of its records, whatever they look like there.
 */

import { z } from 'zod';
import { tooDeepAt } from '../domain/json.ts';
import {
  type ForgetRequest,
  type Json,
  type JsonObject,
  mostForgotten,
  type StoredSetting,
  StoreError,
} from './store.ts';
import type { Checkpoint, Message } from './turn-store.ts';

/** How many records a verb may be asked for at once. */
export const most = {
  interactions: 50,
  messages: 500,
  threads: 500,
  remembered: 500,
  turns: 100,
  stepsOfTurns: 500,
} as const;

/** How many answers one imported question may draw in; far above what a council seats. */
export const mostAnswers = 100;

/**
 * Refuses a limit that is not what the interface allows; the same in every backend.
 *
 * Throws a RangeError.
 *
 * @param most - The highest limit allowed; at least 1.
 */
export function assertLimit(limit: number, most: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return;
  throw new RangeError(`limit is ${limit}. Write a whole number from 1 to ${most}.`);
}

interface Owner {
  readonly turnId: string;
  readonly threadId: string;
}

/** Throws a RangeError for a message of another turn or thread. */
export function assertOwnMessage(owner: Owner, message: Message): void {
  assertOwn(owner, message, `Message ${message.id}`);
}

function assertOwn(owner: Owner, { turnId, threadId }: Partial<Owner>, name: string): void {
  if (turnId === owner.turnId && threadId === owner.threadId) return;
  throw new RangeError(
    `${name} is of turn ${turnId} in thread ${threadId}, but was to be stored with turn ${owner.turnId} in thread ${owner.threadId}. Give it the turn's own ids.`,
  );
}

/** Throws a RangeError for what is of another turn or thread than its checkpoint. */
export function assertOwnCheckpoint(checkpoint: Checkpoint): void {
  for (const message of checkpoint.messages ?? []) assertOwnMessage(checkpoint, message);
  for (const event of checkpoint.usage ?? []) assertOwn(checkpoint, event, `Usage ${event.id}`);
}

/** Another message of the thread has the id. */
export function takenId({ id, threadId }: Pick<Message, 'id' | 'threadId'>): RangeError {
  return new RangeError(
    `Message id ${id} is taken in thread ${threadId} by another message. Give every message of a thread an id of its own.`,
  );
}

/** Throws a RangeError for a request that names more than {@link mostForgotten}. */
export function assertForgettable({ turnIds, messageIds, eventIds = [] }: ForgetRequest): void {
  const named = turnIds.length + messageIds.length + eventIds.length;
  if (named <= mostForgotten) return;
  throw new RangeError(
    `${named} turns, messages and events are to be forgotten at once. Name at most ${mostForgotten}.`,
  );
}

/**
 * When a claim expires, in milliseconds since 1970.
 *
 * @throws A RangeError for a claim of no time.
 */
export function claimExpiry(now: number, ttlMs: number): number {
  if (ttlMs > 0) return Math.min(now + Math.ceil(ttlMs), Number.MAX_SAFE_INTEGER);
  throw new RangeError(`ttlMs is ${ttlMs}. Write a number of milliseconds above 0.`);
}

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
function contentOf(value: Json): JsonObject {
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

const json = z.custom<Json>((value) => value !== undefined);
/** Kept as a number where there is nothing else. */
const flag = z.union([z.boolean(), z.number()]).transform(Boolean);

export const messageSchema = z.object({
  id: z.string(),
  threadId: z.string(),
  turnId: z.string().exactOptional(),
  role: z.enum(['human', 'ai']),
  type: z.enum(['user_query', 'sage_output']),
  status: z.enum(['pending', 'complete']),
  sage: z.string().exactOptional(),
  author: z.string().exactOptional(),
  content: json.transform(contentOf),
  createdAt: z.number(),
  parentId: z.string().exactOptional(),
  isPrivate: flag.exactOptional(),
  platformMessageId: z.string().exactOptional(),
});

export const turnHeaderSchema = z.object({
  turnId: z.string(),
  threadId: z.string(),
  status: z.enum(['queued', 'running', 'ended']),
  attempt: z.number(),
  outcome: z.string().exactOptional(),
  askedBy: z.string().exactOptional(),
  createdAt: z.number(),
  endedAt: z.number().exactOptional(),
});

/** A model call without its turn and thread, which are those of the group that it is kept in. */
export const usageSchema = z.object({
  id: z.string(),
  user: z.string(),
  sageName: z.string().exactOptional(),
  stage: z.string(),
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  costUsd: z.number().exactOptional(),
  estimated: flag,
  outcome: z.string(),
  latencyMs: z.number(),
  createdAt: z.number(),
});

export const shardSchema = z.object({
  id: z.string(),
  threadId: z.string(),
  text: z.string(),
  sourceIds: z.array(z.string()),
  isPrivate: flag,
  createdAt: z.number(),
  agesFrom: z.number(),
  supersededAt: z.number().exactOptional(),
  mark: z.string().exactOptional(),
});

export const settingSchema = z.object({
  scope: z.string(),
  name: z.string(),
  value: json,
  setBy: z.string(),
  setAt: z.number(),
  expiresAt: z.number().exactOptional(),
});

/** A setting, with when it expires (ms since 1970); absent: it stays. */
export interface KeptSetting {
  readonly scope: string;
  readonly name: string;
  readonly setting: StoredSetting;
  readonly expiresAt?: number;
}

export function keptSetting(stored: z.infer<typeof settingSchema>): KeptSetting {
  const { scope, name, expiresAt, ...setting } = stored;
  return { scope, name, setting, ...(expiresAt !== undefined && { expiresAt }) };
}
