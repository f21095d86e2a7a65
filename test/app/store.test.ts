import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startHealthServer } from '../../src/app/operator/health.ts';
import { canShareQueue, chooseStore, openStore, storeAddress } from '../../src/app/store.ts';
import { storeCheck } from '../../src/app/tasks/doctor.ts';
import { type Log, silentLog } from '../../src/domain/log.ts';
import { endedTurn, newTurn, runningTurn, threadId, turnKey } from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startUpstashServer } from '../fakes/upstash/server.ts';
import { load, projectWith } from '../settings/config-folder.ts';

let server: RedisServer;
let warnings: string[];
const log: Log = { ...silentLog, warn: ({ danger }) => void warnings.push(String(danger)) };

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());
beforeEach(async () => {
  warnings = [];
  await server.command('FLUSHALL');
  await server.command('CONFIG', 'SET', 'appendonly', 'yes');
  await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
});

const signal = new AbortController().signal;

describe('the store of a bot', () => {
  test('is the file of the settings where the environment names none', async () => {
    const path = join(projectWith({}), 'council.db');
    const config = load({ 'config/council.yaml': `store: { path: ${path} }` });
    expect(storeAddress(chooseStore(config))).toBe(path);
    const store = await openStore(config, log);
    await endedTurn(store, newTurn('one'));
    await store.close();
    expect(await storeCheck(config).run(signal)).toBe('can be read and written');
  });

  test('is as well as the bot that uses it says, in the eyes of doctor', async () => {
    let isReady = true;
    const part = () => ({ name: 'queue', isAlive: true, isReady, text: 'There is no space left.' });
    const health = { port: 0, host: '127.0.0.1', check: () => [part()], log: silentLog };
    await using page = await startHealthServer(health);
    const path = join(projectWith({}), 'used.db');
    const yaml = `store: { path: ${path} }\nhealth: { port: ${page.port} }`;
    const config = load({ 'config/council.yaml': yaml }, { DISCORD_TOKEN: 'a.b.c' });
    const store = await openStore(config, log);
    expect(await storeCheck(config).run(signal)).toBe('is in use by a running Council');
    isReady = false;
    await expect(storeCheck(config).run(signal)).rejects.toThrow(
      'is in use by a running Council\n    not ok queue: There is no space left.',
    );
    await store.close();
  });

  test('is the server that REDIS_URL names', async () => {
    const config = load({}, { REDIS_URL: server.url });
    const store = await openStore(config, log);
    await runningTurn(store, newTurn('one'));
    await store.close();
    const again = await openStore(config, log);
    expect(await again.turns.list(threadId, { limit: 9 })).toHaveLength(1);
    await again.close();
    expect(warnings).toEqual([]);
    expect(await storeCheck(config).run(signal)).toMatch(
      /^Redis \d+\.\S+, \d+ MB used, can be read and written; 1 turn will resume/,
    );
  });

  test('is the database at Upstash that the environment names', async () => {
    const endpoint = await startUpstashServer(server.url);
    const config = load(
      {},
      { UPSTASH_REDIS_REST_URL: endpoint.url, UPSTASH_REDIS_REST_TOKEN: endpoint.token },
    );
    expect(await storeCheck(config).run(signal)).toBe('can be read and written');
    const store = await openStore(config, log);
    await endedTurn(store, newTurn('one'));
    await store.close();
    await endpoint.close();
    const elsewhere = await openStore(load({}, { REDIS_URL: server.url }), log);
    expect(await elsewhere.turns.read(turnKey('one'))).toBeDefined();
    await elsewhere.close();
  });

  test('forgets after the days of the settings', async () => {
    const settings = { 'config/council.yaml': 'memory: { retentionDays: 1 }' };
    const store = await openStore(load(settings, { REDIS_URL: server.url }), log);
    await store.turns.begin(newTurn('old', { createdAt: Date.now() - 2 * 86_400_000 }));
    expect(await store.turns.read(turnKey('old'))).toBeUndefined();
    await store.close();
  });

  test('is warned of when its server may lose or throw away what was said', async () => {
    await server.command('CONFIG', 'SET', 'appendonly', 'no');
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const config = load({}, { REDIS_URL: server.url });
    await (await openStore(config, log)).close();
    expect(warnings).toEqual([
      expect.stringMatching(/maxmemory-policy is allkeys-lru.*Set maxmemory-policy noeviction/),
      expect.stringMatching(/append-only file is off.*Set appendonly yes/),
    ]);
    await expect(storeCheck(config).run(signal)).rejects.toThrow(
      /can be read and written\. But:\n {4}Its maxmemory-policy is allkeys-lru/,
    );
  });

  test('is refused at once in words when its server is part of a cluster', async () => {
    const node = await startRedisServer({ settings: { 'cluster-enabled': 'yes' } });
    const config = load({}, { REDIS_URL: node.url });
    const text = /is part of a cluster\. Write its address as that of one: redis\+cluster:/;
    await expect(openStore(config, log)).rejects.toThrow(text);
    await expect(storeCheck(config).run(signal)).rejects.toThrow(text);
    await node.remove();
  });

  test('carries a queue for several processes on Redis, no matter who says where it is, and nowhere else', () => {
    const url = 'redis+sentinel://:secret@host/main';
    expect(canShareQueue(chooseStore(load({}, { REDIS_URL: url })))).toBe(true);
    expect(canShareQueue(chooseStore(load({}, { REDIS_URL: server.url })))).toBe(true);
    const UPSTASH_REDIS_REST_URL = 'https://one.upstash.io';
    const upstash = { UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN: 'secret' };
    expect(canShareQueue(chooseStore(load({}, upstash)))).toBe(false);
    expect(canShareQueue(chooseStore(load({}, {})))).toBe(false);
  });

  test('is named without its password', () => {
    const config = load({}, { REDIS_URL: 'rediss://bot:secret@db.example:6380/2' });
    expect(storeAddress(chooseStore(config))).toBe('rediss://db.example:6380/2');
  });
});
