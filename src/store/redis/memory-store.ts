import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { assertLimit } from '../limits.ts';
import { readVersion, versionOf } from '../memory-version.ts';
import type { MemoryChanges, MemoryScope, MemoryStore, Shard } from '../store.ts';
import type { Clock } from './clock.ts';
import type { Commands } from './commands.ts';
import { memoryClockKey, memorySetKeys, threadKey, threadsKey } from './keys.ts';
import {
  readRemembered,
  readShard,
  readVector,
  shardText,
  vectorField,
  vectorText,
} from './memory-records.ts';
import { privacyOf } from './records.ts';
import { scripts } from './scripts.ts';

const mostRead = 500;

const part = z.tuple([z.coerce.number(), z.number(), z.array(z.unknown())]);
const changes = z.tuple([z.string(), z.number(), part, part]);

/** What is remembered on a server. Every verb is one script. */
export function redisMemoryStore(commands: Commands, clock: Clock): MemoryStore {
  async function read(
    scope: MemoryScope,
    since: string | undefined,
    limit: number,
  ): Promise<MemoryChanges> {
    // Only the script can tell whether the epoch is still the same.
    const [epoch = ''] = since?.split(' ') ?? [];
    const before = readVersion(since, epoch);
    const keptSince = clock.keptSince();
    const reply = await commands.run(
      scripts.readMemory,
      [
        memoryClockKey(scope.threadId),
        ...memorySetKeys(scope, 'messages'),
        ...memorySetKeys(scope, 'shards'),
      ],
      [epoch, ...[before?.messages, before?.shards].map((upTo) => `${upTo ?? ''}`), `${limit}`],
    );
    const [present, isAnew, [messages, moreMessages, said], [shards, moreShards, made]] =
      changes.parse(reply);
    const isKept = ({ agesFrom }: { readonly agesFrom: number }) => agesFrom >= Number(keptSince);
    return {
      version: versionOf({ epoch: present, messages, shards }),
      isAnew: isAnew === 1,
      hasMore: moreMessages + moreShards > 0,
      keptSince: Number(keptSince),
      messages: said.map(readRemembered).filter(isKept),
      shards: made.map(readShard).filter(isKept),
    };
  }

  async function keepShard(shard: Shard, supersedes: readonly string[]): Promise<boolean> {
    const { id, threadId, sourceIds } = shard;
    const reply = await commands.run(
      scripts.keepShard,
      [threadKey(threadId), threadsKey],
      [
        ...[randomUUID(), id, privacyOf(shard.isPrivate)],
        ...[String(shard.createdAt), String(shard.agesFrom), shardText(shard)],
        ...[String(sourceIds.length), ...sourceIds, ...supersedes],
      ],
    );
    return z.number().parse(reply) === 1;
  }

  return {
    read: async (scope, { since, limit }) => {
      assertLimit(limit, mostRead);
      return read(scope, since, limit);
    },
    keepShard: async (shard, supersedes = []) => keepShard(shard, supersedes),
    vectors: async (model, keys) => {
      if (keys.length === 0) return [];
      assertLimit(keys.length, mostRead);
      const reply = await commands.run(
        scripts.readVectors,
        keys.map(({ threadId }) => threadKey(threadId)),
        [model, ...keys.map(vectorField)],
      );
      return z
        .array(z.string().nullable())
        .parse(reply)
        .map((base64) => (base64 === null ? undefined : readVector(model, base64)));
    },
    keepVectors: async (kept) => {
      if (kept.length === 0) return;
      await commands.run(
        scripts.keepVectors,
        kept.map(({ key }) => threadKey(key.threadId)),
        kept.flatMap(({ key, vector }) => [vectorField(key), vectorText(vector)]),
      );
    },
  };
}
