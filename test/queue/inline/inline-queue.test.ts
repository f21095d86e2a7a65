import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { InlineQueue, type InlineQueueOptions } from '../../../src/queue/inline/inline-queue.ts';
import type { Queue, QueuedTurn } from '../../../src/queue/queue.ts';
import { type OpenQueue, queueCases } from '../../contracts/queue.ts';
import { running, threadOf, turn } from '../../contracts/queue-runner.ts';

const usual: InlineQueueOptions = {
  concurrency: 1,
  unfinished: async () => [],
  tries: 2,
  willPass: () => false,
  log: silentLog,
};

const open: OpenQueue = async ({ concurrency, unfinished, tries = 1 }) =>
  new InlineQueue({ ...usual, concurrency, tries, unfinished: async () => unfinished });

/** A log that keeps what is said of a level. */
function heard(level: 'warn' | 'error') {
  const said: string[] = [];
  const say = (_facts: object, sentence: string) => void said.push(sentence);
  return { said, log: { ...silentLog, [level]: say } };
}

describe('the in-process queue', () => {
  test.each(queueCases)('$name', (queueCase) => queueCase.run(open));

  test('leaves a turn for the next start that threw each time, and says so', async () => {
    const { said, log } = heard('error');
    const aside: string[] = [];
    const queue = new InlineQueue({ ...usual, log });
    const ran: string[] = [];
    const run = async ({ turnId }: QueuedTurn) => {
      ran.push(turnId);
      if (turnId === 'a1') throw new Error('a fault');
      return 'ended' as const;
    };
    await queue.start(running(run, async ({ turnId }) => void aside.push(turnId)));
    await queue.add(turn('a', 1));
    await queue.add(turn('a', 2));
    await queue.idle();
    expect(ran).toEqual(['a1', 'a1', 'a2']);
    expect(aside).toEqual(['a1']);
    expect(said).toEqual(['turn could not be run; it is left for the next start']);
  });

  test('tells no one that it was tried again and again when it is tried once', async () => {
    const aside: string[] = [];
    const queue = new InlineQueue({ ...usual, tries: 1, willPass: () => true });
    const run = async () => Promise.reject(new Error('a fault'));
    await queue.start(running(run, async ({ turnId }) => void aside.push(turnId)));
    await queue.add(turn('a', 1));
    await queue.idle();
    expect(aside).toEqual([]);
  });

  describe('while what a turn needs is away', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    test('tries it again for as long as that lasts, and says so once', async () => {
      const { said, log } = heard('warn');
      const queue = new InlineQueue({ ...usual, log, willPass: () => true });
      let runs = 0;
      let isAway = true;
      await queue.start(
        running(async () => {
          runs += 1;
          if (isAway) throw new Error('the store is away');
          return 'ended';
        }),
      );
      await queue.add(turn('a', 1));
      await vi.advanceTimersByTimeAsync(60 * 60_000);
      expect(runs).toBeGreaterThan(100);
      expect(await queue.waiting(threadOf('a'))).toBe(1);
      isAway = false;
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await queue.waiting(threadOf('a'))).toBe(0);
      expect(said).toEqual(['turn is retried']);
    });

    test('gives its place to other threads meanwhile', async () => {
      const queue = new InlineQueue({ ...usual, willPass: () => true });
      const ran: string[] = [];
      await queue.start(
        running(async ({ turnId }) => {
          ran.push(turnId);
          if (turnId === 'a1' && ran.length === 1) throw new Error('the store is away');
          return 'ended';
        }),
      );
      await queue.add(turn('a', 1));
      await queue.add(turn('b', 1));
      await vi.advanceTimersByTimeAsync(0);
      expect(ran).toEqual(['a1', 'b1']);
      await vi.advanceTimersByTimeAsync(1000);
      expect(ran).toEqual(['a1', 'b1', 'a1']);
    });

    test('begins nothing after it was stopped', async () => {
      const queue = new InlineQueue({ ...usual, willPass: () => true });
      let runs = 0;
      await queue.start(
        running(async () => {
          runs += 1;
          throw new Error('the store is away');
        }),
      );
      await queue.add(turn('a', 1));
      await vi.advanceTimersByTimeAsync(0);
      await queue.stop(0);
      expect(vi.getTimerCount()).toBe(0);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(runs).toBe(1);
    });
  });
});

/** A queue that has lost one of its promises. */
const broken: Readonly<Record<string, (queue: Queue) => Partial<Queue>>> = {
  'runs the turns of one thread one after another, in the order they were added': (queue) => ({
    add: ({ turnId }) => queue.add({ turnId, threadId: turnId }),
  }),
  'tells how many turns of a thread come before a new one': () => ({ waiting: async () => 0 }),
  'tries a turn again that threw, before the next one of its thread': (queue) => ({
    start: ({ run, ...start }) =>
      queue.start({ ...start, run: (each, signal) => run(each, signal).catch(() => 'ended') }),
  }),
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
          start: (start) => queue.start(start),
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
