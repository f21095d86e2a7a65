import type { StatementSync } from 'node:sqlite';
import { workspaceOf } from '../../domain/thread-id.ts';
import type { NewTurn } from '../store.ts';
import type { Connection } from './connection.ts';

/** Tells what has expired, and removes turn groups whole. Each verb works inside the caller's `transaction`. */
export interface ExpiredTurns {
  /** @param row - Of a turn, with `thread_id` and `created_at`. */
  isKept(row: TurnRow): boolean;
  /** Removes an expired turn, if there is one, that has the new turn's id or event. */
  remove(turn: NewTurn): void;
  /** Removes at most `limit` turns that have expired in every workspace, oldest first; gives how many there were. */
  sweep(limit: number): number;
  /** The same of one thread, with what was made before a moment. */
  sweepThread(threadId: string, since: number, limit: number): number;
}

export function expiredTurns(connection: Connection): ExpiredTurns {
  const conflicting = connection.prepare(`
    SELECT seq, thread_id, turn_id, created_at FROM turns WHERE turn_id = ? OR event_id = ?`);
  const oldest = connection.prepare(
    'SELECT seq, thread_id, turn_id FROM turns WHERE created_at < ? ORDER BY created_at LIMIT ?',
  );
  const oldestOfThread = connection.prepare(`
    SELECT seq, thread_id, turn_id FROM turns WHERE thread_id = ? AND created_at < ?
    ORDER BY created_at LIMIT ?`);
  const removeTurn = turnRemover(connection);

  function removeRows(rows: ReturnType<typeof oldest.all>): number {
    for (const row of rows) removeTurn(row);
    return rows.length;
  }

  function isKept({ thread_id, created_at }: TurnRow): boolean {
    return Number(created_at) >= connection.keptSinceIn(workspaceOf(String(thread_id)));
  }

  return {
    isKept,
    remove({ turnId, eventId }) {
      removeRows(conflicting.all(turnId, eventId).filter((row) => !isKept(row)));
    },
    sweep: (limit) => removeRows(oldest.all(connection.keptSince(), limit)),
    sweepThread: (...values) => removeRows(oldestOfThread.all(...values)),
  };
}

/** Removes a turn group, given a row of its turn with `seq`, `thread_id` and `turn_id`. */
export function turnRemover(connection: Connection): (row: TurnRow) => void {
  const deleteMessages = connection.prepare(
    'DELETE FROM messages WHERE thread_id = ? AND turn_id = ?',
  );
  // Steps and usage go with it: they refer to it with ON DELETE CASCADE.
  const deleteTurn = connection.prepare('DELETE FROM turns WHERE seq = ?');
  return (row) => {
    deleteMessages.run(String(row.thread_id), String(row.turn_id));
    deleteTurn.run(Number(row.seq));
  };
}

type TurnRow = ReturnType<StatementSync['all']>[number];
