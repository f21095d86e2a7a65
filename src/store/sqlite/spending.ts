import { assertOwnUsage } from '../checks.ts';
import { utcDay } from '../retention.ts';
import { spendingKeptDays, type UsageEvent } from '../store.ts';
import type { Connection } from './connection.ts';
import type { MessageOwner } from './remembering.ts';
import { insertInto, usageColumns } from './rows.ts';

/** Keeps the model calls of turns, and what was spent by scope and UTC day. Works inside the caller's `transaction`. */
export function spendingWriter(connection: Connection) {
  const insertUsage = connection.prepare(
    `${insertInto('usage', `turn_seq, ${usageColumns.names}`)} ON CONFLICT (turn_seq, id) DO NOTHING`,
  );
  const addSpending = connection.prepare(`
    INSERT INTO spending (scope, day, cost_usd) VALUES (?, ?, ?)
    ON CONFLICT (scope, day) DO UPDATE SET cost_usd = spending.cost_usd + excluded.cost_usd`);

  return {
    /** Adds to each scope. */
    add(scopes: readonly string[], costUsd: number): void {
      const day = utcDay(connection.now());
      for (const scope of new Set(scopes)) addSpending.run(scope, day, costUsd);
    },
    /** Stores the calls of a turn, each once. */
    record(turn: MessageOwner, usage: readonly UsageEvent[]): void {
      for (const event of usage) {
        assertOwnUsage(turn, event);
        insertUsage.run(turn.seq, ...usageColumns.values(event));
      }
    },
  };
}

/** What each scope has spent since the UTC day of a moment, in US dollars, in the order asked for. */
export function spendingReader(
  connection: Connection,
): (scopes: readonly string[], since: number) => readonly number[] {
  const sum = connection.prepare(
    'SELECT total(cost_usd) AS cost_usd FROM spending WHERE scope = ? AND day >= ?',
  );
  return (scopes, since) =>
    connection.read(() => {
      const day = Math.max(utcDay(since), oldestKeptDay(connection));
      return scopes.map((scope) => Number(sum.get(scope, day)?.cost_usd));
    });
}

/** The first UTC day whose spending has not expired. */
export function oldestKeptDay(connection: Connection): number {
  return utcDay(connection.now()) - spendingKeptDays;
}
