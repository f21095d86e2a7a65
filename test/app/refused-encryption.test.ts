import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import { inspectRedis } from '../../src/store/redis.ts';
import { StoreError } from '../../src/store/store.ts';
import { makeAuthority } from '../fakes/certificates.ts';
import { type RedisCluster, startRedisCluster } from '../fakes/redis-cluster.ts';
import { startRedisSentinel } from '../fakes/redis-sentinel.ts';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '../fakes/redis-server.ts';

// A start that tries on until its time is over comes too late here: that is what "at once" means below.
const timeout = 8000;
// Two at a time: more would take each other's time on a busy machine.
vi.setConfig({ testTimeout: timeout, maxConcurrency: 2 });

const [authority, stranger] = [makeAuthority(), makeAuthority()];
authority.trust();
const started: { remove(): Promise<void> }[] = [];

afterAll(async () => {
  for (const one of started) await one.remove();
  for (const one of [authority, stranger]) one.remove();
});

/** What someone is told who starts a bot: by its store and by its queue. */
const openers = {
  store: (url: string) => inspectRedis({ url }),
  queue: (url: string) => {
    const name = 'the test server';
    return openShared({ url, name, concurrency: 1, unfinished: async () => [], log: silentLog });
  },
} as const;

/** Of one server, of sentinels and of a cluster, of which one is not there. */
const schemes = {
  'one server': (port: number) => `rediss://me:the-secret@localhost:${port}`,
  sentinels: (port: number) =>
    `rediss+sentinel://me:the-secret@localhost:1,localhost:${port}/council?sentinelPassword=the-secret`,
  'a cluster': (port: number) => `rediss+cluster://me:the-secret@localhost:1,localhost:${port}`,
} as const;

async function whatIsSaid(opening: Promise<unknown>): Promise<string> {
  const error: unknown = await opening.then(
    () => 'nothing',
    (thrown) => thrown,
  );
  if (!(error instanceof StoreError)) throw new Error(`It was no StoreError: ${error}`);
  expect(error.reason).toBe('refused');
  expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain('the-secret');
  return error.message;
}

const ways = Object.entries(openers).flatMap(([what, open]) =>
  Object.entries(schemes).map(([where, write]) => ({ what, where, open, write })),
);

interface Trouble {
  readonly name: string;
  readonly options: RedisServerOptions;
  readonly said: RegExp;
}

/** Sentinels have these as well, and say that the server is gone. */
const forEverybody: readonly Trouble[] = [
  {
    name: 'whose certificate no one known has signed',
    options: { certificate: stranger.issue('localhost') },
    said: /certificate.*NODE_EXTRA_CA_CERTS=FILE/,
  },
  {
    name: 'whose certificate has expired',
    options: { certificate: authority.issue('localhost', 0) },
    said: /certificate has expired.*has to be valid/,
  },
];

/** Servers have names and certificates for each other. */
const forClients: readonly Trouble[] = [
  {
    name: 'whose certificate is for another name',
    options: { certificate: authority.issue('elsewhere.example') },
    said: /localhost.*elsewhere\.example.*for the name in the address/,
  },
  {
    name: 'that wants a certificate of its clients',
    options: {
      certificate: authority.issue('localhost'),
      settings: { 'tls-auth-clients': 'yes' },
    },
    said: /certificate required.*set tls-auth-clients no/,
  },
];

const troubles = [...forEverybody, ...forClients];

/** By the name of the trouble: of a server, and of a sentinel that leads to it. */
const ports = new Map<string, number>();
const sentinelPorts = new Map<string, number>();
let cluster: RedisCluster;
let plain: RedisServer;

beforeAll(async () => {
  const serve = async (name: string, options: RedisServerOptions) => {
    const server = await startRedisServer(options);
    started.push(server);
    ports.set(name, server.port);
    return server;
  };
  for (const { name, options } of forEverybody) await serve(name, options);
  plain = await serve('that speaks without TLS', {});
  const certificate = authority.issue('localhost');
  for (const { name, options } of forClients) {
    const { port } = await serve(name, options);
    const passwords = { password: 'the-secret', sentinelPassword: 'the-secret' };
    const sentinel = await startRedisSentinel({ port, certificate, ...passwords });
    started.push(sentinel);
    sentinelPorts.set(name, sentinel.port);
  }
  cluster = await startRedisCluster({
    masters: 1,
    settings: { 'cluster-preferred-endpoint-type': 'ip', 'cluster-announce-ip': '127.0.0.1' },
    certificate,
  });
  started.push(cluster);
});

describe.concurrent.each(ways)(
  'the $what is refused at the address of $where',
  ({ open, write }) => {
    test.each(troubles)('at once by a server $name', async ({ name, said }) => {
      expect(await whatIsSaid(open(write(ports.get(name) ?? 0)))).toMatch(said);
    });
  },
);

describe.concurrent.each(Object.entries(openers))('the %s is refused', (_what, open) => {
  // The nodes are first spoken to by the first call, which is tried until its time is over.
  test('by a cluster that tells other names than its certificates have', {
    timeout: 2 * timeout,
  }, async () => {
    const said = await whatIsSaid(open(cluster.url));
    expect(said).toMatch(/127\.0\.0\.1.*clusters have to announce/);
  });

  test.each(forClients)(
    'at once where sentinels lead to a server $name',
    async ({ name, said }) => {
      expect(await whatIsSaid(open(schemes.sentinels(sentinelPorts.get(name) ?? 0)))).toMatch(said);
    },
  );
});

describe.concurrent('the advice names both schemes', () => {
  const told = { reason: 'unreachable', message: expect.stringMatching(/rediss:.*redis:/) };
  const waitMs = 1000;

  test.each(Object.entries(schemes))('without TLS at a port of %s with it', async (_, write) => {
    const url = write(ports.get('whose certificate is for another name') ?? 0);
    const opening = inspectRedis({ url: url.replace('rediss', 'redis'), waitMs });
    await expect(opening).rejects.toMatchObject(told);
  });

  test.each(Object.entries(schemes))('with TLS at a port of %s without it', async (_, write) => {
    const opening = inspectRedis({ url: write(plain.port), waitMs });
    await expect(opening).rejects.toMatchObject(told);
  });
});
