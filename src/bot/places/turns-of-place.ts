/**
 * Turns in the store, as far as somebody in a place may know of them: a turn of another channel is none
 * there, and one of a private thread is in that thread alone.
 */

import type { Place } from '../../../commands/command.ts';
import { channelOf, type TurnRecord, type TurnStore } from '../../store/store.ts';

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
  return isOfChannel(threadId, { threadId: here }) && request.isPrivateThread !== true;
}

/** Platforms give ids that are unique in a workspace; the store wants them unique altogether. */
export function storedEventId(threadId: string, eventId: string): string {
  return `${threadId.split(':', 2).join(':')}:${eventId}`;
}

export function isOfChannel(threadId: string, { threadId: here }: Pick<Place, 'threadId'>) {
  return channelOf(threadId) === channelOf(here);
}

/** What tells a thread apart from the others of its channel. */
export function lastPartOf(threadId: string): string {
  return threadId.slice(threadId.lastIndexOf(':') + 1);
}

/** The platform and workspace of a thread id. */
export function workspaceOf(threadId: string): Pick<Place, 'platform' | 'workspace'> {
  const [platform = '', workspace = ''] = threadId.split(':');
  return { platform, workspace };
}
