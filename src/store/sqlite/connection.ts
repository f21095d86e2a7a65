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
  closed,
  keptSinceIn,
  readJson,
  retentionMsOf,
  retentionScopeOf,
  retentionSetting,
} from '../checks.ts';
import { type RetentionOptions, StoreError } from '../store.ts';
import { cannotWrite, describeOpeningError, describeSqliteError } from './errors.ts';
import { addedIndexes, isNewFile, makeTables } from './schema.ts';

/** The file and its retention. */
export interface SqliteStoreOptions extends RetentionOptions {
  /**
   * The database file. A missing file or folder is created with access for its owner only, as are SQLite's
   * files beside it. `:memory:` stores nothing on disk.
   */
  readonly path: string;
}

/** An open file with its clock. */
export type Connection = ReturnType<typeof openConnection>;

/**
 * Opens a file for this process alone, and creates its tables if it is new.
 *
 * The lock is the operating system's and ends with the process, even after a crash. Throws
 * {@link StoreError} for a file that is in use, damaged, another program's, too new or not writable, without
 * changing it.
 */
export function openConnection(options: SqliteStoreOptions) {
  const path = options.path === ':memory:' ? options.path : resolve(options.path);
  const now = options.now ?? Date.now;
  const retentionMs = retentionMsOf(options.retentionDays);
  if (path !== ':memory:') assertWritable(path);
  const database = openDatabase(path);
  let file: number | undefined;
  const begin = prepare('BEGIN IMMEDIATE');
  const commit = prepare('COMMIT');
  const rollback = prepare('ROLLBACK');
  const ownRetention = prepare(`
    SELECT value FROM settings WHERE scope = ? AND name = '${retentionSetting}'
      AND (expires_at IS NULL OR expires_at > ?)`);

  /** Records created before this time (ms since 1970) have expired in every workspace. */
  function keptSince(): number {
    return Math.max(now() - retentionMs, Number.MIN_SAFE_INTEGER);
  }

  /**
   * Prepares a statement, to be run many times; call it only while the store is being opened. For a table
   * that the file lacks, closes the file and throws `corrupt`.
   */
  function prepare(sql: string): StatementSync {
    try {
      return database.prepare(sql);
    } catch (error) {
      database.close();
      throw describeOpeningError(error, path);
    }
  }

  /** Runs reads, converting SQLite's errors to {@link StoreError}. */
  function read<Result>(work: () => Result): Result {
    if (!database.isOpen) throw closed(path);
    try {
      return work();
    } catch (error) {
      throw describeSqliteError(error, path);
    }
  }

  return {
    prepare,
    now,
    keptSince,
    /** The same for one workspace, whose retention may be shorter. */
    keptSinceIn: (workspace: string): number => {
      const scope = retentionScopeOf(workspace);
      const row = scope === undefined ? undefined : ownRetention.get(scope, now());
      const value = row && readJson(row.value, `Setting ${retentionSetting} of ${scope}`);
      return keptSinceIn(value, keptSince(), now());
    },
    read,
    /** Runs work in a transaction, rolled back if it throws. Errors as in `read`. */
    transaction: <Result>(work: () => Result): Result =>
      read(() => {
        begin.run();
        try {
          const result = work();
          commit.run();
          return result;
        } catch (error) {
          // If the disk is full, SQLite has rolled back already.
          if (database.isTransaction) rollback.run();
          throw error;
        }
      }),
    /** False also inside `transaction` once SQLite has rolled it back. */
    isInTransaction: () => database.isTransaction,
    /** The absolute path of the file, or `:memory:`. */
    path,
    /**
     * A file descriptor, for what SQLite can't do; `undefined` in memory. Never close it before the
     * connection: the system would release all locks of this process on the file.
     */
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

function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { enableForeignKeyConstraints: true, defensive: true });
    // Before the first access, which takes the lock. Exclusive mode also avoids shared memory for the log.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const isNew = isNewFile(database, path);
    if (path !== ':memory:') keepToOwner(path);
    // NORMAL: acknowledged writes survive the death of the process, because the operating system has them; a
    // power failure may lose the last moments, never the file. FULL would wait for the disk at every
    // checkpoint and block all other turns meanwhile.
    // MEMORY: otherwise undo data goes to temporary files: three of four writes when many turns run at
    // once, and text in places that are easily overlooked.
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = MEMORY;
    `);
    if (isNew) makeTables(database);
    database.exec(addedIndexes);
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw describeOpeningError(error, path);
  }
}

const ownerOnly = { file: 0o600, folder: 0o700 } as const;

/**
 * Ensures a writable file. SQLite would open one without write access read-only and fail at the first write, and
 * it creates files that everyone can read.
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
    makeFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else closeSync(openSync(path, 'a', ownerOnly.file));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Makes a folder and its missing parents. Node's `recursive` never returns where none can be made: `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, ownerOnly.folder);
}

/** Restricts existing files to their owner; files that SQLite creates later inherit the mode. */
function keepToOwner(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (!existsSync(file)) continue;
    try {
      chmodSync(file, ownerOnly.file);
    } catch {
      // The file belongs to another user, who gave this process write access.
    }
  }
}

export type GroupCommit = ReturnType<typeof groupCommit>;

interface Waiting {
  /** Runs the work and returns how to resolve its promise, once the group is committed. */
  run(): () => void;
  reject(error: unknown): void;
}

/** Commits all work added in one turn of the event loop together. */
export function groupCommit(connection: Connection) {
  const open = connection.prepare('SAVEPOINT one');
  const release = connection.prepare('RELEASE one');
  const undo = connection.prepare('ROLLBACK TO one');
  let waiting: Waiting[] = [];
  let committed = Promise.resolve();

  function commit(): void {
    const group = waiting;
    waiting = [];
    try {
      const settling = connection.transaction(() => group.map(runInSavepoint));
      for (const settle of settling) settle();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** Undoes only this work if it throws. */
  function runInSavepoint({ run, reject }: Waiting): () => void {
    open.run();
    let settle: () => void;
    try {
      settle = run();
    } catch (error) {
      // If the disk is full, SQLite has rolled back the whole group.
      if (!connection.isInTransaction()) throw error;
      undo.run();
      settle = () => reject(error);
    }
    release.run();
    return settle;
  }

  return {
    /**
     * Runs work atomically and resolves once it is committed. Work runs in the order added, and work that
     * throws doesn't affect the rest of its group.
     */
    add: <Result>(work: () => Result): Promise<Result> => {
      if (waiting.length === 0) committed = afterThisTurn().then(commit);
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const run = () => {
        const result = connection.read(work);
        return () => resolve(result);
      };
      waiting.push({ run, reject });
      return promise;
    },
    /** Waits until all added work is committed or has failed. */
    settled: () => committed,
  };
}
