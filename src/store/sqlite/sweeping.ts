/** Deletes what has expired, in short steps. */

import { workspaceOf, workspaceOfScope } from '../../domain/thread-id.ts';
import { oldestSpendingDay, retentionSetting } from '../checks.ts';
import type { Connection, GroupCommit } from './connection.ts';
import type { ExpiredTurns } from './removing.ts';

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
