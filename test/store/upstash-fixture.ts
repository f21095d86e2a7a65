import type { Store } from '../../src/store/store.ts';
import { openUpstashStore } from '../../src/store/upstash.ts';
import { startOfTime } from '../contracts/store/case.ts';
import type { StoreFixture } from '../contracts/store.ts';
import type { RedisServer } from '../fakes/redis-server.ts';
import type { UpstashServer } from '../fakes/upstash/server.ts';

/** An empty database behind a REST endpoint, for one case. */
export async function upstashFixture(
  server: RedisServer,
  endpoint: UpstashServer,
): Promise<StoreFixture> {
  await server.command('FLUSHALL');
  const opened: Store[] = [];
  return {
    open: async (settings = {}) => {
      const { url, token } = endpoint;
      const store = openUpstashStore({ url, token, now: () => startOfTime, ...settings });
      opened.push(store);
      return store;
    },
    remove: async () => {
      for (const store of opened) await store.close();
    },
  };
}
