import { workspaceOf, workspaceOfScope } from '../../domain/thread-id.ts';
import { oldestSpendingDay, retentionSetting } from '../checks.ts';
import { type ForgetRequest, type Forgotten, forgottenKnownMs, type NewTurn } from '../store.ts';
import type { Connection, GroupCommit } from './connection.ts';
import { type Row, readShard, shardColumns } from './rows.ts';
import { memoryIndex } from './writers.ts';

/** Implements the store's `sweep`. */
export function sweeper(
  connection: Connection,
  writes: GroupCommit,
  expired: ExpiredTurns,
  emptyLog: () => void,
): (limit: number) => Promise<number> {
  const sweepWorkspaces = workspaceSweeper(connection, writes, expired);
  const expiring = (table: string, key: string) =>
    deletion(connection, table, key, 'expires_at <= ? ORDER BY expires_at');
  const sweepClaims = expiring('claims', 'key');
  const sweepForgotten = expiring('forgotten_events', 'event_id');
  const sweepSettings = expiring('settings', 'scope, name');
  const sweepImported = deletion(
    connection,
    'messages',
    'seq',
    'turn_seq IS NULL AND created_at < ? ORDER BY created_at',
  );
  const sweepShards = deletion(connection, 'shards', 'seq', 'ages_from < ? ORDER BY ages_from');
  const sweepSpending = deletion(connection, 'spending', 'scope, day', 'day < ? ORDER BY day');

  function sweepSome(limit: number): number {
    const since = connection.keptSince();
    const now = connection.now();
    let count = expired.sweep(limit);
    count += sweepImported(since, limit - count);
    count += sweepShards(since, limit - count);
    count += sweepClaims(now, limit - count);
    count += sweepForgotten(now, limit - count);
    count += sweepSettings(now, limit - count);
    count += sweepSpending(oldestSpendingDay(now), limit - count);
    return count;
  }

  return async (limit) => {
    let swept = 0;
    for (let count = recordsAtOnce; count === recordsAtOnce; swept += count) {
      const most = Math.min(recordsAtOnce, limit - swept);
      count = await writes.add(() => sweepSome(most));
    }
    swept += await sweepWorkspaces(limit - swept);
    if (swept > 0) emptyLog();
    return swept;
  };
}

/** Deleting so many turns blocks the event loop for about 40 ms; other writes go first in between. */
const recordsAtOnce = 50;

/** Checking these blocks the event loop for about 1 ms. */
const threadsAtOnce = 100;

/** Prepares a deletion that takes the condition's values and a limit, and returns the number of rows. */
function deletion(connection: Connection, table: string, key: string, condition: string) {
  const statement = connection.prepare(`
    DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?)`);
  return (...values: readonly (number | string)[]) => Number(statement.run(...values).changes);
}

/**
 * Deletes up to `limit` expired records of workspaces with a shorter retention than the store's. Goes thread by
 * thread, to skip records of other workspaces, and lets other writes go first in between.
 */
function workspaceSweeper(
  connection: Connection,
  writes: GroupCommit,
  expired: ExpiredTurns,
): (limit: number) => Promise<number> {
  const scopes = connection.prepare(`
    SELECT scope FROM settings
    WHERE scope > 'workspace:' AND scope < 'workspace;' AND name = '${retentionSetting}'`);
  const nextThread = connection.prepare(
    'SELECT min(thread_id) AS thread_id FROM messages WHERE thread_id > ? AND thread_id < ?',
  );
  const sweepShards = deletion(connection, 'shards', 'seq', 'thread_id = ? AND ages_from < ?');
  const sweepImported = deletion(
    connection,
    'messages',
    'seq',
    'thread_id = ? AND turn_seq IS NULL AND created_at < ?',
  );

  async function sweepWorkspace(workspace: string, limit: number): Promise<number> {
    let swept = 0;
    let last: string | undefined = `${workspace}:`;
    const sweepSome = () => {
      const since = connection.keptSinceIn(workspace);
      for (let checked = 0; checked < threadsAtOnce; checked += 1) {
        // `;` is the character after `:`, so all ids of the workspace lie between the two.
        const threadId = nextThread.get(last ?? null, `${workspace};`)?.thread_id;
        last = typeof threadId === 'string' ? threadId : undefined;
        if (last === undefined || swept >= limit) return;
        if (workspaceOf(last) !== workspace) continue;
        // Shards first: without a message, their thread would not be found again.
        swept += sweepShards(last, since, limit - swept);
        swept += expired.sweepThread(last, since, limit - swept);
        swept += sweepImported(last, since, limit - swept);
      }
    };
    while (last !== undefined && swept < limit) await writes.add(sweepSome);
    return swept;
  }

  return async (limit) => {
    let swept = 0;
    const workspaces = connection.read(() =>
      scopes
        .all()
        .map(({ scope }) => workspaceOfScope(String(scope)))
        .filter((workspace) => connection.keptSinceIn(workspace) > connection.keptSince()),
    );
    for (const workspace of workspaces) swept += await sweepWorkspace(workspace, limit - swept);
    return swept;
  };
}

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
