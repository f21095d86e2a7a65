/** A real sentinel, which watches a Redis server and makes its replica the primary when it is gone. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificates.ts';
import { connect, encryption, startOnFreePort } from './redis-server.ts';

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
  /** Has all speak by TLS, and know each other by name. */
  readonly certificate?: Certificate | undefined;
}): Promise<RedisSentinel> {
  const { certificate } = watched;
  const folder = await mkdtemp(join(tmpdir(), 'council-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const host = certificate ? 'localhost' : '127.0.0.1';
  const lines = [
    'bind 127.0.0.1',
    `dir ${folder}`,
    `requirepass ${watched.sentinelPassword}`,
    ...(certificate ? encryptedLines(certificate) : []),
    `sentinel monitor council ${host} ${watched.port} 1`,
    `sentinel auth-pass council ${watched.password}`,
    'sentinel down-after-milliseconds council 500',
    'sentinel failover-timeout council 2000',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const { port, child } = await startOnFreePort({
    words: [file, '--sentinel'],
    certificate,
    saidWhenReady: '+monitor master council',
  });
  return {
    port,
    failOver: async () => {
      const sentinel = await connect(port, { password: watched.sentinelPassword, certificate });
      try {
        await sentinel.command('SENTINEL', 'FAILOVER', 'council');
      } finally {
        sentinel.close();
      }
    },
    remove: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function encryptedLines(certificate: Certificate): readonly string[] {
  return [
    ...Object.entries(encryption(certificate)).map(([name, value]) => `${name} ${value}`),
    'sentinel resolve-hostnames yes',
    'sentinel announce-hostnames yes',
  ];
}
