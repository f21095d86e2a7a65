/** What a verb may be asked, the same in every backend: anything else is a RangeError. */

import type { Message } from './message-store.ts';
import { type ForgetRequest, mostForgotten } from './store.ts';
import type { Checkpoint, UsageEvent } from './turn-store.ts';

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

/** Throws a RangeError for a model call of another turn or thread. */
export function assertOwnUsage(owner: Owner, event: UsageEvent): void {
  assertOwn(owner, event, `Usage ${event.id}`);
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
  for (const event of checkpoint.usage ?? []) assertOwnUsage(checkpoint, event);
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
