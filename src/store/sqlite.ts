/** The store in one SQLite file, for one process: what `npm start` uses. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyClaimer } from './sqlite/claims.ts';
import { type Connection, openConnection, type SqliteStoreOptions } from './sqlite/connection.ts';
import { damaged } from './sqlite/errors.ts';
import { expiredTurns } from './sqlite/expired-turns.ts';
import { forgetter } from './sqlite/forgetter.ts';
import { groupCommit } from './sqlite/group-commit.ts';
import { sqliteMemoryStore } from './sqlite/memory-store.ts';
import { sqliteMessageStore } from './sqlite/message-store.ts';
import { sqliteSettingsStore } from './sqlite/settings-store.ts';
import { spendingReader, spendingWriter } from './sqlite/spending.ts';
import { sweeper } from './sqlite/sweeper.ts';
import { sqliteTurnStore } from './sqlite/turn-store.ts';
import type { Store } from './store.ts';

export type { SqliteStoreOptions } from './sqlite/connection.ts';

/**
 * Opens the store, and makes the file where there is none.
 *
 * SQLite is synchronous: the event loop stands still while it works, so transactions are short, and
 * what turns write at the same time is one of them; the file as a whole is rewritten by a thread.
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
  const spending = spendingWriter(connection);
  const spent = spendingReader(connection);
  const forget = forgetter(connection);
  const sweep = sweeper(connection, writes, expired);
  return {
    turns: sqliteTurnStore(connection, writes, expired),
    messages: sqliteMessageStore(connection, writes),
    memories: sqliteMemoryStore(connection, writes),
    settings: sqliteSettingsStore(connection, writes),
    claim: async (key, ttlMs) => writes.add(() => claim(key, ttlMs)),
    spend: async (scopes, costUsd) => writes.add(() => spending.add(scopes, costUsd)),
    spent: async (scopes, since) => spent(scopes, since),
    forget: async (request) => writes.add(() => forget(request)),
    scrub: () => writes.hold(() => connection.rewrite()),
    sweep,
    close: async () => {
      await writes.settled();
      connection.close();
    },
  };
}
