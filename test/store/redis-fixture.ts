import { openRedisStore } from '../../src/store/redis.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import type { StoreFixture } from '../contracts/store.ts';
import type { RedisServer } from '../fakes/redis-server.ts';

/** An empty server, or cluster, for one case: what the one before left is flushed. */
export async function redisFixture(
  server: Pick<RedisServer, 'url' | 'command'>,
): Promise<StoreFixture> {
  await server.command('FLUSHALL');
  const opened: Store[] = [];
  return {
    open: async (settings = {}) => {
      const store = await openRedisStore({
        url: server.url,
        now: () => startOfTime,
        ...settings,
      });
      opened.push(store);
      return store;
    },
    remove: async () => {
      for (const store of opened) await store.close();
    },
  };
}
