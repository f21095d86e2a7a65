/** Deletes turns that have expired, and what people have forgotten. */

import { workspaceOf } from '../../domain/thread-id.ts';
import { type ForgetRequest, type Forgotten, forgottenKnownMs, type NewTurn } from '../store.ts';
import type { Connection } from './connection.ts';
import { type Row, readShard, shardColumns } from './rows.ts';
import { memoryIndex } from './writers.ts';

export type ExpiredTurns = ReturnType<typeof expiredTurns>;

/** Finds and deletes expired turn groups. Call its methods inside `transaction`. */
export function expiredTurns(connection: Connection) {
  const conflicting = connection.prepare(`
    SELECT seq, thread_id, turn_id, created_at FROM turns WHERE turn_id = ? OR event_id = ?`);
  const oldest = connection.prepare(
    'SELECT seq, thread_id, turn_id FROM turns WHERE created_at < ? ORDER BY created_at LIMIT ?',
  );
  const oldestOfThread = connection.prepare(`
    SELECT seq, thread_id, turn_id FROM turns WHERE thread_id = ? AND created_at < ?
    ORDER BY created_at LIMIT ?`);
  const removeTurn = turnRemover(connection);

  function removeRows(rows: readonly Row[]): number {
    for (const row of rows) removeTurn(row);
    return rows.length;
  }

  /** @param row - A turn's, with `thread_id` and `created_at`. */
  function isKept({ thread_id, created_at }: Row): boolean {
    return Number(created_at) >= connection.keptSinceIn(workspaceOf(String(thread_id)));
  }

  return {
    isKept,
    /** Deletes expired turns with the new turn's id or event. */
    remove({ turnId, eventId }: NewTurn): void {
      removeRows(conflicting.all(turnId, eventId).filter((row) => !isKept(row)));
    },
    /** Deletes up to `limit` turns that have expired in every workspace, oldest first, and returns how many. */
    sweep: (limit: number) => removeRows(oldest.all(connection.keptSince(), limit)),
    /** The same for turns of one thread created before `since`. */
    sweepThread: (threadId: string, since: number, limit: number) =>
      removeRows(oldestOfThread.all(threadId, since, limit)),
  };
}

/** Deletes a turn group by its turn's row, with `seq`, `thread_id` and `turn_id`. */
function turnRemover(connection: Connection): (row: Row) => void {
  const deleteMessages = connection.prepare(
    'DELETE FROM messages WHERE thread_id = ? AND turn_id = ?',
  );
  // Steps and usage go with it by ON DELETE CASCADE.
  const deleteTurn = connection.prepare('DELETE FROM turns WHERE seq = ?');
  return (row) => {
    deleteMessages.run(String(row.thread_id), String(row.turn_id));
    deleteTurn.run(Number(row.seq));
  };
}

/** Implements the store's `forget`. Call inside `transaction`. */
export function forgetter(connection: Connection): (request: ForgetRequest) => Forgotten {
  const removeTurn = turnRemover(connection);
  const memory = memoryIndex(connection);
  const turnColumns = 'seq, turn_id, thread_id, event_id';
  const turnById = connection.prepare(
    `SELECT ${turnColumns} FROM turns WHERE thread_id = ? AND turn_id = ?`,
  );
  const turnBySeq = connection.prepare(`SELECT ${turnColumns} FROM turns WHERE seq = ?`);
  const messageById = connection.prepare(
    'SELECT seq, turn_seq FROM messages WHERE thread_id = ? AND id = ?',
  );
  const messagesOfTurn = connection.prepare(
    'SELECT seq FROM messages WHERE thread_id = ? AND turn_id = ?',
  );
  const deleteMessage = connection.prepare('DELETE FROM messages WHERE seq = ?');
  const buryEvent = connection.prepare(`
    INSERT INTO forgotten_events (event_id, workspace, expires_at) VALUES (?, ?, ?)
    ON CONFLICT (event_id) DO UPDATE SET expires_at = excluded.expires_at`);
  const removeShards = shardRemover(connection);

  return ({ threadId, turnIds, messageIds, eventIds = [] }) => {
    const named = messageIds
      .map((id) => messageById.get(threadId, id))
      .filter((row) => row !== undefined);
    const turnRows = [
      ...turnIds.map((turnId) => turnById.get(threadId, turnId)),
      ...named.map(({ turn_seq = null }) => turnBySeq.get(turn_seq)),
    ];
    const found = turnRows.filter((row) => row !== undefined);
    const turns = [...new Map(found.map((row) => [row.seq, row])).values()];
    const ofTurns = turns.flatMap(({ turn_id = null }) => messagesOfTurn.all(threadId, turn_id));
    const imported = named.filter(({ turn_seq }) => turn_seq === null);
    const messages = new Set([...ofTurns, ...imported].map(({ seq }) => Number(seq)));
    const shardCount = messages.size > 0 ? removeShards(threadId, messages) : 0;
    const expiresAt = connection.now() + forgottenKnownMs;
    for (const turn of turns) {
      removeTurn(turn);
      buryEvent.run(turn.event_id ?? null, workspaceOf(threadId), expiresAt);
    }
    for (const eventId of eventIds) buryEvent.run(eventId, workspaceOf(threadId), expiresAt);
    for (const seq of messages) deleteMessage.run(seq);
    if (messages.size > 0) memory.voidReads(threadId);
    return { turns: turns.length, messages: messages.size, shards: shardCount };
  };
}

/**
 * Deletes the shards made from any of the given messages of a thread, with their vectors, and returns how many.
 * Their other sources are in no shard then.
 */
function shardRemover(
  connection: Connection,
): (threadId: string, messages: Iterable<number>) => number {
  const shardOf = connection.prepare(`
    SELECT seq, ${shardColumns.names} FROM shards
    WHERE thread_id = ? AND id = (SELECT shard_id FROM messages WHERE seq = ?)
      AND superseded_at IS NULL`);
  const unmark = connection.prepare(
    'UPDATE messages SET shard_id = NULL WHERE thread_id = ? AND id = ? AND shard_id = ?',
  );
  const deleteShard = connection.prepare('DELETE FROM shards WHERE seq = ?');
  // Readers don't need them any more: the new epoch makes them read everything again.
  const deleteSuperseded = connection.prepare(
    'DELETE FROM shards WHERE thread_id = ? AND superseded_at IS NOT NULL',
  );

  return (threadId, messages) => {
    const rows = [...messages].flatMap((message) => shardOf.all(threadId, message));
    const shards = new Map(rows.map((row) => [Number(row.seq), readShard(row)]));
    for (const [seq, { id, sourceIds }] of shards) {
      for (const source of sourceIds) unmark.run(threadId, source, id);
      deleteShard.run(seq);
    }
    deleteSuperseded.run(threadId);
    return shards.size;
  };
}
