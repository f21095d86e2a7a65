import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BullmqQueueOptions, openBullmqQueue } from '../../src/queue/bullmq.ts';
import { createInlineQueue } from '../../src/queue/inline.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { queueCases } from '../contracts/queue.ts';
import { sharedQueueCases } from '../contracts/shared-queue.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;
const opened: Queue[] = [];

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((queue) => queue.stop(0)));
  await server.command('FLUSHALL');
});

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function open(options: Partial<BullmqQueueOptions>): Promise<Queue> {
  const queue = await openBullmqQueue({
    server: { url: server.url },
    concurrency: 1,
    unfinished: async () => [],
    log: silent,
    ...options,
  });
  opened.push(queue);
  return queue;
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
