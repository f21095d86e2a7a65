import { workspaceOf } from '../../domain/thread-id.ts';
import { assertLimit, most } from '../checks.ts';
import { readVersion, versionOf } from '../memory-store.ts';
import type { MemoryKey, MemoryScope, MemoryStore, StoredVector } from '../store.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import { messageAgesFrom, messageReader, shardReader } from './memory-reader.ts';
import { readVector } from './rows.ts';
import { shardWriter } from './shard-writer.ts';

/** What is remembered in a file. Every verb is one transaction. */
export function sqliteMemoryStore(connection: Connection, writes: GroupCommit): MemoryStore {
  const messages = messageReader(connection);
  const shards = shardReader(connection);
  const writeShard = shardWriter(connection);
  const vectors = vectorKeeper(connection);
  const epochOf = connection.prepare('SELECT epoch FROM memory_clocks WHERE workspace = ?');

  function read(scope: MemoryScope, since: string | undefined, limit: number) {
    const workspace = workspaceOf(scope.threadId);
    const keptSince = connection.keptSinceIn(workspace);
    const epoch = String(epochOf.get(workspace)?.epoch ?? 0);
    const before = readVersion(since, epoch);
    const said = messages.read(scope, { since: before?.messages, keptSince, limit });
    const made = shards.read(scope, { since: before?.shards, keptSince, limit });
    return {
      version: versionOf({ epoch, messages: said.upTo, shards: made.upTo }),
      isAnew: before === undefined,
      hasMore: said.hasMore || made.hasMore,
      keptSince,
      messages: said.items,
      shards: made.items,
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
interface VectorKeeper {
  /** @param keptSince - Of what ages from before, there is none. */
  get(model: string, key: MemoryKey, keptSince: number): StoredVector | undefined;
  /** Works inside the caller's `transaction`. Does nothing for what is not there. */
  put(key: MemoryKey, vector: StoredVector): void;
}

function vectorKeeper(connection: Connection): VectorKeeper {
  const statements = {
    message: statementsFor(connection, 'message', 'change IS NOT NULL', messageAgesFrom),
    shard: statementsFor(connection, 'shard', 'superseded_at IS NULL', 'ages_from'),
  } as const;
  return {
    get(model, { kind, threadId, id }, keptSince) {
      const row = statements[kind].get.get(threadId, id, keptSince, model);
      return row && readVector(row);
    },
    put({ kind, threadId, id }, { model, values }) {
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
