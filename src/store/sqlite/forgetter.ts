import { z } from 'zod';
import { workspaceOf } from '../../domain/thread-id.ts';
import { assertForgettable, parseRecord } from '../checks.ts';
import { type ForgetRequest, type Forgotten, forgottenKnownMs } from '../store.ts';
import type { Connection } from './connection.ts';
import { remembering } from './remembering.ts';
import { turnRemover } from './sweeper.ts';

const turnRow = z.object({
  seq: z.number(),
  turn_id: z.string(),
  thread_id: z.string(),
  event_id: z.string(),
});
const messageRow = z.object({ seq: z.number(), turn_seq: z.number().nullable() });
const shardRow = z.object({ seq: z.number(), id: z.string() });

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
    'SELECT seq, turn_seq FROM messages WHERE thread_id = ? AND turn_id = ?',
  );
  const deleteMessage = connection.prepare('DELETE FROM messages WHERE seq = ?');
  const buryEvent = connection.prepare(`
    INSERT INTO forgotten_events (event_id, workspace, expires_at) VALUES (?, ?, ?)
    ON CONFLICT (event_id) DO UPDATE SET expires_at = excluded.expires_at`);
  const shards = shardRemover(connection);

  function turnsOf({ threadId, turnIds, messageIds }: ForgetRequest) {
    const named = turnIds.map((turnId) => turnById.get(threadId, turnId));
    const ofMessages = messageIds.map((id) => {
      const row = messageById.get(threadId, id);
      return row === undefined ? undefined : turnBySeq.get(row.turn_seq ?? null);
    });
    const found = [...named, ...ofMessages].flatMap((row) =>
      row === undefined ? [] : [parseRecord(turnRow, row, 'A turn')],
    );
    return [...new Map(found.map((turn) => [turn.seq, turn])).values()];
  }

  function messagesOf(turn: z.infer<typeof turnRow>): readonly number[] {
    return messagesOfTurn
      .all(turn.thread_id, turn.turn_id)
      .map((row) => parseRecord(messageRow, row, 'A message').seq);
  }

  function importedOf({ threadId, messageIds }: ForgetRequest): readonly number[] {
    return messageIds.flatMap((id) => {
      const row = messageById.get(threadId, id);
      if (row === undefined) return [];
      const { seq, turn_seq } = parseRecord(messageRow, row, `Message ${id}`);
      return turn_seq === null ? [seq] : [];
    });
  }

  return (request) => {
    assertForgettable(request);
    const { threadId, eventIds = [] } = request;
    const turns = turnsOf(request);
    const messages = new Set([...turns.flatMap(messagesOf), ...importedOf(request)]);
    const shardCount = shards.removeMadeOf(messages);
    const expiresAt = connection.now() + forgottenKnownMs;
    for (const turn of turns) {
      removeTurn(turn);
      buryEvent.run(turn.event_id, workspaceOf(threadId), expiresAt);
    }
    for (const eventId of eventIds) buryEvent.run(eventId, workspaceOf(threadId), expiresAt);
    for (const seq of messages) deleteMessage.run(seq);
    if (messages.size > 0) memory.turnOver(threadId);
    return { turns: turns.length, messages: messages.size, shards: shardCount };
  };
}

/** Removes shards with their vectors, and leaves what they were made of in no shard. */
function shardRemover(connection: Connection) {
  const madeOf = connection.prepare(`
    SELECT shards.seq, shards.id FROM shard_sources JOIN shards ON shards.seq = shard_seq
    WHERE message_seq = ?`);
  const sources = connection.prepare(
    'SELECT message_seq AS seq FROM shard_sources WHERE shard_seq = ?',
  );
  const supersededOf = connection.prepare(`
    SELECT shards.seq, shards.id FROM shard_sources JOIN shards ON shards.seq = shard_seq
    WHERE message_seq = ? AND superseded_at IS NOT NULL`);
  const unmark = connection.prepare(
    'UPDATE messages SET shard_id = NULL WHERE seq = ? AND shard_id = ?',
  );
  const deleteShard = connection.prepare('DELETE FROM shards WHERE seq = ?');
  const sourceRow = z.object({ seq: z.number() });

  function found(statement: typeof madeOf, messages: Iterable<number>) {
    const rows = [...messages].flatMap((message) => statement.all(message));
    const shards = rows.map((row) => parseRecord(shardRow, row, 'A shard'));
    return [...new Map(shards.map((shard) => [shard.seq, shard])).values()];
  }

  /** @returns What it was made of. */
  function remove({ seq, id }: z.infer<typeof shardRow>): readonly number[] {
    const madeOfIt = sources
      .all(seq)
      .map((row) => parseRecord(sourceRow, row, `A source of shard ${id}`).seq);
    for (const source of madeOfIt) unmark.run(source, id);
    deleteShard.run(seq);
    return madeOfIt;
  }

  return {
    /** @returns How many there were, of any of these messages. */
    removeMadeOf(messages: Iterable<number>): number {
      const direct = found(madeOf, messages);
      const shared = new Set(direct.flatMap(remove));
      // Of the same messages the same shard is made again: its superseded namesake must not stand for it.
      const namesakes = found(supersededOf, shared);
      for (const shard of namesakes) remove(shard);
      return direct.length + namesakes.length;
    },
  };
}
