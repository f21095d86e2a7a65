/** The store in Redis: what its verbs take as history grows, and the memory that history takes. */

import { z } from 'zod';
import { openRedisStore } from '../src/store/redis.ts';
import { type RedisServer, startRedisServer } from '../test/fakes/redis-server.ts';
import { compareSizes } from './store.ts';
import { messagesPerTurn } from './store-history.ts';
import { printTable } from './table.ts';

/** Two servers on loopback, with the append-only file on. */
export async function benchRedis(): Promise<void> {
  const servers: RedisServer[] = [];
  const memory: (readonly string[])[] = [];
  try {
    await compareSizes('The store in Redis', async () => {
      const server = await startRedisServer({ settings: { appendonly: 'yes' } });
      servers.push(server);
      const empty = await usedBytes(server);
      return {
        store: await openRedisStore({ url: server.url }),
        filled: async (messageCount) => {
          const turns = messageCount / messagesPerTurn;
          const bytes = (await usedBytes(server)) - empty;
          const megabytes = (bytes / turns) * 1000 * 1e-6;
          const total = (bytes * 1e-6).toFixed(0);
          memory.push([String(messageCount), String(turns), total, megabytes.toFixed(2)]);
        },
      };
    });
    printTable(
      'Memory of the Redis server',
      ['messages', 'turns', 'MB', 'MB per 1,000 turns'],
      memory,
    );
  } finally {
    for (const server of servers) await server.remove();
  }
}

async function usedBytes(server: RedisServer): Promise<number> {
  const info = z.string().parse(await server.command('INFO', 'memory'));
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
}
