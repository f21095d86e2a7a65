/**
 * Turns in the store, as far as somebody in a place may know of them: a turn of another channel is none
 * there, and one of a private thread is in that thread alone.
 */

import type { Place } from '../../../commands/command.ts';
import { isSameChannel, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnRecord, TurnStore } from '../../store/store.ts';

/** A turn of this channel; without an id, the last one of this thread. */
export async function turnIn(
  turns: TurnStore,
  { threadId }: Pick<Place, 'threadId'>,
  turnId: string | undefined,
): Promise<TurnRecord | undefined> {
  const [last] = turnId ? [] : await turns.list(threadId, { limit: 1 });
  const wanted = turnId ? { turnId, threadId } : last;
  const record = wanted && (await turns.read(wanted));
  return record && isKnownIn(threadId, record) ? record : undefined;
}

/** The turn of this channel that an event made. */
export async function turnAskedBy(
  turns: TurnStore,
  eventId: string,
  { threadId }: Pick<Place, 'threadId'>,
): Promise<TurnRecord | undefined> {
  const record = await turns.read({ eventId: storedEventId(threadId, eventId), threadId });
  return record && isKnownIn(threadId, record) ? record : undefined;
}

function isKnownIn(here: string, { threadId, request }: TurnRecord): boolean {
  if (threadId === here) return true;
  return isSameChannel(threadId, here) && request.isPrivateThread !== true;
}

/** Platforms give ids that are unique in a workspace; the store wants them unique altogether. */
export function storedEventId(threadId: string, eventId: string): string {
  return `${workspaceOf(threadId)}:${eventId}`;
}
