import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { ThreadPage } from '../store.ts';
import type { Connection } from './connection.ts';

/**
 * Lists the threads of a place in the order of their ids: one look into the index for each, however
 * many messages it has. Works inside the caller's `read`.
 */
export function threadLister(
  connection: Connection,
): (place: string, limit: number, after: string | undefined) => ThreadPage {
  const nextThread = connection.prepare(
    'SELECT min(thread_id) AS thread_id FROM messages WHERE thread_id > ? AND thread_id < ?',
  );
  // The turn is asked too, because it may have expired before the last of its messages has.
  const isKept = connection.prepare(`
    SELECT 1 FROM messages WHERE thread_id = ?1 AND created_at >= ?2 AND (
      turn_seq IS NULL OR EXISTS (
        SELECT 1 FROM turns WHERE turns.seq = messages.turn_seq AND turns.created_at >= ?2))
    LIMIT 1`);

  return (place, limit, after) => {
    // A semicolon is what comes next after a colon: all ids of the place lie between the two.
    const end = `${place};`;
    const since = connection.keptSinceIn(place.split(':', 2).join(':'));
    const found: string[] = [];
    let last = after ?? `${place}:`;
    for (let looked = 0; looked < limit; looked += 1) {
      const threadId = nextThread.get(last, end)?.thread_id;
      if (typeof threadId !== 'string') return { threadIds: found };
      last = threadId;
      const isOfPlace = channelOf(threadId) === place || workspaceOf(threadId) === place;
      if (isOfPlace && isKept.get(threadId, since) !== undefined) found.push(threadId);
    }
    return { threadIds: found, next: last };
  };
}
