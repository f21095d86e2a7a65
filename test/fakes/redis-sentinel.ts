/** A real sentinel, which watches a Redis server and makes its replica the primary when it is gone. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { startOnFreePort } from './redis-server.ts';

export interface RedisSentinel {
  readonly port: number;
  /** Has it make the replica the primary, and the primary, which lives on, its replica. */
  failOver(): Promise<void>;
  remove(): Promise<void>;
}

/** @param watched - The primary, by the name `council`; its replicas are to follow it already. */
export async function startRedisSentinel(watched: {
  readonly port: number;
  /** At the servers, and at the sentinel. */
  readonly password: string;
  readonly sentinelPassword: string;
}): Promise<RedisSentinel> {
  const folder = await mkdtemp(join(tmpdir(), 'council-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const lines = [
    'bind 127.0.0.1',
    `dir ${folder}`,
    `requirepass ${watched.sentinelPassword}`,
    `sentinel monitor council 127.0.0.1 ${watched.port} 1`,
    `sentinel auth-pass council ${watched.password}`,
    'sentinel down-after-milliseconds council 500',
    'sentinel failover-timeout council 2000',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const { port, child } = await startOnFreePort([file, '--sentinel'], '+monitor master council');
  return {
    port,
    failOver: async () => {
      const client = createClient({
        url: `redis://:${watched.sentinelPassword}@127.0.0.1:${port}`,
        RESP: 2,
        maintNotifications: 'disabled',
      });
      // Trouble is thrown by the command itself.
      client.on('error', () => undefined);
      await client.connect();
      await client.sendCommand(['SENTINEL', 'FAILOVER', 'council']);
      client.destroy();
    },
    remove: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
