import { assertLimit } from '../limits.ts';
import type { Connection } from './connection.ts';
import type { ExpiredTurns } from './expired-turns.ts';
import { oldestKeptDay } from './spending.ts';

/** Deletes what has expired, as the store's `sweep` says. */
export function sweeper(connection: Connection, expired: ExpiredTurns): (limit: number) => number {
  const sweepClaims = connection.prepare(`
    DELETE FROM claims WHERE key IN (
      SELECT key FROM claims WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`);
  const sweepImported = connection.prepare(`
    DELETE FROM messages WHERE seq IN (
      SELECT seq FROM messages WHERE turn_seq IS NULL AND created_at < ?
      ORDER BY created_at LIMIT ?)`);
  const sweepSpending = connection.prepare(`
    DELETE FROM spending WHERE (scope, day) IN (
      SELECT scope, day FROM spending WHERE day < ? ORDER BY day LIMIT ?)`);

  return (limit) => {
    assertLimit(limit, Number.MAX_SAFE_INTEGER);
    return connection.transaction(() => {
      const since = connection.keptSince();
      let swept = expired.sweep(limit);
      swept += Number(sweepImported.run(since, limit - swept).changes);
      swept += Number(sweepClaims.run(connection.now(), limit - swept).changes);
      swept += Number(sweepSpending.run(oldestKeptDay(connection), limit - swept).changes);
      return swept;
    });
  };
}
