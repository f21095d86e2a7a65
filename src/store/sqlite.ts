/** The store in a SQLite file, for a single process; the default of `npm start`. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { oldestSpendingDay, settingsByName, utcDay } from './checks.ts';
import {
  type Connection,
  type GroupCommit,
  groupCommit,
  openConnection,
  type SqliteStoreOptions,
} from './sqlite/connection.ts';
import { damaged } from './sqlite/errors.ts';
import { sqliteMemoryStore } from './sqlite/memory-store.ts';
import { sqliteMessageStore } from './sqlite/message-store.ts';
import { expiredTurns, forgetter } from './sqlite/removing.ts';
import { insertInto, readSetting, settingColumns, spendingColumns } from './sqlite/rows.ts';
import { fileScrubber } from './sqlite/scrubbing.ts';
import { sweeper } from './sqlite/sweeping.ts';
import { sqliteTurnStore } from './sqlite/turn-store.ts';
import type { SettingsStore, Store } from './store.ts';

export type { SqliteStoreOptions } from './sqlite/connection.ts';

/**
 * Opens the store, creating the file if needed.
 *
 * SQLite is synchronous and blocks the event loop, so transactions are short, concurrent writes share one,
 * and the file is scrubbed in short steps. Acknowledged writes survive the death of the process; a power
 * failure may lose the last moments, never anything older.
 *
 * @returns The store. It locks its file until `close` or the end of the process.
 * @throws {@link StoreError} if the file is `in_use`, `corrupt`, `too_new` or `read_only`, or its disk is
 *   `full` or fails (`unreachable`). The file isn't changed then.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  return sqliteStore(openConnection(options));
}

/**
 * Checks a whole file for damage. Blocks the event loop for about 3 s per GB, so use it in a process that does
 * nothing else.
 *
 * @returns `isNew`: the file was empty or missing.
 * @throws {@link StoreError} like {@link openSqliteStore}, and `corrupt` for damage anywhere in the file.
 */
export function inspectSqlite(path: string): { readonly isNew: boolean } {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const connection = openConnection({ path });
  try {
    // Finds a table that the file lacks.
    sqliteStore(connection);
    const check = connection.prepare('PRAGMA quick_check(1)');
    const found = connection.read(() => check.get())?.quick_check;
    // The last line names the damage; those before it, the database.
    const damage = String(found).split('\n').at(-1);
    if (found !== 'ok') throw damaged(resolve(path), `is damaged (${damage})`);
    return { isNew: bytes === 0 };
  } finally {
    connection.close();
  }
}

/** The store over an open file. */
export function sqliteStore(connection: Connection): Store {
  const expired = expiredTurns(connection);
  const writes = groupCommit(connection);
  const claim = keyClaimer(connection);
  const { spend, spent } = spendingKeeper(connection);
  const forget = forgetter(connection);
  const { emptyLog, scrub } = fileScrubber(connection);
  const sweep = sweeper(connection, writes, expired, emptyLog);
  return {
    turns: sqliteTurnStore(connection, writes, expired),
    messages: sqliteMessageStore(connection, writes),
    memories: sqliteMemoryStore(connection, writes),
    settings: settingsStore(connection, writes),
    claim: async (key, ttlMs) => writes.add(() => claim(key, ttlMs)),
    spend: async (scopes, costUsd) => writes.add(() => spend(scopes, costUsd)),
    spent: async (scopes, since) => connection.read(() => spent(scopes, since)),
    forget: async (request) => writes.add(() => forget(request)),
    scrub,
    sweep,
    close: async () => {
      await writes.settled();
      connection.close();
    },
  };
}

/** Every method is atomic. */
function settingsStore(connection: Connection, writes: GroupCommit): SettingsStore {
  const ofScope = connection.prepare(`
    SELECT ${settingColumns.names} FROM settings
    WHERE scope = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY name`);
  const put = connection.prepare(`
    ${insertInto('settings', settingColumns.names)}
    ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value, set_by = excluded.set_by,
      set_at = excluded.set_at, expires_at = excluded.expires_at`);
  const remove = connection.prepare('DELETE FROM settings WHERE scope = ? AND name = ?');

  const readScope = (scope: string) =>
    settingsByName(ofScope.all(scope, connection.now()).map(readSetting));

  return {
    read: async (scopes) => connection.read(() => scopes.map(readScope)),
    write: async (scope, changes, by, limit) =>
      writes.add(() => {
        if (limit && countNames({ ...readScope(scope), ...changes }, limit.prefix) > limit.most) {
          return false;
        }
        for (const [name, value] of Object.entries(changes)) {
          if (value === null) remove.run(scope, name);
          else put.run(...settingColumns.values({ scope, name, value, ...by }));
        }
        return true;
      }),
  };
}

function countNames(settings: Readonly<Record<string, unknown>>, prefix: string): number {
  return Object.entries(settings).filter(
    ([name, value]) => value !== null && name.startsWith(prefix),
  ).length;
}

/** Implements the store's `spend` and `spent`. */
function spendingKeeper(connection: Connection) {
  const add = connection.prepare(`
    ${insertInto('spending', spendingColumns.names)}
    ON CONFLICT (scope, day) DO UPDATE SET cost_usd = spending.cost_usd + excluded.cost_usd`);
  const sum = connection.prepare(
    'SELECT total(cost_usd) AS cost_usd FROM spending WHERE scope = ? AND day >= ?',
  );
  return {
    /** Call inside `transaction`. */
    spend(scopes: readonly string[], costUsd: number): void {
      const day = utcDay(connection.now());
      for (const scope of new Set(scopes)) add.run(scope, day, costUsd);
    },
    /** Call inside `read`. */
    spent(scopes: readonly string[], since: number): readonly number[] {
      const day = Math.max(utcDay(since), oldestSpendingDay(connection.now()));
      return scopes.map((scope) => Number(sum.get(scope, day)?.cost_usd));
    },
  };
}

/** Implements the store's `claim`. Call inside `transaction`. */
function keyClaimer(connection: Connection): (key: string, ttlMs: number) => boolean {
  // One statement checks for an expired claim and takes it over.
  const claim = connection.prepare(`
    INSERT INTO claims (key, expires_at) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?3`);
  return (key, ttlMs) => {
    const now = connection.now();
    return claim.run(key, now + Math.ceil(ttlMs), now).changes === 1;
  };
}
