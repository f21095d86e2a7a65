/** Stores in process and on a server, for tests that hold over each of them. */

import { afterAll, beforeAll } from 'vitest';
import type { StoreFixture } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { redisFixture } from './redis-fixture.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

/** By their names. The server runs for as long as the tests of the file that calls this. */
export function storeFixtures(): Readonly<Record<string, () => Promise<StoreFixture>>> {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.remove());
  return { SQLite: sqliteFixture, Redis: () => redisFixture(server) };
}
