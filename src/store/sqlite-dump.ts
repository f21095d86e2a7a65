/** Reads and writes a whole SQLite store, for copying. */

import type { SQLInputValue } from 'node:sqlite';
import { channelOf, workspaceOf } from '../domain/thread-id.ts';
import type { Dump, DumpRecord, MemoryEntry, Remembered } from './copy.ts';
import { type Connection, openConnection, type SqliteStoreOptions } from './sqlite/connection.ts';
import {
  claimColumns,
  forgottenColumns,
  insertInto,
  messageColumns,
  type Row,
  readMessage,
  readSetting,
  readShard,
  readVector,
  settingColumns,
  shardColumns,
  spendingColumns,
  turnColumns,
  turnGroupReader,
} from './sqlite/rows.ts';
import {
  messageInsert,
  messageInsertValues,
  shardInsert,
  shardInsertValues,
  stepAndUsageWriter,
} from './sqlite/writers.ts';
import { sqliteStore } from './sqlite.ts';
import { mostRemembered, type StoredVector } from './store.ts';

type Of<Kind extends DumpRecord['kind']> = Extract<DumpRecord, { kind: Kind }>;

/** Opens a file without any retention, so records of all ages are read. Throws like `openSqliteStore`. */
export function openSqliteDump(options: Omit<SqliteStoreOptions, 'retentionDays'>): Dump {
  const connection = openConnection(options);
  return {
    store: sqliteStore(connection),
    read: dumpReader(connection),
    write: dumpWriter(connection),
  };
}

/** The share of the progress to assign to turns, messages and shards. */
const threadsShare = 0.95;

/** Reads turns, messages and shards by thread, then the records that belong to no thread. */
function dumpReader(connection: Connection): Dump['read'] {
  const parts = threadParts(connection);
  const sections = sectionReaders(connection);
  const count = connection.prepare(
    `SELECT ${parts.map(({ table }) => `(SELECT count(*) FROM ${table})`).join(' + ')} AS count`,
  );

  return async function* read(limit) {
    const all = Number(connection.read(() => count.get())?.count);
    let done = 0;
    for (const { after, recordOf } of parts) {
      let last: readonly SQLInputValue[] = ['', Number.MIN_SAFE_INTEGER, 0];
      let rank = -1;
      for (let found = limit; found === limit; ) {
        const records = connection.read(() => {
          const rows = after.all(...last, limit);
          found = rows.length;
          return rows.flatMap((row) => {
            const { thread_id = null, created_at = null, seq = null } = row;
            rank = thread_id === last[0] ? rank + 1 : 0;
            last = [thread_id, created_at, seq];
            return recordOf(row, rank) ?? [];
          });
        });
        done += found;
        yield { records, share: (threadsShare * done) / Math.max(1, all) };
      }
    }
    for (const readSection of sections) {
      for (let offset = 0, found = limit; found === limit; offset += limit) {
        const records = connection.read(() => readSection(offset, limit));
        found = records.length;
        yield { records, share: threadsShare };
      }
    }
    yield { records: [], share: 1 };
  };
}

/** Ordered so that messages follow their turns, and shards their messages. Call `recordOf` inside `read`. */
function threadParts(connection: Connection) {
  const readGroup = turnGroupReader(connection);
  const message = rememberedReader(connection, 'message');
  const shard = rememberedReader(connection, 'shard');
  const part = (
    table: string,
    columns: string,
    recordOf: (row: Row, rank: number) => DumpRecord | undefined,
  ) => ({
    ...{ table, recordOf },
    after: connection.prepare(`
      SELECT seq, thread_id, created_at, ${columns} FROM ${table}
      WHERE (thread_id, created_at, seq) > (?, ?, ?)
      ORDER BY thread_id, created_at, seq LIMIT ?`),
  });
  return [
    part('turns', 'turn_id, event_id', (row, rank) => {
      const group = readGroup(String(row.turn_id));
      if (group === undefined) return undefined;
      const { messages: _, ...turn } = group;
      return { kind: 'turn', rank, turn: { ...turn, eventId: String(row.event_id) } };
    }),
    part(
      'messages',
      `turn_seq, shard_id, change, channel, workspace, ${messageColumns.names}`,
      (row, rank) => ({
        ...({ kind: 'message', rank, message: readMessage(row) } as const),
        isImported: row.turn_seq === null,
        ...(typeof row.shard_id === 'string' && { shardId: row.shard_id }),
        ...message(row),
      }),
    ),
    part('shards', `change, channel, workspace, ${shardColumns.names}`, (row) =>
      row.superseded_at === null
        ? { ...({ kind: 'shard', shard: readShard(row) } as const), ...shard(row) }
        : undefined,
    ),
  ];
}

