import { z } from 'zod';
import type { RedisConnection } from './redis-server.ts';

/** How many turns of all workspaces have not ended, as the store in a server has them. */
export async function unfinishedTurns({
  command,
}: Pick<RedisConnection, 'command'>): Promise<number> {
  const keys = z.array(z.string()).parse(await command('KEYS', 'council:{*}:unfinished'));
  const counts = await Promise.all(keys.map((key) => command('ZCARD', key)));
  return counts.reduce((sum: number, count) => sum + Number(count), 0);
}
