import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';
import { damaged } from './errors.ts';

/** Marks a file as Council's ("Cncl"), to never write to another program's database. */
const applicationId = 0x436e636c;

/** The version of the schema. Raise it with every change. */
const format = 4;

/**
 * `seq` grows with every row and orders rows with equal times. Steps and usage refer to the turn's `seq`, not
 * its id, so new rows are adjacent and the index stays small. `change` numbers remembered rows in the order
 * they were completed; `workspace` is NULL unless the whole workspace may read the row.
 */
const schema = `
  CREATE TABLE turns (
    seq INTEGER PRIMARY KEY,
    turn_id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL,
    event_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'ended')),
    attempt INTEGER NOT NULL,
    outcome TEXT,
    request TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    asked_by TEXT
  ) STRICT;
  CREATE INDEX turns_by_thread ON turns (thread_id, created_at);
  CREATE INDEX turns_by_age ON turns (created_at);
  CREATE INDEX turns_unfinished ON turns (created_at) WHERE status <> 'ended';

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    turn_id TEXT,
    turn_seq INTEGER,
    role TEXT NOT NULL CHECK (role IN ('human', 'ai')),
    type TEXT NOT NULL CHECK (type IN ('user_query', 'sage_output')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'complete')),
    sage TEXT,
    author TEXT,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    parent_id TEXT,
    platform_message_id TEXT,
    is_private INTEGER CHECK (is_private IN (0, 1)),
    channel TEXT,
    workspace TEXT,
    change INTEGER,
    shard_id TEXT,
    UNIQUE (thread_id, id)
  ) STRICT;
  CREATE INDEX messages_by_time ON messages (thread_id, created_at);
  CREATE INDEX messages_by_turn ON messages (thread_id, turn_id, created_at);
  CREATE INDEX questions_by_time ON messages (thread_id, created_at) WHERE role = 'human';
  CREATE INDEX imported_by_age ON messages (created_at) WHERE turn_seq IS NULL;
  CREATE INDEX remembered_by_thread ON messages (thread_id, change) WHERE change IS NOT NULL;
  CREATE INDEX remembered_by_channel ON messages (channel, change) WHERE change IS NOT NULL;
  CREATE INDEX remembered_by_workspace ON messages (workspace, change) WHERE workspace IS NOT NULL;

  CREATE TABLE steps (
    seq INTEGER PRIMARY KEY,
    turn_seq INTEGER NOT NULL REFERENCES turns (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (turn_seq, kind, key)
  ) STRICT;

  CREATE TABLE usage (
    seq INTEGER PRIMARY KEY,
    turn_seq INTEGER NOT NULL REFERENCES turns (seq) ON DELETE CASCADE,
    id TEXT NOT NULL,
    user TEXT NOT NULL,
    sage_name TEXT,
    stage TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_usd REAL,
    estimated INTEGER NOT NULL CHECK (estimated IN (0, 1)),
    outcome TEXT NOT NULL,
    latency_ms REAL NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (turn_seq, id)
  ) STRICT;

  CREATE TABLE spending (
    scope TEXT NOT NULL,
    day INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    PRIMARY KEY (scope, day)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX spending_by_day ON spending (day);

  CREATE TABLE settings (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    set_by TEXT NOT NULL,
    set_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX settings_by_expiry ON settings (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX claims_by_expiry ON claims (expires_at);

  CREATE TABLE shards (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    workspace TEXT,
    is_private INTEGER NOT NULL CHECK (is_private IN (0, 1)),
    text TEXT NOT NULL,
    source_ids TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ages_from INTEGER NOT NULL,
    superseded_at INTEGER,
    mark TEXT,
    change INTEGER NOT NULL,
    UNIQUE (thread_id, id)
  ) STRICT;
  CREATE INDEX shards_by_thread ON shards (thread_id, change);
  CREATE INDEX shards_by_channel ON shards (channel, change);
  CREATE INDEX shards_by_workspace ON shards (workspace, change) WHERE workspace IS NOT NULL;
  CREATE INDEX shards_by_age ON shards (ages_from);

  CREATE TABLE message_vectors (
    message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
  ) STRICT;
  CREATE TABLE shard_vectors (
    shard_seq INTEGER PRIMARY KEY REFERENCES shards (seq) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
  ) STRICT;

  CREATE TRIGGER changed_text_has_no_vector AFTER UPDATE OF content ON messages BEGIN
    DELETE FROM message_vectors WHERE message_seq = old.seq;
  END;

  CREATE TABLE memory_clocks (
    workspace TEXT PRIMARY KEY,
    change INTEGER NOT NULL,
    epoch INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE private_channels (
    channel TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE forgotten_events (
    event_id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX forgotten_events_by_expiry ON forgotten_events (expires_at);
`;

/** Indexes that older files of this format lack. */
export const addedIndexes = `
  CREATE INDEX IF NOT EXISTS private_by_channel ON messages (channel, created_at)
    WHERE is_private = 1 AND role = 'human';
`;

/**
 * Checks that a file is new or a readable store, and returns whether it is new. Changes nothing.
 *
 * @throws {@link StoreError} `too_new` for a file of a newer version, `corrupt` for a damaged file or another
 *   program's database.
 */
export function isNewFile(database: DatabaseSync, path: string): boolean {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  const owner = Number(database.prepare('PRAGMA application_id').get()?.application_id);
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  const isNew = owner === 0 && version === 0 && isEmpty;
  if (owner !== applicationId && !isNew) {
    throw new StoreError(
      `${path} is a SQLite database of another program. Set the store's path to another file.`,
      { reason: 'corrupt' },
    );
  }
  if (version > format) {
    throw new StoreError(
      `${path} was written by a newer version of Council (its format is ${version}, this one reads up to ${format}). Update Council, or set the store's path to another file.`,
      { reason: 'too_new' },
    );
  }
  if (!isNew && version < format) throw damaged(path, `is damaged (its format is ${version})`);
  return isNew;
}

/** Creates the tables of a new file, atomically. */
export function makeTables(database: DatabaseSync): void {
  database.exec(`
    BEGIN IMMEDIATE;
    ${schema}
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${format};
    COMMIT;
  `);
}
