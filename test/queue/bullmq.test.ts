import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openShared, type SharedOptions } from '../../src/queue/bullmq.ts';
import type { Coordination } from '../../src/queue/coordination.ts';
import { createInlineQueue } from '../../src/queue/inline.ts';
import type { Queue, QueuedTurn } from '../../src/queue/queue.ts';
import { backgroundCases } from '../contracts/background.ts';
import { queueCases } from '../contracts/queue.ts';
import { heldRunner, turn } from '../contracts/queue-runner.ts';
import { quotasCases } from '../contracts/quotas.ts';
import { sharedQueueCases } from '../contracts/shared-queue.ts';
import { stopRequestsCases } from '../contracts/stop-requests.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;
const opened: Coordination[] = [];

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());
afterEach(async () => {
  await Promise.all(opened.splice(0).map(closeShared));
  await server.command('FLUSHALL');
});

async function closeShared({ queue, background, close }: Coordination): Promise<void> {
  await Promise.all([queue.stop(0), background.stop(0)]);
  await close();
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function share(options: Partial<SharedOptions> = {}): Promise<Coordination> {
  const shared = await openShared({
    url: server.url,
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    log: silent,
    ...options,
  });
  opened.push(shared);
  return shared;
}

async function open(options: Partial<SharedOptions>): Promise<Queue> {
  return (await share(options)).queue;
}

describe('the queue in Redis', () => {
  test.each(queueCases)('$name', (queueCase) =>
    queueCase.run(({ concurrency, unfinished }) =>
      open({ concurrency, unfinished: async () => unfinished, tries: 1 }),
    ),
  );

  test.each(sharedQueueCases)('$name', (queueCase) =>
    queueCase.run((concurrency) => open({ concurrency })),
  );

  test('takes up a turn whose process died before it had queued it, while others run', async () => {
    const unfinished: QueuedTurn[] = [];
    const queue = await open({ unfinished: async () => unfinished, adoptEveryMs: 100 });
    const runner = heldRunner();
    await queue.start(runner.run);
    unfinished.push(turn('a', 1));
    await runner.untilBegun(1);
    // Known by now, however often it is looked for.
    await queue.add(turn('a', 1));
    expect(await queue.waiting('a')).toBe(1);
    unfinished.pop();
    runner.end('a1');
    await queue.idle();
  });

  test('leaves nothing behind of turns that have ended', async () => {
    const queue = await open({});
    await queue.start(async () => undefined);
    for (let number = 1; number <= 30; number += 1) {
      await queue.add({ turnId: `t${number}`, threadId: `p:w:c${number % 5}:${number % 7}` });
    }
    await queue.idle();
    await expect
      .poll(async () => server.command('KEYS', '*turns:[0-9]*'), { timeout: 5000 })
      .toEqual([]);
    const keys = await server.command('KEYS', '*');
    expect(keys).not.toEqual(expect.arrayContaining([expect.stringContaining(':inbox:')]));
    expect(
      await server.command('EXISTS', 'council:{queue}:holders', 'council:{queue}:threads'),
    ).toBe(0);
  });
});

describe('the contract of queues of several processes', () => {
  const unshared = async (concurrency: number) =>
    createInlineQueue({ concurrency, unfinished: async () => [] }, () => undefined);

  test.each([
    'tries a turn again that threw, before the next one of its thread',
    'lets a workspace that asks little go before the rest of one that asks much',
  ])('fails a queue of one process that does not keep: %s', async (name) => {
    const queueCase = sharedQueueCases.find((candidate) => candidate.name === name);
    await expect(queueCase?.run(unshared)).rejects.toThrow();
  });
});

describe('the quotas in Redis', () => {
  test.each(quotasCases)('$name', (quotasCase) =>
    quotasCase.run(async () => (await share()).quotas),
  );
});

describe('the requests to stop in Redis', () => {
  test.each(stopRequestsCases)('$name', (stopCase) =>
    stopCase.run(async () => (await share()).stops),
  );

  test('reach a process that does not hear what is told, because it looks', async () => {
    const [asking, running] = [await share(), await share()];
    const stopped = Promise.withResolvers<void>();
    await running.stops.watch('one', () => stopped.resolve());
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await asking.stops.request('one');
    await stopped.promise;
  });
});

describe('the background work in Redis', () => {
  test.each(backgroundCases)('$name', (backgroundCase) =>
    backgroundCase.run(async () => (await share()).background),
  );
});
