import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { readJsonObject } from '../checks.ts';
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
import {
  messageColumns,
  type Row,
  readMessage,
  readShard,
  readVector,
  shardColumns,
} from './rows.ts';
import { shardWriter } from './writers.ts';

/** The long-term memory in a file. Every method is one transaction. */
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
    const messages = readMessages(scope, { since: before?.messages, keptSince, limit });
    const shards = readShards(scope, { since: before?.shards, keptSince, limit });
    return {
      version: versionOf({ epoch, messages: messages.lastChange, shards: shards.lastChange }),
      isAnew: before === undefined,
      hasMore: messages.hasMore || shards.hasMore,
      keptSince,
      messages: messages.items,
      shards: shardsFor(before === undefined, shards.items),
    };
  }

  return {
    read: async (scope, { since, limit }) => connection.read(() => read(scope, since, limit)),
    keepShard: async (shard, supersedes = []) => writes.add(() => writeShard(shard, supersedes)),
    vectors: async (model, keys) =>
      connection.read(() => {
        const [first] = keys;
        const keptSince = first && connection.keptSinceIn(workspaceOf(first.threadId));
        return keys.map((key) => vectors.get(model, key, keptSince ?? 0));
      }),
    keepVectors: async (kept) =>
      writes.add(() => {
        for (const { key, vector } of kept) vectors.put(key, vector);
      }),
  };
}

/** Reads and writes vectors, which are deleted with their messages and shards. */
function vectorKeeper(connection: Connection) {
  const statements = {
    message: statementsFor(connection, 'message', 'change IS NOT NULL', messageAgesFrom),
    shard: statementsFor(connection, 'shard', 'superseded_at IS NULL', 'ages_from'),
  } as const;
  return {
    /** @param keptSince - Vectors of texts that age from before this time are absent. */
    get(model: string, { kind, threadId, id }: MemoryKey, keptSince: number) {
      const row = statements[kind].get.get(threadId, id, keptSince, model);
      return row && readVector(row);
    },
    /** Call inside `transaction`. Does nothing for an unknown message or shard. */
    put({ kind, threadId, id }: MemoryKey, { model, values }: StoredVector): void {
      statements[kind].put.run(threadId, id, model, new Uint8Array(values));
    },
  };
}

function statementsFor(
  connection: Connection,
  kind: 'message' | 'shard',
  isUsable: string,
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
      SELECT seq, ?3, ?4 FROM ${kind}s WHERE thread_id = ?1 AND id = ?2 AND ${isUsable}
      ON CONFLICT (${kind}_seq) DO UPDATE SET model = excluded.model, vector = excluded.vector`),
  };
}

/** The changes to read. */
interface Wanted {
  /** The last change read before. Absent: start with the oldest one still remembered. */
  readonly since: number | undefined;
  /** Omits records that age from before this time. */
  readonly keptSince: number;
  readonly limit: number;
}

/** The start of a message's retention: its turn's time, or its own. */
const messageAgesFrom =
  'coalesce((SELECT created_at FROM turns WHERE turns.seq = messages.turn_seq), created_at)';

const verdictOfQuestion = `CASE role WHEN 'human' THEN (
  SELECT data FROM steps WHERE steps.turn_seq = messages.turn_seq AND kind = 'verdict' AND key = '') END`;

function messageReader(connection: Connection) {
  const columns = `shard_id, ${messageColumns.names}, ${messageAgesFrom} AS ages_from, ${verdictOfQuestion} AS verdict`;
  return partReader(
    connection,
    'messages',
    columns,
    (row): RememberedMessage => ({
      message: readMessage(row),
      position: Number(row.seq),
      agesFrom: Number(row.ages_from),
      ...(typeof row.shard_id === 'string' && { shardId: row.shard_id }),
      ...(row.verdict !== null && {
        verdict: readJsonObject(row.verdict, `The verdict of turn ${row.turn_id}`),
      }),
    }),
  );
}

/** Reads changed messages or shards of a scope, oldest change first. Call inside `read`. */
function partReader<Item extends { readonly agesFrom: number }>(
  connection: Connection,
  table: 'messages' | 'shards',
  columns: string,
  readRow: (row: Row) => Item,
) {
  // Superseded shards are read only by those who may know them, and take no one's place.
  const isLive = table === 'shards' ? 'AND superseded_at IS NULL' : '';
  const source = (column: 'thread_id' | 'channel' | 'workspace') => {
    const later = connection.prepare(`
      SELECT seq, change, ${columns} FROM ${table}
      WHERE ${column} = ? AND change > ? ORDER BY change LIMIT ?`);
    const oldest = connection.prepare(`
      SELECT change FROM ${table} WHERE ${column} = ? AND change > 0 ${isLive}
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
    // A row of both sources comes once.
    const rows = new Map(
      sources
        .flatMap((one) => one.later(start, limit + 1))
        .map((row) => ({ row, seq: Number(row.seq), change: Number(row.change) }))
        .sort((one, other) => one.change - other.change)
        .map((one) => [one.seq, one] as const),
    );
    const page = [...rows.values()].slice(0, limit);
    return {
      items: page.map(({ row }) => readRow(row)).filter(({ agesFrom }) => agesFrom >= keptSince),
      lastChange: page.at(-1)?.change ?? start,
      hasMore: rows.size > limit,
    };
  };
}
