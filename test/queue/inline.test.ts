import { describe, expect, test } from 'vitest';
import { createInlineQueue } from '../../src/queue/inline.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { type OpenQueue, queueCases } from '../contracts/queue.ts';

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
