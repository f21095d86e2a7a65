import type { StatementSync } from 'node:sqlite';
import type { NewTurn } from '../store.ts';
import type { Connection } from './connection.ts';

/** Removes turn groups whole. Each verb works inside the caller's `transaction`. */
export interface ExpiredTurns {
  /** Removes an expired turn, if there is one, that has the new turn's id or event. */
  remove(turn: NewTurn): void;
  /** Removes at most `limit` expired turns, oldest first; gives how many there were. */
  sweep(limit: number): number;
}

export function expiredTurns(connection: Connection): ExpiredTurns {
  const conflicting = connection.prepare(`
    SELECT seq, thread_id, turn_id FROM turns
    WHERE (turn_id = ? OR event_id = ?) AND created_at < ?`);
  const oldest = connection.prepare(
    'SELECT seq, thread_id, turn_id FROM turns WHERE created_at < ? ORDER BY created_at LIMIT ?',
  );
  const removeTurn = turnRemover(connection);

  function removeRows(rows: ReturnType<typeof oldest.all>): number {
    for (const row of rows) removeTurn(row);
    return rows.length;
  }

  return {
    remove(turn) {
      removeRows(conflicting.all(turn.turnId, turn.eventId, connection.keptSince()));
    },
    sweep: (limit) => removeRows(oldest.all(connection.keptSince(), limit)),
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
