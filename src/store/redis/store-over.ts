/** The store over one or several Redis servers, with the long-term memory that only it uses. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readVersion, shardsFor, versionOf } from '../memory-store.ts';
import type { MemoryStore, Store } from '../store.ts';
import { type Clock, type Commands, storeScripts } from './commands.ts';
import { slotOfThread, threadKey } from './keys.ts';
import {
  privacyOf,
  readRemembered,
  readShard,
  readVector,
  shardText,
  vectorField,
  vectorText,
} from './records.ts';
import { redisMessageStore, redisTurnStore } from './turn-store.ts';
import { redisSettingsStore, redisUpkeep, workspacesOf } from './upkeep.ts';

/** @param commands - Over any transport: the Redis protocol or HTTP. */
export function storeOver(commands: Commands, clock: Clock): Store {
  const workspaces = workspacesOf(commands, clock);
  return {
    turns: redisTurnStore(commands, workspaces, clock),
    messages: redisMessageStore(commands, workspaces, clock),
    memories: redisMemoryStore(commands, clock),
    settings: redisSettingsStore(commands, clock),
    ...redisUpkeep(commands, workspaces, clock),
    close: () => commands.close(),
  };
}

const script = storeScripts('memory');

const part = z.tuple([z.coerce.number(), z.number(), z.array(z.unknown())]);
const changes = z.tuple([z.string(), z.number(), z.coerce.number(), part, part]);
const isKept = z.number();
const vectors = z.array(z.string().nullable());

/** Every method is one script. */
function redisMemoryStore(commands: Commands, clock: Clock): MemoryStore {
  return {
    read: async (scope, { since, limit }) => {
      // Only the script knows whether the epoch is current.
      const [epoch = ''] = since?.split(' ') ?? [];
      const before = readVersion(since, epoch);
      const reply = await commands.run(script('read'), slotOfThread(scope.threadId), [
        ...[clock.retention(), epoch, `${before?.messages ?? ''}`, `${before?.shards ?? ''}`],
        ...[`${limit}`, threadKey(scope.threadId), scope.reach],
      ]);
      const [present, isAnew, keptSince, messagePart, shardPart] = changes.parse(reply);
      const [messages, moreMessages, storedMessages] = messagePart;
      const [shards, moreShards, storedShards] = shardPart;
      const isFresh = ({ agesFrom }: { readonly agesFrom: number }) => agesFrom >= keptSince;
      return {
        version: versionOf({ epoch: present, messages, shards }),
        isAnew: isAnew === 1,
        hasMore: moreMessages + moreShards > 0,
        keptSince,
        messages: storedMessages.map(readRemembered).filter(isFresh),
        shards: shardsFor(isAnew === 1, storedShards.map(readShard)).filter(isFresh),
      };
    },
    keepShard: async (shard, supersedes = []) => {
      const { id, threadId, sourceIds } = shard;
      const reply = await commands.run(script('keep-shard'), slotOfThread(threadId), [
        ...[threadKey(threadId), randomUUID(), id, privacyOf(shard.isPrivate)],
        ...[String(shard.createdAt), String(shard.agesFrom), shardText(shard)],
        ...[String(sourceIds.length), ...sourceIds, ...supersedes],
      ]);
      return isKept.parse(reply) === 1;
    },
    vectors: async (model, keys) => {
      const [first] = keys;
      if (first === undefined) return [];
      const fields = keys.flatMap((key) => [threadKey(key.threadId), vectorField(key)]);
      const values = [clock.retention(), model, ...fields];
      const reply = await commands.run(
        script('read-vectors'),
        slotOfThread(first.threadId),
        values,
      );
      const read = (base64: string | null) =>
        base64 === null ? undefined : readVector(model, base64);
      return vectors.parse(reply).map(read);
    },
    keepVectors: async (kept) => {
      const [first] = kept;
      if (first === undefined) return;
      const values = kept.flatMap(({ key, vector }) => [
        ...[threadKey(key.threadId), vectorField(key), vectorText(vector)],
      ]);
      await commands.run(script('keep-vectors'), slotOfThread(first.key.threadId), values);
    },
  };
}
