/** The store in one SQLite file, for one process: what `npm start` uses. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { claimExpiry, oldestSpendingDay, utcDay } from './checks.ts';
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
import { expiredTurns, forgetter, sweeper } from './sqlite/removing.ts';
import { insertInto, readSetting, settingColumns, spendingColumns } from './sqlite/rows.ts';
import { fileScrubber } from './sqlite/scrubbing.ts';
import { sqliteTurnStore } from './sqlite/turn-store.ts';
import type { SettingsStore, Store } from './store.ts';

export type { SqliteStoreOptions } from './sqlite/connection.ts';

/**
 * Opens the store, and makes the file where there is none.
 *
 * SQLite is synchronous: the event loop stands still while it works, so transactions are short, and
 * what turns write at the same time is one of them; the file as a whole is cleared in short steps.
 * What a verb has acknowledged survives the death of the process; a loss of power may take the last
 * moments, never what was stored before them.
 *
 * @returns The store, alone on its file until `close` or the end of the process.
 * @throws {@link StoreError} when the file is `in_use`, `corrupt`, `too_new` or `read_only`, when its
 *   disk is `full` or fails (`unreachable`). The file is then as it was.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  return sqliteStore(openConnection(options));
}

/**
 * Looks through a whole file for what is damaged: about 3 s for each GB, in which the event loop stands
 * still. Made for a process that does nothing else.
 *
 * @returns `isNew`: nothing was in it, or it was not there.
 * @throws {@link StoreError} as {@link openSqliteStore} does, and `corrupt` for damage anywhere in the file.
 */
export function inspectSqlite(path: string): { readonly isNew: boolean } {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const connection = openConnection({ path });
  try {
    const check = connection.prepare('PRAGMA quick_check(1)');
    const found = connection.read(() => check.get())?.quick_check;
    // Its last line says what; those before it, in which database.
    const said = String(found).split('\n').at(-1);
    if (found !== 'ok') throw damaged(resolve(path), `is damaged (${said})`);
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

/** Each verb is done whole or not at all. */
function settingsStore(connection: Connection, writes: GroupCommit): SettingsStore {
  const ofScope = connection.prepare(`
    SELECT ${settingColumns.names} FROM settings
    WHERE scope = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY name`);
  const put = connection.prepare(`
    ${insertInto('settings', settingColumns.names)}
    ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value, set_by = excluded.set_by,
      set_at = excluded.set_at, expires_at = excluded.expires_at`);
  const remove = connection.prepare('DELETE FROM settings WHERE scope = ? AND name = ?');

  function readScope(scope: string) {
    const found = ofScope.all(scope, connection.now()).map(readSetting);
    return Object.fromEntries(found.map(({ name, setting }) => [name, setting]));
  }

  return {
    read: async (scopes) => connection.read(() => scopes.map(readScope)),
    write: async (scope, changes, by) =>
      writes.add(() => {
        for (const [name, value] of Object.entries(changes)) {
          if (value === null) remove.run(scope, name);
          else put.run(...settingColumns.values({ scope, name, value, ...by }));
        }
      }),
  };
}

/** Keeps what was spent by scope and UTC day, as the store's `spend` and `spent` say. */
function spendingKeeper(connection: Connection) {
  const add = connection.prepare(`
    ${insertInto('spending', spendingColumns.names)}
    ON CONFLICT (scope, day) DO UPDATE SET cost_usd = spending.cost_usd + excluded.cost_usd`);
  const sum = connection.prepare(
    'SELECT total(cost_usd) AS cost_usd FROM spending WHERE scope = ? AND day >= ?',
  );
  return {
    /** Works inside the caller's `transaction`. */
    spend(scopes: readonly string[], costUsd: number): void {
      const day = utcDay(connection.now());
      for (const scope of new Set(scopes)) add.run(scope, day, costUsd);
    },
    /** Works inside the caller's `read`. */
    spent(scopes: readonly string[], since: number): readonly number[] {
      const day = Math.max(utcDay(since), oldestSpendingDay(connection.now()));
      return scopes.map((scope) => Number(sum.get(scope, day)?.cost_usd));
    },
  };
}

/** Claims a key, as the store's `claim` says. Works inside the caller's `transaction`. */
function keyClaimer(connection: Connection): (key: string, ttlMs: number) => boolean {
  // One statement: an expired claim is taken over in the same step in which it is looked at.
  const claim = connection.prepare(`
    INSERT INTO claims (key, expires_at) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?3`);
  return (key, ttlMs) => {
    const now = connection.now();
    return claim.run(key, claimExpiry(now, ttlMs), now).changes === 1;
  };
}
