import { afterAll, beforeAll } from 'vitest';
import { storeContract } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { redisFixture } from './redis-fixture.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.remove());

storeContract('Redis', () => redisFixture(server));
