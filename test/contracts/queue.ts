/** What every queue must do; run over each backend, and once over a broken one to prove that it can fail. */

import { expect } from 'vitest';
import type { Queue, QueuedTurn } from '../../src/queue/queue.ts';
import { heldRunner, running, threadOf, turn } from './queue-runner.ts';

/** How a backend is opened for one case. */
export type OpenQueue = (options: {
  readonly concurrency: number;
  readonly unfinished: readonly QueuedTurn[];
  /** How often a turn is run that throws. Default: once. */
  readonly tries?: number;
}) => Promise<Queue>;

export interface QueueCase {
  readonly name: string;
  run(open: OpenQueue): Promise<void>;
}

export const queueCases: readonly QueueCase[] = [
  {
    name: 'runs the turns of one thread one after another, in the order they were added',
    async run(open) {
      const queue = await open({ concurrency: 4, unfinished: [] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      for (const number of [1, 2, 3]) await queue.add(turn('a', number));
      await runner.untilBegun(1);
      expect(runner.begun).toEqual(['a1']);
      runner.end('a1');
      await runner.untilBegun(2);
      expect(runner.begun).toEqual(['a1', 'a2']);
      runner.end('a2');
      await runner.untilBegun(3);
      runner.end('a3');
      await queue.idle();
      expect(runner.begun).toEqual(['a1', 'a2', 'a3']);
      await queue.stop(0);
    },
  },
  {
    name: 'runs different threads side by side, up to the limit',
    async run(open) {
      const queue = await open({ concurrency: 2, unfinished: [] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      for (const thread of ['a', 'b', 'c']) await queue.add(turn(thread, 1));
      await runner.untilBegun(2);
      expect([...runner.begun].sort()).toEqual(['a1', 'b1']);
      runner.end('a1');
      await runner.untilBegun(3);
      expect(runner.begun[2]).toBe('c1');
      runner.end('b1');
      runner.end('c1');
      await queue.idle();
      await queue.stop(0);
    },
  },
  {
    name: 'lets another thread go before the next turn of a busy one',
    async run(open) {
      const queue = await open({ concurrency: 1, unfinished: [] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      for (const each of [turn('a', 1), turn('a', 2), turn('b', 1)]) await queue.add(each);
      for (const [count, turnId] of [
        [1, 'a1'],
        [2, 'b1'],
        [3, 'a2'],
      ] as const) {
        await runner.untilBegun(count);
        expect(runner.begun[count - 1]).toBe(turnId);
        runner.end(turnId);
      }
      await queue.idle();
      await queue.stop(0);
    },
  },
  {
    name: 'runs a turn once that is added twice',
    async run(open) {
      const queue = await open({ concurrency: 4, unfinished: [] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      for (const each of [turn('a', 1), turn('a', 1), turn('a', 2)]) await queue.add(each);
      await runner.untilBegun(1);
      runner.end('a1');
      await runner.untilBegun(2);
      runner.end('a2');
      await queue.idle();
      expect(runner.begun).toEqual(['a1', 'a2']);
      await queue.stop(0);
    },
  },
  {
    name: 'takes up what was left unfinished before what is new',
    async run(open) {
      const queue = await open({ concurrency: 1, unfinished: [turn('a', 1), turn('b', 1)] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      await queue.add(turn('c', 1));
      for (const [index, turnId] of ['a1', 'b1', 'c1'].entries()) {
        await runner.untilBegun(index + 1);
        runner.end(turnId);
      }
      await queue.idle();
      expect(runner.begun).toEqual(['a1', 'b1', 'c1']);
      await queue.stop(0);
    },
  },
  {
    name: 'takes up what was left unfinished before what its thread was asked meanwhile',
    async run(open) {
      const queue = await open({ concurrency: 1, unfinished: [turn('a', 1), turn('a', 2)] });
      const runner = heldRunner();
      await queue.add(turn('a', 2), ['a1']);
      await queue.start(running(runner.run));
      await runner.untilBegun(1);
      expect(await queue.waiting(threadOf('a'))).toBe(2);
      runner.end('a1');
      await runner.untilBegun(2);
      runner.end('a2');
      await queue.idle();
      expect(runner.begun).toEqual(['a1', 'a2']);
      await queue.stop(0);
    },
  },
  {
    name: 'leaves what was left unfinished on a platform that this process can’t post on',
    async run(open) {
      const elsewhere = { turnId: 'elsewhere', threadId: 'q:w:c:a' };
      const queue = await open({ concurrency: 4, unfinished: [elsewhere, turn('a', 1)] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      await queue.add(turn('b', 1));
      await runner.untilBegun(2);
      expect(runner.begun.toSorted()).toEqual(['a1', 'b1']);
      await queue.stop(0);
    },
  },
  {
    name: 'tries a turn again that threw, before the next one of its thread',
    async run(open) {
      const queue = await open({ concurrency: 1, unfinished: [], tries: 2 });
      const ran: string[] = [];
      await queue.start(
        running(async ({ turnId }) => {
          ran.push(turnId);
          if (ran.length === 1) throw new Error('a fault that passes');
          return 'ended';
        }),
      );
      await queue.add(turn('a', 1));
      await queue.add(turn('a', 2));
      await queue.idle();
      expect(ran).toEqual(['a1', 'a1', 'a2']);
      await queue.stop(0);
    },
  },
  {
    name: 'goes on with the next turn when one has thrown as often as it is tried',
    async run(open) {
      const queue = await open({ concurrency: 1, unfinished: [] });
      const ran: string[] = [];
      await queue.start(
        running(async ({ turnId }) => {
          ran.push(turnId);
          if (turnId === 'a1') throw new Error('a fault');
          return 'ended';
        }),
      );
      await queue.add(turn('a', 1));
      await queue.add(turn('a', 2));
      await queue.idle();
      expect(ran).toEqual(['a1', 'a2']);
      await queue.stop(0);
    },
  },
  {
    name: 'tells how many turns of a thread come before a new one',
    async run(open) {
      const queue = await open({ concurrency: 1, unfinished: [] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      expect(await queue.waiting(threadOf('a'))).toBe(0);
      await queue.add(turn('a', 1));
      await queue.add(turn('a', 2));
      await runner.untilBegun(1);
      expect(await queue.waiting(threadOf('a'))).toBe(2);
      expect(await queue.waiting(threadOf('b'))).toBe(0);
      await queue.stop(0);
    },
  },
  {
    name: 'begins no turn after it was stopped, and aborts those that outlast the grace',
    async run(open) {
      const queue = await open({ concurrency: 1, unfinished: [] });
      const runner = heldRunner();
      await queue.start(running(runner.run));
      await queue.add(turn('a', 1));
      await queue.add(turn('a', 2));
      await runner.untilBegun(1);
      await queue.stop(0);
      expect(runner.begun).toEqual(['a1']);
    },
  },
];
