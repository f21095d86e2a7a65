/** The store in Redis: what its verbs take as history grows, and the memory that history takes. */

import { setTimeout as delay } from 'node:timers/promises';
import { openRedisStore } from '../src/store/redis.ts';
import { type RedisServer, startRedisServer } from '../test/fakes/redis-server.ts';
import { canPin, coresOf, pin } from './cores.ts';
import { compareCpu, figure } from './redis-cpu.ts';
import { compareSizes } from './store.ts';
import { messagesPerTurn } from './store-history.ts';
import { printTable } from './table.ts';

/** Two servers on loopback, with the append-only file on: on a core of their own, where that can be had. */
export async function benchRedis(): Promise<void> {
  const isPinned = canPin();
  const cores = coresOf(process.pid);
  if (isPinned) pin(process.pid, '0');
  else
    process.stdout.write('Without `taskset`, or with one core: a ratio may be the scheduler’s.\n');
  const servers: RedisServer[] = [];
  const memory: (readonly string[])[] = [];
  try {
    const open = async () => {
      const server = await startRedisServer({ settings: { appendonly: 'yes' } });
      servers.push(server);
      if (isPinned) pin(await processOf(server), '1');
      const empty = await usedBytes(server);
      return {
        store: await openRedisStore({ url: server.url }),
        filled: async (messageCount: number) => {
          await rewritten(server);
          const turns = messageCount / messagesPerTurn;
          const bytes = (await usedBytes(server)) - empty;
          const megabytes = (bytes / turns) * 1000 * 1e-6;
          const total = (bytes * 1e-6).toFixed(0);
          memory.push([String(messageCount), String(turns), total, megabytes.toFixed(2)]);
        },
      };
    };
    await compareSizes('The store in Redis', open, (stores) => compareCpu(stores, servers));
    printTable(
      'Memory of the Redis server',
      ['messages', 'turns', 'MB', 'MB per 1,000 turns'],
      memory,
    );
  } finally {
    for (const server of servers) await server.remove();
    if (isPinned) pin(process.pid, cores);
  }
}

/** Returns when the server has written its append-only file anew, which filling it has set off. */
async function rewritten(server: RedisServer): Promise<void> {
  while ((await figure(server, 'persistence', 'aof_rewrite_in_progress')) > 0) await delay(200);
}

const usedBytes = (server: RedisServer) => figure(server, 'memory', 'used_memory');
const processOf = (server: RedisServer) => figure(server, 'server', 'process_id');
