/** Reads and writes a whole SQLite store, for copying. */

import { channelOf, workspaceOf } from '../domain/thread-id.ts';
import {
  type Dump,
  type DumpRecord,
  type MemoryEntry,
  type Remembered,
  rankCounter,
} from './copy.ts';
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
  turnGroupReader,
} from './sqlite/rows.ts';
import {
  messageInsert,
  messageInsertValues,
  shardInsert,
  shardInsertValues,
  stepAndUsageWriter,
  turnInsert,
  turnInsertValues,
} from './sqlite/writers.ts';
import { sqliteStore } from './sqlite.ts';
import type { StoredVector } from './store.ts';

type MessageRecord = Extract<DumpRecord, { kind: 'message' }>;

/** Opens a file without any retention, so records of all ages are read. Throws like `openSqliteStore`. */
export function openSqliteDump(options: Omit<SqliteStoreOptions, 'retentionDays'>): Dump {
  const connection = openConnection(options);
  return {
    store: sqliteStore(connection),
    read: dumpReader(connection),
    write: dumpWriter(connection),
  };
}

const tables = [
  ...['turns', 'messages', 'shards'],
  ...['spending', 'claims', 'forgotten_events', 'settings'],
];

function dumpReader(connection: Connection): Dump['read'] {
  const readRecords = recordReader(connection);
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`);
  const count = connection.prepare(`SELECT ${counts.join(' + ')} AS count`);

  return async function* read(limit) {
    const all = Number(connection.read(() => count.get())?.count);
    using records = readRecords();
    for (let done = 0, found = limit; found === limit; done += found) {
      const page = connection.read(() => nextOf(records, limit));
      found = page.length;
      yield { records: page, share: found < limit ? 1 : done / all };
    }
  };
}

/** The next items, at most `limit`; the iterator can be used again. */
function nextOf<Item>(items: Iterator<Item>, limit: number): readonly Item[] {
  const next = Array.from({ length: limit }, () => items.next());
  return next.flatMap(({ done, value }) => (done ? [] : [value]));
}

/** Reads turns, messages and shards by thread, then the records of no thread. Iterate inside `read`. */
function recordReader(connection: Connection): () => Generator<DumpRecord> {
  const readGroup = turnGroupReader(connection);
  const rememberedMessage = rememberedReader(connection, 'message');
  const rememberedShard = rememberedReader(connection, 'shard');
  const byThread = 'ORDER BY thread_id, created_at, seq';
  const turns = connection.prepare(`SELECT turn_id, event_id FROM turns ${byThread}`);
  const messages = connection.prepare(`
    SELECT seq, turn_seq, shard_id, change, channel, workspace, ${messageColumns.names}
    FROM messages ${byThread}`);
  const shards = connection.prepare(`
    SELECT seq, change, channel, workspace, ${shardColumns.names} FROM shards
    WHERE superseded_at IS NULL`);
  const spending = connection.prepare(`SELECT ${spendingColumns.names} FROM spending`);
  const expiring = (table: string, names: string) =>
    connection.prepare(`SELECT ${names} FROM ${table} WHERE expires_at IS NULL OR expires_at > ?`);
  const claims = expiring('claims', claimColumns.names);
  const forgotten = expiring('forgotten_events', forgottenColumns.names);
  const settings = expiring('settings', settingColumns.names);

  return function* records() {
    const now = connection.now();
    const rankOfTurn = rankCounter();
    for (const row of turns.iterate()) {
      const group = readGroup(String(row.turn_id));
      if (group === undefined) continue;
      const { messages: _, ...turn } = group;
      const rank = rankOfTurn(turn.threadId);
      yield { kind: 'turn', rank, turn: { ...turn, eventId: String(row.event_id) } };
    }
    const rankOfMessage = rankCounter();
    for (const row of messages.iterate()) {
      const message = readMessage(row);
      const rank = rankOfMessage(message.threadId);
      yield {
        kind: 'message',
        rank,
        message,
        isImported: row.turn_seq === null,
        ...(typeof row.shard_id === 'string' && { shardId: row.shard_id }),
        ...rememberedMessage(row),
      };
    }
    for (const row of shards.iterate()) {
      yield { kind: 'shard', shard: readShard(row), ...rememberedShard(row) };
    }
    for (const row of spending.iterate()) {
      yield { kind: 'spending', ...spendingColumns.read(row, 'A sum of spending') };
    }
    for (const row of claims.iterate(now)) {
      yield { kind: 'claim', ...claimColumns.read(row, 'A claim') };
    }
    for (const row of forgotten.iterate(now)) {
      yield { kind: 'forgotten', ...forgottenColumns.read(row, 'An event') };
    }
    for (const row of settings.iterate(now)) yield { kind: 'setting', ...readSetting(row) };
  };
}

/**
 * Reads the memory entry and vector of a message or shard, from a row with `seq`, `change`, `channel` and
 * `workspace`. Call inside `read`.
 */
function rememberedReader(
  connection: Connection,
  kind: 'message' | 'shard',
): (row: Row) => Remembered {
  const isPrivate = connection.prepare('SELECT 1 FROM private_channels WHERE channel = ?');
  const vectorOf = connection.prepare(
    `SELECT model, vector FROM ${kind}_vectors WHERE ${kind}_seq = ?`,
  );

  return ({ seq = null, change: stored, channel = null, workspace }) => {
    const change = Number(stored ?? 0);
    const isChannelPrivate = isPrivate.get(channel) !== undefined;
    const vector = vectorOf.get(seq);
    return {
      ...(change > 0 && { memory: { change, isOpen: workspace !== null, isChannelPrivate } }),
      ...(vector !== undefined && { vector: readVector(vector) }),
    };
  };
}

/** Stores each page of records in one transaction. */
function dumpWriter(connection: Connection): Dump['write'] {
  const unlessKnown = (insert: string) => connection.prepare(`${insert} ON CONFLICT DO NOTHING`);
  const insertTurn = connection.prepare(`${turnInsert} ON CONFLICT (turn_id) DO NOTHING`);
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

  function writeMessage({ message, isImported, shardId, memory, vector }: MessageRecord): void {
    const owner = isImported ? null : Number(turnSeq.get(message.turnId ?? null)?.seq);
    const isComplete = message.status === 'complete';
    const columns = isComplete ? memoryColumns(message.threadId, memory) : undefined;
    const values = messageInsertValues(message, owner, columns);
    const { changes, lastInsertRowid } = insertMessage.run(...values);
    if (changes === 0) return;
    if (shardId !== undefined) markSource.run(shardId, lastInsertRowid);
    keepVector('message', lastInsertRowid, vector);
  }

  function write(record: DumpRecord): unknown {
    switch (record.kind) {
      case 'turn': {
        const { turn } = record;
        const { changes, lastInsertRowid } = insertTurn.run(...turnInsertValues(turn));
        if (changes === 0) return;
        const seq = Number(lastInsertRowid);
        putSteps(seq, turn.steps);
        // Spending has separate records.
        return putUsage(seq, turn.usage);
      }
      case 'message':
        return writeMessage(record);
      case 'shard': {
        const { shard, memory, vector } = record;
        const values = shardInsertValues(shard, memoryColumns(shard.threadId, memory));
        const { changes, lastInsertRowid } = insertShard.run(...values);
        return changes > 0 && keepVector('shard', lastInsertRowid, vector);
      }
      case 'setting':
        return insertSetting.run(...settingColumns.values(record));
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
      for (const record of records) write(record);
    });
  };
}
