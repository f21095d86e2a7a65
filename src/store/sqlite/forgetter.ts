import { workspaceOf } from '../../domain/thread-id.ts';
import { assertForgettable } from '../checks.ts';
import { type ForgetRequest, type Forgotten, forgottenKnownMs } from '../store.ts';
import type { Connection } from './connection.ts';
import { remembering } from './remembering.ts';
import type { Row } from './rows.ts';
import { turnRemover } from './sweeper.ts';

/** Forgets as the store's `forget` says. Works inside the caller's `transaction`. */
export function forgetter(connection: Connection): (request: ForgetRequest) => Forgotten {
  const removeTurn = turnRemover(connection);
  const memory = remembering(connection);
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

  function turnsOf({ threadId, turnIds, messageIds }: ForgetRequest) {
    const named = turnIds.map((turnId) => turnById.get(threadId, turnId));
    const ofMessages = messageIds.map((id) => {
      const row = messageById.get(threadId, id);
      return row === undefined ? undefined : turnBySeq.get(row.turn_seq ?? null);
    });
    const found = [...named, ...ofMessages].filter((row) => row !== undefined);
    return [...new Map(found.map((row) => [row.seq, row])).values()];
  }

  function importedOf({ threadId, messageIds }: ForgetRequest): readonly number[] {
    const rows = messageIds.map((id) => messageById.get(threadId, id));
    return rows.flatMap((row) => (row?.turn_seq === null ? [Number(row.seq)] : []));
  }

  return (request) => {
    assertForgettable(request);
    const { threadId, eventIds = [] } = request;
    const turns = turnsOf(request);
    const ofTurns = turns.flatMap(({ turn_id = null }) => messagesOfTurn.all(threadId, turn_id));
    const messages = new Set([...ofTurns.map(({ seq }) => Number(seq)), ...importedOf(request)]);
    const shardCount = removeShards(messages);
    const expiresAt = connection.now() + forgottenKnownMs;
    for (const turn of turns) {
      removeTurn(turn);
      buryEvent.run(turn.event_id ?? null, workspaceOf(threadId), expiresAt);
    }
    for (const eventId of eventIds) buryEvent.run(eventId, workspaceOf(threadId), expiresAt);
    for (const seq of messages) deleteMessage.run(seq);
    if (messages.size > 0) memory.turnOver(threadId);
    return { turns: turns.length, messages: messages.size, shards: shardCount };
  };
}

/**
 * Removes all shards that were made of any of some messages, with their vectors, and leaves what else they
 * were made of in no shard. Gives how many there were.
 */
function shardRemover(connection: Connection): (messages: Iterable<number>) => number {
  const madeOf = connection.prepare(`
    SELECT shards.seq, shards.id FROM shard_sources JOIN shards ON shards.seq = shard_seq
    WHERE message_seq = ?`);
  const sources = connection.prepare('SELECT message_seq FROM shard_sources WHERE shard_seq = ?');
  const supersededOf = connection.prepare(`
    SELECT shards.seq, shards.id FROM shard_sources JOIN shards ON shards.seq = shard_seq
    WHERE message_seq = ? AND superseded_at IS NOT NULL`);
  const unmark = connection.prepare(
    'UPDATE messages SET shard_id = NULL WHERE seq = ? AND shard_id = ?',
  );
  const deleteShard = connection.prepare('DELETE FROM shards WHERE seq = ?');

  function found(statement: typeof madeOf, messages: Iterable<number>) {
    const rows = [...messages].flatMap((message) => statement.all(message));
    return [...new Map(rows.map((shard) => [shard.seq, shard])).values()];
  }

  /** @returns What it was made of. */
  function remove({ seq = null, id = null }: Row): readonly number[] {
    const madeOfIt = sources.all(seq).map(({ message_seq }) => Number(message_seq));
    for (const source of madeOfIt) unmark.run(source, id);
    deleteShard.run(seq);
    return madeOfIt;
  }

  return (messages) => {
    const direct = found(madeOf, messages);
    const shared = new Set(direct.flatMap(remove));
    // Of the same messages the same shard is made again: its superseded namesake must not stand for it.
    const namesakes = found(supersededOf, shared);
    for (const shard of namesakes) remove(shard);
    return direct.length + namesakes.length;
  };
}