/** Each reads a page of one kind of record that belongs to no thread. Call inside `read`. */
function sectionReaders(connection: Connection) {
  const section = (
    { table, key, names }: { readonly table: string; readonly key: string; readonly names: string },
    readRow: (row: Row) => DumpRecord,
    isKept = 'expires_at IS NULL OR expires_at > ?3',
  ) => {
    const statement = connection.prepare(`
      SELECT ${names} FROM ${table} WHERE ${isKept} ORDER BY ${key} LIMIT ?2 OFFSET ?1`);
    return (offset: number, limit: number): readonly DumpRecord[] =>
      statement.all(offset, limit, connection.now()).map(readRow);
  };
  const [spending, claims] = [spendingColumns, claimColumns];
  return [
    section(
      { table: 'spending', key: 'scope, day', names: spending.names },
      (row) => ({ kind: 'spending', ...spending.read(row, 'A sum of spending') }),
      '?3 IS NOT NULL',
    ),
    section({ table: 'claims', key: 'key', names: claims.names }, (row) => ({
      ...{ kind: 'claim', ...claims.read(row, 'A claim') },
    })),
    section(
      { table: 'forgotten_events', key: 'event_id', names: forgottenColumns.names },
      (row) => ({ kind: 'forgotten', ...forgottenColumns.read(row, 'An event') }),
    ),
    section({ table: 'settings', key: 'scope, name', names: settingColumns.names }, (row) => ({
      ...{ kind: 'setting', ...readSetting(row) },
    })),
  ];
}

/**
 * Reads the memory entry and vector of a message or shard, from a row with `seq`, `thread_id`, `change`,
 * `channel` and `workspace`. Includes only entries among the newest {@link mostRemembered} of the thread or
 * the workspace. Call inside `read`.
 */
function rememberedReader(
  connection: Connection,
  kind: 'message' | 'shard',
): (row: Row) => Remembered {
  const oldest = (column: string) => {
    const statement = connection.prepare(`
      SELECT change FROM ${kind}s WHERE ${column} = ? AND change > 0
      ORDER BY change DESC LIMIT 1 OFFSET ${mostRemembered}`);
    return (value: SQLInputValue = null) => Number(statement.get(value)?.change ?? 0);
  };
  const ofThread = oldest('thread_id');
  const ofWorkspace = oldest('workspace');
  const isPrivate = connection.prepare('SELECT 1 FROM private_channels WHERE channel = ?');
  const vectorOf = connection.prepare(
    `SELECT model, vector FROM ${kind}_vectors WHERE ${kind}_seq = ?`,
  );

  return ({ seq = null, thread_id, change: stored, channel = null, workspace }) => {
    const change = Number(stored ?? 0);
    const vector = vectorOf.get(seq);
    return {
      ...(change > ofThread(thread_id) && {
        memory: {
          change,
          isOpen: workspace !== null && change > ofWorkspace(workspace),
          isChannelPrivate: isPrivate.get(channel) !== undefined,
        },
      }),
      ...(vector !== undefined && { vector: readVector(vector) }),
    };
  };
}

