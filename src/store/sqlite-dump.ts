/** The store in a SQLite file as a whole, for moving it elsewhere. */

import type { SQLInputValue } from 'node:sqlite';
import { channelOf, workspaceOf } from '../domain/thread-id.ts';
import type { Dump, DumpRecord, Standing } from './copy.ts';
import { type Connection, openConnection, type SqliteStoreOptions } from './sqlite/connection.ts';
import {
  messageInsert,
  messageInsertValues,
  shardInsert,
  shardInsertValues,
} from './sqlite/remembering.ts';
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
import { stepAndUsageWriter } from './sqlite/turn-store.ts';
import { sqliteStore } from './sqlite.ts';
import { mostRemembered, type StoredVector } from './store.ts';

type Of<Kind extends DumpRecord['kind']> = Extract<DumpRecord, { kind: Kind }>;

/** Nothing is too old for it. Throws as `openSqliteStore` does. */
export function openSqliteDump(options: Omit<SqliteStoreOptions, 'retentionDays'>): Dump {
  const connection = openConnection(options);
  return {
    store: sqliteStore(connection),
    read: dumpReader(connection),
    write: dumpWriter(connection),
  };
}

/** How much of the whole is taken for turns, messages and shards. */
const threadsShare = 0.95;

/** Goes through everything: turns, messages and shards by thread, then what belongs to none. */
function dumpReader(connection: Connection): Dump['read'] {
  const parts = threadParts(connection);
  const sections = sectionReaders(connection);
  const count = connection.prepare(
    `SELECT ${parts.map(({ table }) => `(SELECT count(*) FROM ${table})`).join(' + ')} AS count`,
  );

  return async function* read(limit) {
    const all = Number(connection.read(() => count.get())?.count);
    let done = 0;
    for (const { behind, recordOf } of parts) {
      let last: readonly SQLInputValue[] = ['', Number.MIN_SAFE_INTEGER, 0];
      let rank = -1;
      for (let found = limit; found === limit; ) {
        const records = connection.read(() => {
          const rows = behind.all(...last, limit);
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

/** In this order: messages refer to turns, shards to messages. `recordOf` works inside the caller's `read`. */
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
    behind: connection.prepare(`
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

/** Each reads what belongs to no thread, some at a time, inside the caller's `read`. */
function sectionReaders(connection: Connection) {
  const section = (
    { table, key, names }: { readonly table: string; readonly key: string; readonly names: string },
    readRow: (row: Row) => DumpRecord,
    isThere = 'expires_at IS NULL OR expires_at > ?3',
  ) => {
    const statement = connection.prepare(`
      SELECT ${names} FROM ${table} WHERE ${isThere} ORDER BY ${key} LIMIT ?2 OFFSET ?1`);
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
 * Reads how messages or shards are remembered, of rows with `seq`, `thread_id`, `change`, `channel` and
 * `workspace`: as far as it is of use, that is among the newest {@link mostRemembered} of its thread
 * and of its workspace. Works inside the caller's `read`.
 */
function rememberedReader(
  connection: Connection,
  kind: 'message' | 'shard',
): (row: Row) => { readonly standing?: Standing; readonly vector?: StoredVector } {
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
        standing: {
          change,
          isOpen: workspace !== null && change > ofWorkspace(workspace),
          isChannelPrivate: isPrivate.get(channel) !== undefined,
        },
      }),
      ...(vector !== undefined && { vector: readVector(vector) }),
    };
  };
}

/** Stores records in a file as they are, each portion as one transaction. */
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

  /** Where it stands in the file; 0 for what is complete and so old that it is found no more. */
  function placed(threadId: string, standing: Standing | undefined) {
    const channel = channelOf(threadId);
    if (standing === undefined) return { channel, workspace: null, change: 0 };
    const { change, isOpen, isChannelPrivate } = standing;
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
    // What it cost is counted by records of its own.
    putUsage(seq, turn.usage);
  }

  function writeMessage({ message, isImported, shardId, standing, vector }: Of<'message'>): void {
    const owner = isImported ? null : Number(turnSeq.get(message.turnId ?? null)?.seq);
    const isComplete = message.status === 'complete';
    const place = isComplete ? placed(message.threadId, standing) : undefined;
    const { changes, lastInsertRowid } = insertMessage.run(
      ...messageInsertValues(message, owner, place),
    );
    if (changes === 0) return;
    if (shardId !== undefined) markSource.run(shardId, lastInsertRowid);
    keepVector('message', lastInsertRowid, vector);
  }

  function writeShard({ shard, standing, vector }: Of<'shard'>): void {
    const { changes, lastInsertRowid } = insertShard.run(
      ...shardInsertValues(shard, placed(shard.threadId, standing)),
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
