/** Stores in process and on a server, for tests that hold over each of them. */

import { afterAll, beforeAll } from 'vitest';
import type { StorePlace } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { redisPlace } from './redis-place.ts';
import { sqlitePlace } from './sqlite-place.ts';

/** By their names. The server runs for as long as the tests of the file that calls this. */
export function storePlaces(): Readonly<Record<string, () => Promise<StorePlace>>> {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.remove());
  return { SQLite: sqlitePlace, Redis: () => redisPlace(server) };
}
