import { DatabaseSync } from 'node:sqlite';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { StoreError } from '../store.ts';

/** Marks a file as ours ("Cncl"), so that another program's database is never migrated by mistake. */
const applicationId = 0x436e636c;

/**
 * What brings a file from one version to the next; its place in the list is the version it starts
 * from. A migration that has been released is never changed: a new one is added behind it.
 *
 * `seq` grows with every row, so that equal times are told apart by the order of storing. Steps and
 * usage hang on the turn's `seq` rather than on its id: new rows then lie next to each other however
 * many there are, and the index stays small.
 */
export const migrations: readonly string[] = [
  `
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
    ended_at INTEGER
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
    UNIQUE (thread_id, id)
  ) STRICT;
  CREATE INDEX messages_by_time ON messages (thread_id, created_at);
  CREATE INDEX messages_by_turn ON messages (thread_id, turn_id, created_at);
  CREATE INDEX questions_by_time ON messages (thread_id, created_at) WHERE role = 'human';
  CREATE INDEX imported_by_age ON messages (created_at) WHERE turn_seq IS NULL;

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
    PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX claims_by_expiry ON claims (expires_at);
  `,
  `
  ALTER TABLE settings ADD COLUMN expires_at INTEGER;
  CREATE INDEX settings_by_expiry ON settings (expires_at) WHERE expires_at IS NOT NULL;
  `,
  // `change` numbers what is remembered in the order in which it was completed. `workspace` stands
  // only where everyone in the workspace may read; for older messages that is unknown.
  `
  ALTER TABLE messages ADD COLUMN is_private INTEGER CHECK (is_private IN (0, 1));
  ALTER TABLE messages ADD COLUMN channel TEXT;
  ALTER TABLE messages ADD COLUMN workspace TEXT;
  ALTER TABLE messages ADD COLUMN change INTEGER;
  ALTER TABLE messages ADD COLUMN shard_id TEXT;
  UPDATE messages SET channel = channel_of(thread_id), change = seq WHERE status = 'complete';
  CREATE INDEX remembered_by_thread ON messages (thread_id, change) WHERE change IS NOT NULL;
  CREATE INDEX remembered_by_channel ON messages (channel, change) WHERE change IS NOT NULL;
  CREATE INDEX remembered_by_workspace ON messages (workspace, change) WHERE workspace IS NOT NULL;

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
  INSERT INTO memory_clocks
    SELECT workspace_of(thread_id), max(change), 0 FROM messages WHERE change IS NOT NULL GROUP BY 1;

  CREATE TABLE private_channels (
    channel TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  `,
  // `shard_sources` has the shards that were superseded, too, of which `messages.shard_id` knows nothing.
  `
  ALTER TABLE turns ADD COLUMN asked_by TEXT;
  UPDATE turns SET asked_by = json_extract(request, '$.author.id')
    WHERE json_type(request, '$.author.id') = 'text';

  CREATE TABLE shard_sources (
    message_seq INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
    shard_seq INTEGER NOT NULL REFERENCES shards (seq) ON DELETE CASCADE,
    PRIMARY KEY (message_seq, shard_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sources_by_shard ON shard_sources (shard_seq);
  INSERT INTO shard_sources
    SELECT messages.seq, shards.seq FROM shards, json_each(source_ids) AS source
    JOIN messages ON messages.thread_id = shards.thread_id AND messages.id = source.value
    GROUP BY 1, 2;

  CREATE TABLE forgotten_events (
    event_id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX forgotten_events_by_expiry ON forgotten_events (expires_at);
  `,
];

/** The version that this program reads and writes. */
const currentVersion = migrations.length;

/**
 * Looks whether a file is one of ours that this program can read, or new. Changes nothing.
 *
 * Throws {@link StoreError} `too_new` for a file that a newer program has written, and `corrupt` for
 * another program's database.
 */
export function assertOurs(database: DatabaseSync, path: string): void {
  const version = readVersion(database);
  const owner = Number(database.prepare('PRAGMA application_id').get()?.application_id);
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (owner !== applicationId && (owner !== 0 || version !== 0 || !isEmpty)) {
    throw new StoreError(
      `${path} is a SQLite database of another program. Set the store's path to another file.`,
      { reason: 'corrupt' },
    );
  }
  if (version > currentVersion) {
    throw new StoreError(
      `${path} was written by a newer version of Council (its format is ${version}, this one reads up to ${currentVersion}). Update Council, or set the store's path to another file.`,
      { reason: 'too_new' },
    );
  }
}

/**
 * Brings a file up to the last version, one transaction per version: a process that dies in between,
 * or a disk that is full, leaves the version that was reached.
 *
 * @param steps - The migrations, for tests that need some of their own.
 */
export function migrate(database: DatabaseSync, steps: readonly string[] = migrations): void {
  const version = readVersion(database);
  database.function('channel_of', { deterministic: true }, (id) => channelOf(String(id)));
  database.function('workspace_of', { deterministic: true }, (id) => workspaceOf(String(id)));
  for (const [index, statements] of steps.entries()) {
    if (index < version) continue;
    database.exec(`
      BEGIN IMMEDIATE;
      ${statements}
      PRAGMA application_id = ${applicationId};
      PRAGMA user_version = ${index + 1};
      COMMIT;
    `);
  }
}

/** What a file of the last version has, e.g. `table turns`; made once, when a file is first opened. */
let complete: readonly string[] | undefined;

/** What of its tables and indexes a file lacks that says it is of the last version. */
export function lackingIn(database: DatabaseSync): readonly string[] {
  if (complete === undefined) {
    const example = new DatabaseSync(':memory:');
    migrate(example);
    complete = partsOf(example);
    example.close();
  }
  const parts = new Set(partsOf(database));
  return complete.filter((part) => !parts.has(part));
}

function partsOf(database: DatabaseSync): readonly string[] {
  return database
    .prepare("SELECT type || ' ' || name AS part FROM sqlite_schema ORDER BY rowid")
    .all()
    .map(({ part }) => String(part));
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}
