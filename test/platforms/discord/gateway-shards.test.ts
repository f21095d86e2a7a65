import { Client, Events } from 'discord.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GatewayShardWatch } from '../../../src/platforms/discord/gateway/gateway-shards.ts';

let client: Client;
let deaf: number[];
let watch: GatewayShardWatch;

beforeEach(() => {
  vi.useFakeTimers();
  client = new Client({ intents: [] });
  deaf = [];
  const on = { deaf: (shard: number) => deaf.push(shard), change: () => undefined };
  watch = new GatewayShardWatch(client, 30_000, on);
});
afterEach(async () => {
  watch.end();
  await client.destroy();
  vi.useRealTimers();
});

test('a shard that does not come back is deaf after a while', () => {
  client.emit(Events.ShardReconnecting, 3);
  expect(watch.silentShards).toEqual([3]);
  vi.advanceTimersByTime(29_999);
  expect(deaf).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(deaf).toEqual([3]);
});

test('of ten shards that begin anew one after another, none is given up before its turn', () => {
  const shards = Array.from({ length: 10 }, (_, shard) => shard);
  for (const shard of shards) client.emit(Events.ShardReconnecting, shard);
  for (const shard of shards) {
    vi.advanceTimersByTime(5000);
    client.emit(Events.ShardReady, shard, new Set<string>());
  }
  expect(deaf).toEqual([]);
  expect(watch.silentShards).toEqual([]);
});
