import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import {
  keptSinceIn,
  readJson,
  retentionMsOf,
  retentionScopeOf,
  retentionSetting,
} from '../checks.ts';
import { StoreError } from '../store.ts';
import { cannotWrite, damaged, describeOpeningError, describeSqliteError } from './errors.ts';
import { isNewFile, lackingIn, makeTables } from './schema.ts';

/** Where the store lies and how long it keeps what it is given. */
export interface SqliteStoreOptions {
  /**
   * The database file; its folder is made if it is missing. Both are made for their owner alone, and so
   * are the files beside it. `:memory:` keeps nothing.
   */
  readonly path: string;
  /** Days, above 0, after which turns and messages are gone. Absent: they are kept. */
  readonly retentionDays?: number;
  /** Upper bound of the file, in bytes; what would pass it is refused as `full`. Absent: the disk's. */
  readonly maxBytes?: number;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** An open file, its clock, and the two ways to work with it. */
export interface Connection {
  /** Prepares a statement once, to be kept and run many times. */
  prepare(sql: string): StatementSync;
  now(): number;
  /** What was made before this moment (ms since 1970) has expired in every workspace. */
  keptSince(): number;
  /** The same of one workspace, which may keep things for less long. */
  keptSinceIn(workspace: string): number;
  /** Reads. SQLite's refusals come as {@link StoreError}. */
  read<Result>(work: () => Result): Result;
  /** Does all of the work or, when it throws, nothing of it. Errors as in `read`. */
  transaction<Result>(work: () => Result): Result;
  /** False also within {@link transaction} once SQLite has given it up. */
  isInTransaction(): boolean;
  /** The absolute path of the file, or `:memory:`. */
  readonly path: string;
  /**
   * A descriptor of the file itself, for what SQLite can't do; absent in memory. It is closed with the
   * connection and never before: the system would give up all locks of this process on the file.
   */
  file(): number | undefined;
  isOpen(): boolean;
  close(): void;
}

/**
 * Opens a file for this process alone, and makes its tables where it is new.
 *
 * The lock is the operating system's on the open file: it ends with the process, however that ends.
 * Throws {@link StoreError} for a file that is in use, damaged, another program's, too new or can't
 * be written; the file is then as it was.
 */
export function openConnection(options: SqliteStoreOptions): Connection {
  const path = options.path === ':memory:' ? options.path : resolve(options.path);
  const now = options.now ?? Date.now;
  const retentionMs = retentionMsOf(options.retentionDays);
  if (path !== ':memory:') assertWritable(path);
  const database = openDatabase(path, options.maxBytes);
  let file: number | undefined;
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const ownRetention = database.prepare(`
    SELECT value FROM settings WHERE scope = ? AND name = '${retentionSetting}'
      AND (expires_at IS NULL OR expires_at > ?)`);
  const keptSince = () => Math.max(now() - retentionMs, Number.MIN_SAFE_INTEGER);

  function read<Result>(work: () => Result): Result {
    assertOpen(database, path);
    try {
      return work();
    } catch (error) {
      throw describeSqliteError(error, path);
    }
  }

  return {
    prepare: (sql) => read(() => database.prepare(sql)),
    now,
    keptSince,
    keptSinceIn: (workspace) => {
      const scope = retentionScopeOf(workspace);
      const row = scope === undefined ? undefined : ownRetention.get(scope, now());
      const value = row && readJson(row.value, `Setting ${retentionSetting} of ${scope}`);
      return keptSinceIn(value, keptSince(), now());
    },
    read,
    transaction: (work) =>
      read(() => {
        begin.run();
        try {
          const result = work();
          commit.run();
          return result;
        } catch (error) {
          // A full disk has ended the transaction by itself.
          if (database.isTransaction) rollback.run();
          throw error;
        }
      }),
    isInTransaction: () => database.isTransaction,
    path,
    file: () => {
      if (path !== ':memory:') file ??= openSync(path, 'r+');
      return file;
    },
    isOpen: () => database.isOpen,
    close: () => {
      if (!database.isOpen) return;
      database.close();
      if (file !== undefined) closeSync(file);
    },
  };
}

function openDatabase(path: string, maxBytes: number | undefined): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { enableForeignKeyConstraints: true, defensive: true });
    // Before the first access: the lock is held from then on, and the log needs no shared memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const isNew = isNewFile(database, path);
    if (path !== ':memory:') keepToOwner(path);
    // NORMAL: what was acknowledged survives the death of the process, since the operating system
    // has it; a loss of power may take the last moments, never the file. FULL would wait for the
    // disk at every checkpoint, with every other turn halted meanwhile.
    // MEMORY: what a statement may have to undo is kept beside the file otherwise, in files of the
    // system: three of four writes when many turns run at once, and text in places that are easy to overlook.
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = MEMORY;
    `);
    if (maxBytes !== undefined) {
      const pages = Math.floor(maxBytes / numberOf(database, 'page_size'));
      database.exec(`PRAGMA max_page_count = ${pages}`);
    }
    if (isNew) makeTables(database);
    const [lacking, ...more] = lackingIn(database);
    if (lacking !== undefined) {
      const andMore = more.length > 0 ? ` and ${more.length} more` : '';
      throw damaged(path, `lacks its ${lacking}${andMore}`);
    }
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw describeOpeningError(error, path);
  }
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

const ownerOnly = { file: 0o600, folder: 0o700 } as const;

/**
 * SQLite opens what it may not write for reading only, and says so at the first write: too late. And it
 * makes files that everybody can read.
 */
function assertWritable(path: string): void {
  const folder = dirname(path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreError(
      `${path} is a folder. Set the store's path to a file, e.g. ${join(path, 'council.db')}.`,
      { reason: 'refused' },
    );
  }
  try {
    mkdirSync(folder, { recursive: true, mode: ownerOnly.folder });
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else closeSync(openSync(path, 'a', ownerOnly.file));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Of a file from before, and of a log that a process left; what SQLite makes from now on is made alike. */
function keepToOwner(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (!existsSync(file)) continue;
    try {
      chmodSync(file, ownerOnly.file);
    } catch {
      // It is another user's, who has let this process write it.
    }
  }
}