/** Stores each page of records in one transaction. */
function dumpWriter(connection: Connection): Dump['write'] {
  const unlessKnown = (insert: string) => connection.prepare(`${insert} ON CONFLICT DO NOTHING`);
  const insertTurn = connection.prepare(
    `${insertInto('turns', `${turnColumns.names}, event_id, request`)} ON CONFLICT (turn_id) DO NOTHING`,
  );
  const turnSeq = connection.prepare('SELECT seq FROM turns WHERE turn_id = ?');
  const { putSteps, putUsage } = stepAndUsageWriter(connection);
  const insertMessage = unlessKnown(messageInsert);
  const markSource = connection.prepare('UPDATE messages SET shard_id = ? WHERE seq = ?');
  const insertShard = unlessKnown(shardInsert);
  const moveClock = connection.prepare(`
    INSERT INTO memory_clocks (workspace, change, epoch) VALUES (?, ?, 0)
    ON CONFLICT (workspace) DO UPDATE SET change = max(change, excluded.change)`);
  const closeChannel = unlessKnown('INSERT INTO private_channels (channel) VALUES (?)');
  const insertVector = {
    message: connection.prepare(insertInto('message_vectors', 'message_seq, model, vector')),
    shard: connection.prepare(insertInto('shard_vectors', 'shard_seq, model, vector')),
  } as const;
  const insertSetting = unlessKnown(insertInto('settings', settingColumns.names));
  const insertClaim = unlessKnown(insertInto('claims', claimColumns.names));
  const insertForgotten = unlessKnown(insertInto('forgotten_events', forgottenColumns.names));
  const insertSpending = unlessKnown(insertInto('spending', spendingColumns.names));

  /** The memory columns of a complete record; change 0 if it is too old to be remembered. */
  function memoryColumns(threadId: string, memory: MemoryEntry | undefined) {
    const channel = channelOf(threadId);
    if (memory === undefined) return { channel, workspace: null, change: 0 };
    const { change, isOpen, isChannelPrivate } = memory;
    const workspace = workspaceOf(threadId);
    moveClock.run(workspace, change);
    if (isChannelPrivate) closeChannel.run(channel);
    return { channel, workspace: isOpen ? workspace : null, change };
  }

  function keepVector(kind: 'message' | 'shard', seq: number | bigint, vector?: StoredVector) {
    if (vector === undefined) return;
    insertVector[kind].run(seq, vector.model, new Uint8Array(vector.values));
  }

  function writeTurn({ turn }: Of<'turn'>): void {
    const values = [...turnColumns.values(turn), turn.eventId, JSON.stringify(turn.request)];
    const { changes, lastInsertRowid } = insertTurn.run(...values);
    if (changes === 0) return;
    const seq = Number(lastInsertRowid);
    putSteps(seq, turn.steps);
    // Spending has separate records.
    putUsage(seq, turn.usage);
  }

  function writeMessage({ message, isImported, shardId, memory, vector }: Of<'message'>): void {
    const owner = isImported ? null : Number(turnSeq.get(message.turnId ?? null)?.seq);
    const isComplete = message.status === 'complete';
    const columns = isComplete ? memoryColumns(message.threadId, memory) : undefined;
    const { changes, lastInsertRowid } = insertMessage.run(
      ...messageInsertValues(message, owner, columns),
    );
    if (changes === 0) return;
    if (shardId !== undefined) markSource.run(shardId, lastInsertRowid);
    keepVector('message', lastInsertRowid, vector);
  }

  function writeShard({ shard, memory, vector }: Of<'shard'>): void {
    const { changes, lastInsertRowid } = insertShard.run(
      ...shardInsertValues(shard, memoryColumns(shard.threadId, memory)),
    );
    if (changes === 0) return;
    keepVector('shard', lastInsertRowid, vector);
  }

  function writeOne(record: DumpRecord): unknown {
    switch (record.kind) {
      case 'turn':
        return writeTurn(record);
      case 'message':
        return writeMessage(record);
      case 'shard':
        return writeShard(record);
      case 'setting':
        return insertSetting.run(...settingColumns.values({ ...record, ...record.setting }));
      case 'claim':
        return insertClaim.run(...claimColumns.values(record));
      case 'forgotten':
        return insertForgotten.run(...forgottenColumns.values(record));
      case 'spending':
        return insertSpending.run(...spendingColumns.values(record));
    }
  }

  return async (records) => {
    connection.transaction(() => {
      for (const record of records) writeOne(record);
    });
  };
}
