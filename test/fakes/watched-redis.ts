/** A primary, its replica, and a sentinel that watches them: what a failover needs. */

import { expect } from 'vitest';
import type { Certificate } from './certificates.ts';
import { type RedisSentinel, startRedisSentinel } from './redis-sentinel.ts';
import { type RedisConnection, type RedisServer, startRedisServer } from './redis-server.ts';

const password = 'server-secret';
const sentinelPassword = 'sentinel-secret';

export interface WatchedRedis {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  readonly sentinel: RedisSentinel;
  /** At the first primary. */
  readonly admin: RedisConnection;
  /** `redis+sentinel://…`, with TLS `rediss+sentinel://…`, of one sentinel that is there and one that is not. */
  readonly url: string;
  /** At the servers, and at the sentinel. */
  readonly password: string;
  readonly sentinelPassword: string;
  /** Waits until the replica has all that was written up to here: the server counts from the connection's own write. */
  caughtUp(): Promise<void>;
  /** Has the replica made the primary, and the primary, which lives on, its replica. */
  swap(): Promise<void>;
  remove(): Promise<void>;
}

export async function startWatchedRedis(
  settings: Readonly<Record<string, string>> = {},
  certificate?: Certificate,
): Promise<WatchedRedis> {
  const host = certificate ? 'localhost' : '127.0.0.1';
  const started: { remove(): Promise<void> }[] = [];
  const common = {
    requirepass: password,
    masterauth: password,
    'repl-diskless-sync-delay': '0',
    ...(certificate && { 'replica-announce-ip': host }),
    ...settings,
  };
  const primary = await startRedisServer({ settings: common, certificate });
  started.push(primary);
  const replica = await startRedisServer({
    settings: { ...common, replicaof: `${host} ${primary.port}` },
    certificate,
  });
  started.push(replica);
  const admin = await primary.connect(password);
  const caughtUp = async () => {
    await admin.command('SET', 'up to here', '1');
    await expect.poll(() => admin.command('WAIT', '1', '100')).toBe(1);
  };
  await caughtUp();
  const sentinel = await startRedisSentinel({
    port: primary.port,
    password,
    sentinelPassword,
    certificate,
  });
  started.push(sentinel);
  const scheme = certificate ? 'rediss+sentinel' : 'redis+sentinel';
  const hosts = `${host}:1,${host}:${sentinel.port}`;
  return {
    primary,
    replica,
    sentinel,
    admin,
    password,
    sentinelPassword,
    caughtUp,
    url: `${scheme}://:${password}@${hosts}/council?sentinelPassword=${sentinelPassword}`,
    swap: async () => {
      const promoted = await replica.connect(password);
      // It is refused for as long as the sentinel can't choose the replica yet.
      const isBegun = () =>
        sentinel.failOver().then(
          () => true,
          () => false,
        );
      await expect.poll(isBegun).toBe(true);
      await expect.poll(() => promoted.command('ROLE')).toContain('master');
      // Until then both take changes, and those of the old one are lost: no client can help that.
      await expect.poll(() => admin.command('ROLE')).toContain('slave');
      promoted.close();
    },
    remove: async () => {
      admin.close();
      for (const one of started.reverse()) await one.remove();
    },
  };
}