function assertOpen(database: DatabaseSync, path: string): void {
  if (database.isOpen) return;
  throw new StoreError(`The store ${path} was closed. Open it again to use it.`, {
    reason: 'unreachable',
  });
}

export interface GroupCommit {
  /**
   * Does all of the work, or when it throws nothing of it, and answers once it is committed. Work is
   * done in the order in which it was added; that another one throws does not touch it.
   */
  add<Result>(work: () => Result): Promise<Result>;
  /** Waits until everything that was added is committed or refused. */
  settled(): Promise<void>;
}

interface Waiting {
  /** Does the work and keeps its result; what it throws is kept for `settle` and thrown on. */
  run(): void;
  settle(): void;
  /** The commit itself failed, and with it everything in it. */
  fail(error: unknown): void;
}

export function groupCommit(connection: Connection): GroupCommit {
  const open = connection.prepare('SAVEPOINT one');
  const release = connection.prepare('RELEASE one');
  const undo = connection.prepare('ROLLBACK TO one');
  let waiting: Waiting[] = [];
  let committed = Promise.resolve();

  function commit(): void {
    const group = waiting;
    waiting = [];
    try {
      connection.transaction(() => {
        for (const work of group) alone(work);
      });
      for (const work of group) work.settle();
    } catch (error) {
      for (const work of group) work.fail(error);
    }
  }

  /** One that throws is undone without the others. */
  function alone(work: Waiting): void {
    open.run();
    try {
      work.run();
    } catch (error) {
      // A full disk has ended the transaction by itself, and with it what the others had done.
      if (!connection.isInTransaction()) throw error;
      // The error is kept by the work itself, for the caller.
      undo.run();
    }
    release.run();
  }

  return {
    add: <Result>(work: () => Result) => {
      if (waiting.length === 0) committed = afterThisTurn().then(commit);
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      let settle: () => void;
      waiting.push({
        run: () => {
          try {
            const result = connection.read(work);
            settle = () => resolve(result);
          } catch (error) {
            settle = () => reject(error);
            throw error;
          }
        },
        settle: () => settle(),
        fail: reject,
      });
      return promise;
    },
    settled: () => committed,
  };
}
