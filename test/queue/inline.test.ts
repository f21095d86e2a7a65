import { describe, expect, test } from 'vitest';
import { createInlineQueue } from '../../src/queue/inline.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { type OpenQueue, queueCases } from '../contracts/queue.ts';
import { heldRunner, turn } from '../contracts/queue-runner.ts';
import { sharedQueueCases } from '../contracts/shared-queue.ts';

const open: OpenQueue = async ({ concurrency, unfinished }) =>
  createInlineQueue({ concurrency, unfinished: async () => unfinished }, () => undefined);

describe('the in-process queue', () => {
  test.each(queueCases)('$name', (queueCase) => queueCase.run(open));

  test('tells who asked for it that a turn threw', async () => {
    const heard: unknown[] = [];
    const queue = createInlineQueue(
      { concurrency: 1, unfinished: async () => [] },
      (turn, error) => {
        heard.push(turn.turnId, error);
      },
    );
    const fault = new Error('a fault');
    await queue.start(async () => Promise.reject(fault));
    await queue.add({ turnId: 'a1', threadId: 'a' });
    await queue.idle();
    expect(heard).toEqual(['a1', fault]);
  });

  test('that may try again keeps the order of the thread', async () => {
    const name = 'tries a turn again that threw, before the next one of its thread';
    const queueCase = sharedQueueCases.find((candidate) => candidate.name === name);
    await queueCase?.run(async (concurrency) =>
      createInlineQueue({ concurrency, tries: 2, unfinished: async () => [] }, () => undefined),
    );
    expect(queueCase).toBeDefined();
  });

  test('runs other threads while a turn waits for its next try, and puts it aside after the last', async () => {
    const heard: unknown[] = [];
    const queue = createInlineQueue(
      { concurrency: 1, tries: 2, unfinished: async () => [] },
      ({ turnId }, _error, againInMs) => heard.push(`${turnId} threw, again in ${againInMs}`),
    );
    const putAside = async ({ turnId }: { readonly turnId: string }) =>
      void heard.push(`${turnId} put aside`);
    await queue.start(async ({ turnId }) => {
      heard.push(turnId);
      if (turnId === 'a1') throw new Error('a fault');
    }, putAside);
    for (const each of [turn('a', 1), turn('a', 2), turn('b', 1)]) await queue.add(each);
    expect(await queue.waiting('a')).toBe(2);
    await queue.idle();
    expect(heard).toEqual([
      ...['a1', 'a1 threw, again in 1000', 'b1'],
      ...['a1', 'a1 threw, again in undefined', 'a1 put aside', 'a2'],
    ]);
  });

  test('begins no further try after it was stopped', async () => {
    const queue = createInlineQueue(
      { concurrency: 1, tries: 2, unfinished: async () => [] },
      () => undefined,
    );
    const runner = heldRunner();
    await queue.start(async (given, signal) => {
      await runner.run(given, signal);
      throw new Error('a fault');
    });
    await queue.add(turn('a', 1));
    await runner.untilBegun(1);
    await queue.stop(0);
    await queue.add(turn('b', 1));
    expect(runner.begun).toEqual(['a1']);
  });
});

/** A queue that has lost one of its promises. */
const broken: Readonly<Record<string, (queue: Queue) => Partial<Queue>>> = {
  'runs the turns of one thread one after another, in the order they were added': (queue) => ({
    add: ({ turnId }) => queue.add({ turnId, threadId: turnId }),
  }),
  'tells how many turns of a thread come before a new one': () => ({ waiting: async () => 0 }),
};

describe('the contract of queues', () => {
  test.each(Object.entries(broken))(
    'fails a queue that does not keep: %s',
    async (name, breakIt) => {
      const queueCase = queueCases.find((candidate) => candidate.name === name);
      const openBroken: OpenQueue = async (options) => {
        const queue = await open(options);
        return {
          add: (turn) => queue.add(turn),
          start: (run) => queue.start(run),
          waiting: (threadId) => queue.waiting(threadId),
          idle: () => queue.idle(),
          stop: (graceMs) => queue.stop(graceMs),
          ...breakIt(queue),
        };
      };
      await expect(queueCase?.run(openBroken)).rejects.toThrow();
    },
  );
});
