import { afterAll, beforeAll } from 'vitest';
import { type Commands, clockOf, storeScripts } from '../../src/store/redis/commands.ts';
import { connect } from '../../src/store/redis/connection.ts';
import { storeOver } from '../../src/store/redis/store-over.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { type StoreFixture, storeContract } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());

/** Whoever sweeps is told how many there were: the second time there are none left. */
const sweeping = [
  storeScripts('forgetting')('sweep').sha1,
  storeScripts('upkeep')('sweep-claims').sha1,
];

/** Sends the same again, as is done when the connection breaks before the answer is there. */
function twice(commands: Commands): Commands {
  return {
    ...commands,
    run: async (script, ...rest) => {
      if (!sweeping.includes(script.sha1)) await commands.run(script, ...rest);
      return commands.run(script, ...rest);
    },
  };
}

async function fixture(): Promise<StoreFixture> {
  await server.command('FLUSHALL');
  const opened: Store[] = [];
  return {
    open: async (settings = {}) => {
      const clock = clockOf({ now: () => startOfTime, ...settings });
      const store = storeOver(twice(await connect({ url: server.url })), clock);
      opened.push(store);
      return store;
    },
    remove: async () => {
      for (const store of opened) await store.close();
    },
  };
}

storeContract('Redis, where the answer of every call is lost once,', fixture);
