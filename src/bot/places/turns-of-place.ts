/**
 * Turns in the store, as far as people in a place may know of them: those of their channel, and those of a
 * private thread only in that thread.
 */

import type { Place } from '../../../commands/command.ts';
import { type PastTurn, readPastTurn } from '../../council/past-turn.ts';
import { isSameChannel, workspaceOf } from '../../domain/thread-id.ts';
import type { Sage, TurnRequest } from '../../domain/turn.ts';
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

/** Makes an event's id, which is unique in its workspace, unique in the store. */
export function storedEventId(threadId: string, eventId: string): string {
  return `${workspaceOf(threadId)}:${eventId}`;
}

/** How many turns of a thread are searched. */
const mostTurns = 10;

/** The last turns of a thread, newest first. */
export async function lastTurns(
  turns: Pick<TurnStore, 'list' | 'read'>,
  threadId: string,
): Promise<readonly PastTurn[]> {
  const headers = await turns.list(threadId, { limit: mostTurns });
  const records = await Promise.all(headers.map((header) => turns.read(header)));
  return records.flatMap((record) => (record ? [readPastTurn(record)] : []));
}

/**
 * The sages that the moderator invented for earlier turns of a thread; they can be asked again there.
 *
 * @param turns - Newest first.
 * @returns Those of the newest turn first, each once, as in the last turn that invented them.
 */
export function guestsIn(turns: readonly PastTurn[]): readonly Sage[] {
  const guests = new Map<string, Sage>();
  for (const { seated } of turns) {
    for (const { sage } of seated?.seats ?? []) {
      if (sage.source === 'dynamic' && !guests.has(sage.key)) guests.set(sage.key, sage);
    }
  }
  return [...guests.values()];
}

/** When a turn was asked, in milliseconds since 1970: nothing of it was said before. Clocks may differ. */
export function firstAskedAt({ createdAt }: Pick<TurnRecord, 'createdAt'>, past: PastTurn): number {
  return Math.min(past.request.askedAt, createdAt);
}

/** Where a turn was asked; what its platform tells of the place at this moment comes first. */
export function placeOfTurn(request: TurnRequest, place: Place): Place {
  const { threadId, isPrivate, isPrivateThread, isOpenOutside } = request;
  if (threadId === place.threadId) return place;
  const { platform, workspace, channel } = place;
  return {
    ...{ platform, workspace, channel, threadId },
    ...(isPrivate === undefined ? {} : { isPrivate }),
    ...(isPrivateThread === undefined ? {} : { isPrivateThread }),
    ...(isOpenOutside === undefined ? {} : { isOpenOutside }),
  };
}
