/** What may be stored with a turn; the same in every backend. */

import type { Checkpoint, Message, UsageEvent } from './store.ts';

interface Owner {
  readonly turnId: string;
  readonly threadId: string;
}

/** Throws a RangeError for a message of another turn or thread. */
export function assertOwnMessage(owner: Owner, message: Message): void {
  if (message.turnId === owner.turnId && message.threadId === owner.threadId) return;
  throw new RangeError(
    `Message ${message.id} is of turn ${message.turnId} in thread ${message.threadId}, but was to be stored with turn ${owner.turnId} in thread ${owner.threadId}. Give it the turn's own ids.`,
  );
}

/** Throws a RangeError for a model call of another turn or thread. */
export function assertOwnUsage(owner: Owner, event: UsageEvent): void {
  if (event.turnId === owner.turnId && event.threadId === owner.threadId) return;
  throw new RangeError(
    `Usage ${event.id} is of turn ${event.turnId} in thread ${event.threadId}, but was to be stored with turn ${owner.turnId} in thread ${owner.threadId}. Give it the turn's own ids.`,
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
