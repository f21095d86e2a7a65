import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { openShared, type SharedOptions } from '../../src/queue/bullmq.ts';
import type { Coordination } from '../../src/queue/coordination.ts';
import { InlineQueue } from '../../src/queue/inline/inline-queue.ts';
import type { Queue, QueuedTurn } from '../../src/queue/queue.ts';
import { queueCases } from '../contracts/queue.ts';
import { heldRunner, running, threadOf, turn } from '../contracts/queue-runner.ts';
import { quotasCases } from '../contracts/quotas.ts';
import { semaphoreCases } from '../contracts/semaphores.ts';
import { sharedQueueCases } from '../contracts/shared-queue.ts';
import { stopRequestsCases } from '../contracts/stop-requests.ts';
import { startRedisCluster } from '../fakes/redis-cluster.ts';
import { startRedisServer } from '../fakes/redis-server.ts';

/** Whatever the queue is on. */
interface Servers {
  readonly url: string;
  /** To the server that has the queue. */
  command(...words: readonly string[]): Promise<unknown>;
  remove(): Promise<void>;
}

let servers: Servers;
const opened: Coordination[] = [];

async function startCluster(): Promise<Servers> {
  const { url, ownerOf, remove } = await startRedisCluster();
  const owner = await ownerOf('council:{queue}');
  return { url, command: (...words) => owner.command(...words), remove };
}

const kinds = [
  { name: 'a Redis server', start: (): Promise<Servers> => startRedisServer() },
  { name: 'a Redis cluster', start: startCluster },
] as const;

async function closeShared({ queue, close }: Coordination): Promise<void> {
  await queue.stop(0);
  await close();
}

async function share(options: Partial<SharedOptions> = {}): Promise<Coordination> {
  const shared = await openShared({
    url: servers.url,
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    log: silentLog,
    ...options,
  });
  opened.push(shared);
  return shared;
}

async function open(options: Partial<SharedOptions>): Promise<Queue> {
  return (await share(options)).queue;
}

describe.each(kinds)('on $name', ({ start }) => {
  let started: Servers | undefined;
  beforeEach(async () => {
    started ??= await start();
    servers = started;
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(closeShared));
    await servers.command('FLUSHALL');
  });
  afterAll(() => started?.remove());

  describe('the queue', () => {
    test.each(queueCases)('$name', (queueCase) =>
      queueCase.run(({ concurrency, unfinished, tries = 1 }) =>
        open({ concurrency, unfinished: async () => unfinished, tries }),
      ),
    );

    test.each(sharedQueueCases)('$name', (queueCase) =>
      queueCase.run((concurrency) => open({ concurrency })),
    );

    test('takes up a turn whose process died before it had queued it, while others run', async () => {
      const unfinished: QueuedTurn[] = [];
      const queue = await open({ unfinished: async () => unfinished });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      unfinished.push(turn('a', 1));
      await runner.untilBegun(1);
      // Known by now, however often it is looked for.
      await queue.add(turn('a', 1));
      expect(await queue.waiting(threadOf('a'))).toBe(1);
      unfinished.pop();
      runner.end('a1');
      await queue.idle();
    });

    test('takes up a turn that no one has queued behind however many that were put aside', async () => {
      const dead = Array.from({ length: 1001 }, (_, index) => turn('dead', index));
      const kept = JSON.stringify({ threadId: 'dead', reason: 'a fault', starts: 1, diedAt: 1 });
      const fields = dead.flatMap(({ turnId }) => [turnId, kept]);
      await servers.command('HSET', 'council:{queue}:dead', ...fields);
      const unfinished = [...dead, turn('a', 1)];
      const queue = await open({ unfinished: async (most) => unfinished.slice(0, most) });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      await runner.untilBegun(1);
      expect(runner.begun).toEqual(['a1']);
      runner.end('a1');
      await queue.idle();
    });

    test('that is stopped before it has quite begun does not begin', async () => {
      const { promise: found, resolve } = Promise.withResolvers<readonly QueuedTurn[]>();
      const asked = Promise.withResolvers<void>();
      const queue = await open({
        unfinished: () => {
          asked.resolve();
          return found;
        },
      });
      const connections = async () =>
        String(await servers.command('CLIENT', 'LIST', 'TYPE', 'normal')).match(/council-queue/g)
          ?.length ?? 0;
      const before = await connections();
      const runner = heldRunner();
      const starting = queue.start(running(runner.run));
      await asked.promise;
      await queue.stop(0);
      resolve([turn('a', 1)]);
      await starting;
      // The server hears late of a connection that was closed, those of earlier tests included.
      await expect.poll(connections).toBeLessThanOrEqual(before);
      expect(runner.begun).toEqual([]);
    });

    test('leaves nothing behind of turns that have ended', async () => {
      const queue = await open({});
      await queue.start(running(async () => 'ended'));
      for (let number = 1; number <= 30; number += 1) {
        await queue.add({ turnId: `t${number}`, threadId: `p:w:c${number % 5}:${number % 7}` });
      }
      await queue.idle();
      await expect.poll(async () => servers.command('KEYS', '*turns-p:[0-9]*')).toEqual([]);
      const keys = await servers.command('KEYS', '*');
      expect(keys).not.toEqual(expect.arrayContaining([expect.stringContaining(':inbox:')]));
      expect(
        await servers.command('EXISTS', 'council:{queue}:holders', 'council:{queue}:threads'),
      ).toBe(0);
    });
  });

  describe('the semaphores', () => {
    test.each(semaphoreCases)('$name', (semaphoreCase) =>
      semaphoreCase.run(async () => (await share()).semaphores),
    );
  });

  describe('the quotas', () => {
    test.each(quotasCases)('$name', (quotasCase) =>
      quotasCase.run(async () => (await share()).quotas),
    );
  });

  describe('the requests to stop', () => {
    test.each(stopRequestsCases)('$name', (stopCase) =>
      stopCase.run(async () => (await share()).stops),
    );
  });
});

describe('the contract of queues of several processes', () => {
  const unshared = async (concurrency: number) =>
    new InlineQueue({
      concurrency,
      log: silentLog,
      tries: 1,
      willPass: () => false,
      unfinished: async () => [],
    });

  test('fails a queue that serves threads in the order in which they came', async () => {
    const name = 'lets a workspace that asks little go before the rest of one that asks much';
    const queueCase = sharedQueueCases.find((candidate) => candidate.name === name);
    await expect(queueCase?.run(unshared)).rejects.toThrow();
  });
});
