import { workspaceOf } from '../../domain/thread-id.ts';
import { assertLimit, most } from '../checks.ts';
import { readVersion, versionOf } from '../memory-store.ts';
import type { MemoryScope, MemoryStore } from '../store.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import { messageReader, shardReader } from './memory-reader.ts';
import { shardWriter } from './shard-writer.ts';
import { vectorKeeper } from './vectors.ts';

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
