import { assertLimit } from '../checks.ts';
import type { Connection } from './connection.ts';
import type { ExpiredTurns } from './expired-turns.ts';
import type { GroupCommit } from './group-commit.ts';
import { oldestKeptDay } from './spending.ts';
import { workspaceSweeper } from './workspace-sweeper.ts';

/** Deletes what has expired, as the store's `sweep` says. */
export function sweeper(
  connection: Connection,
  writes: GroupCommit,
  expired: ExpiredTurns,
): (limit: number) => Promise<number> {
  const sweepWorkspaces = workspaceSweeper(connection, writes, expired);
  const sweepClaims = connection.prepare(`
    DELETE FROM claims WHERE key IN (
      SELECT key FROM claims WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`);
  const sweepForgotten = connection.prepare(`
    DELETE FROM forgotten_events WHERE event_id IN (
      SELECT event_id FROM forgotten_events WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`);
  const sweepSettings = connection.prepare(`
    DELETE FROM settings WHERE (scope, name) IN (
      SELECT scope, name FROM settings WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`);
  const sweepImported = connection.prepare(`
    DELETE FROM messages WHERE seq IN (
      SELECT seq FROM messages WHERE turn_seq IS NULL AND created_at < ?
      ORDER BY created_at LIMIT ?)`);
  const sweepShards = connection.prepare(`
    DELETE FROM shards WHERE seq IN (
      SELECT seq FROM shards WHERE ages_from < ? ORDER BY ages_from LIMIT ?)`);
  const sweepSpending = connection.prepare(`
    DELETE FROM spending WHERE (scope, day) IN (
      SELECT scope, day FROM spending WHERE day < ? ORDER BY day LIMIT ?)`);

  function sweepStore(limit: number): Promise<number> {
    return writes.add(() => {
      const since = connection.keptSince();
      let count = expired.sweep(limit);
      count += Number(sweepImported.run(since, limit - count).changes);
      count += Number(sweepShards.run(since, limit - count).changes);
      count += Number(sweepClaims.run(connection.now(), limit - count).changes);
      count += Number(sweepForgotten.run(connection.now(), limit - count).changes);
      count += Number(sweepSettings.run(connection.now(), limit - count).changes);
      count += Number(sweepSpending.run(oldestKeptDay(connection), limit - count).changes);
      return count;
    });
  }

  return async (limit) => {
    assertLimit(limit, Number.MAX_SAFE_INTEGER);
    const ofStore = await sweepStore(limit);
    const swept = ofStore + (await sweepWorkspaces(limit - ofStore));
    if (swept > 0) await writes.hold(() => connection.emptyLog());
    return swept;
  };
}
