import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { assertLimit, most } from '../checks.ts';
import { readVersion, shardsFor, versionOf } from '../memory-store.ts';
import {
  type MemoryKey,
  type MemoryScope,
  type MemoryStore,
  mostRemembered,
  type RememberedMessage,
  type StoredVector,
} from '../store.ts';
import type { Connection, GroupCommit } from './connection.ts';
import { shardWriter } from './remembering.ts';
import {
  messageColumns,
  type Row,
  readMessage,
  readShard,
  readVector,
  shardColumns,
} from './rows.ts';

/** What is remembered in a file. Every verb is one transaction. */
export function sqliteMemoryStore(connection: Connection, writes: GroupCommit): MemoryStore {
  const readMessages = messageReader(connection);
  const readShards = partReader(connection, 'shards', shardColumns.names, readShard);
  const writeShard = shardWriter(connection);
  const vectors = vectorKeeper(connection);
  const epochOf = connection.prepare('SELECT epoch FROM memory_clocks WHERE workspace = ?');

  function read(scope: MemoryScope, since: string | undefined, limit: number) {
    const workspace = workspaceOf(scope.threadId);
    const keptSince = connection.keptSinceIn(workspace);
    const epoch = String(epochOf.get(workspace)?.epoch ?? 0);
    const before = readVersion(since, epoch);
    const said = readMessages(scope, { since: before?.messages, keptSince, limit });
    const made = readShards(scope, { since: before?.shards, keptSince, limit });
    return {
      version: versionOf({ epoch, messages: said.upTo, shards: made.upTo }),
      isAnew: before === undefined,
      hasMore: said.hasMore || made.hasMore,
      keptSince,
      messages: said.items,
      shards: shardsFor(before === undefined, made.items),
    };
  }

  /** Looks the retention of each workspace up once. */
  function keptSinceByThread(): (threadId: string) => number {
    const known = new Map<string, number>();
    return (threadId) => {
      const workspace = workspaceOf(threadId);
      const since = known.get(workspace) ?? connection.keptSinceIn(workspace);
      known.set(workspace, since);
      return since;
    };
  }

  return {
    read: async (scope, { since, limit }) => {
      assertLimit(limit, most.remembered);
      return connection.read(() => read(scope, since, limit));
    },
    keepShard: async (shard, supersedes = []) => writes.add(() => writeShard(shard, supersedes)),
    vectors: async (model, keys) => {
      if (keys.length > 0) assertLimit(keys.length, most.remembered);
      return connection.read(() => {
        const keptSince = keptSinceByThread();
        return keys.map((key) => vectors.get(model, key, keptSince(key.threadId)));
      });
    },
    keepVectors: async (kept) =>
      writes.add(() => {
        for (const { key, vector } of kept) vectors.put(key, vector);
      }),
  };
}

/** Keeps vectors beside what they are of, and lets them go with it. */
function vectorKeeper(connection: Connection) {
  const statements = {
    message: statementsFor(connection, 'message', 'change IS NOT NULL', messageAgesFrom),
    shard: statementsFor(connection, 'shard', 'superseded_at IS NULL', 'ages_from'),
  } as const;
  return {
    /** @param keptSince - Of what ages from before, there is none. */
    get(model: string, { kind, threadId, id }: MemoryKey, keptSince: number) {
      const row = statements[kind].get.get(threadId, id, keptSince, model);
      return row && readVector(row);
    },
    /** Works inside the caller's `transaction`. Does nothing for what is not there. */
    put({ kind, threadId, id }: MemoryKey, { model, values }: StoredVector): void {
      statements[kind].put.run(threadId, id, model, new Uint8Array(values));
    },
  };
}

function statementsFor(
  connection: Connection,
  kind: 'message' | 'shard',
  isThere: string,
  agesFrom: string,
) {
  return {
    get: connection.prepare(`
      SELECT model, vector FROM ${kind}_vectors
      WHERE ${kind}_seq = (
        SELECT seq FROM ${kind}s WHERE thread_id = ? AND id = ? AND ${agesFrom} >= ?
      ) AND model = ?`),
    put: connection.prepare(`
      INSERT INTO ${kind}_vectors (${kind}_seq, model, vector)
      SELECT seq, ?3, ?4 FROM ${kind}s WHERE thread_id = ?1 AND id = ?2 AND ${isThere}
      ON CONFLICT (${kind}_seq) DO UPDATE SET model = excluded.model, vector = excluded.vector`),
  };
}

/** Which part of what is remembered is read. */
interface Wanted {
  /** The last change that was read. Absent: from the oldest that is still remembered. */
  readonly since: number | undefined;
  /** What ages from before is left out. */
  readonly keptSince: number;
  readonly limit: number;
}

/** What the retention of a message counts from: its turn's time, or its own. */
const messageAgesFrom =
  'coalesce((SELECT created_at FROM turns WHERE turns.seq = messages.turn_seq), created_at)';

function messageReader(connection: Connection) {
  const columns = `shard_id, ${messageColumns.names}, ${messageAgesFrom} AS ages_from`;
  return partReader(
    connection,
    'messages',
    columns,
    (row): RememberedMessage => ({
      ...{ message: readMessage(row), position: Number(row.seq), agesFrom: Number(row.ages_from) },
      ...(typeof row.shard_id === 'string' && { shardId: row.shard_id }),
    }),
  );
}

/** Reads one kind of what is remembered, oldest change first. Works inside the caller's `read`. */
function partReader<Item extends { readonly agesFrom: number }>(
  connection: Connection,
  table: 'messages' | 'shards',
  columns: string,
  readRow: (row: Row) => Item,
) {
  const source = (column: 'thread_id' | 'channel' | 'workspace') => {
    const later = connection.prepare(`
      SELECT seq, change, ${columns} FROM ${table}
      WHERE ${column} = ? AND change > ? ORDER BY change LIMIT ?`);
    const oldest = connection.prepare(`
      SELECT change FROM ${table} WHERE ${column} = ? AND change > 0
      ORDER BY change DESC LIMIT 1 OFFSET ${mostRemembered - 1}`);
    return (value: string) => ({
      later: (since: number, limit: number) => later.all(value, since, limit),
      start: () => Number(oldest.get(value)?.change ?? 1) - 1,
    });
  };
  const ofThread = source('thread_id');
  const ofChannel = source('channel');
  const ofWorkspace = source('workspace');

  return ({ threadId, reach }: MemoryScope, { since, keptSince, limit }: Wanted) => {
    const channel = ofChannel(channelOf(threadId));
    const sources = {
      thread: [ofThread(threadId)],
      channel: [channel],
      workspace: [channel, ofWorkspace(workspaceOf(threadId))],
    }[reach];
    const start = since ?? Math.max(...sources.map((one) => one.start()));
    // What both sources have comes once.
    const rows = new Map(
      sources
        .flatMap((one) => one.later(start, limit + 1))
        .map((row) => ({ row, seq: Number(row.seq), change: Number(row.change) }))
        .sort((one, other) => one.change - other.change)
        .map((one) => [one.seq, one] as const),
    );
    const given = [...rows.values()].slice(0, limit);
    return {
      items: given.map(({ row }) => readRow(row)).filter(({ agesFrom }) => agesFrom >= keptSince),
      /** The last change that was looked at. */
      upTo: given.at(-1)?.change ?? start,
      hasMore: rows.size > limit,
    };
  };
}
