/** What a queue of several processes must do beside the contract of every queue. */

import { expect } from 'vitest';
import type { Queue } from '../../src/queue/queue.ts';
import { heldRunner, running, threadOf, turn } from './queue-runner.ts';

/** Opens a queue on the same place as all others of the case, as a further process would. */
export type OpenShared = (concurrency: number) => Promise<Queue>;

export interface SharedQueueCase {
  readonly name: string;
  run(open: OpenShared): Promise<void>;
}

export const sharedQueueCases: readonly SharedQueueCase[] = [
  {
    name: 'runs what another process has added',
    async run(open) {
      const [gateway, worker] = [await open(1), await open(1)];
      const runner = heldRunner();
      await worker.start(running(runner.run));
      await gateway.add(turn('a', 1));
      await runner.untilBegun(1);
      expect(await gateway.waiting(threadOf('a'))).toBe(1);
      runner.end('a1');
      await gateway.idle();
      expect(await worker.waiting(threadOf('a'))).toBe(0);
    },
  },
  {
    name: 'hands a turn only to a process that can post on its platform, whoever adds or finds it',
    async run(open) {
      const [both, other] = [await open(1), await open(1)];
      const [ofBoth, ofOther] = [heldRunner(), heldRunner()];
      const onQ = (number: number) => ({ turnId: `q${number}`, threadId: 'q:w:c:a' });
      await both.start(running(ofBoth.run));
      await both.add(onQ(1));
      await both.add(turn('a', 1));
      await ofBoth.untilBegun(1);
      await other.start(running(ofOther.run, undefined, ['q', 'r']));
      await other.add(turn('a', 2));
      await other.add(onQ(2));
      for (const number of [1, 2]) {
        await ofBoth.untilBegun(number);
        await ofOther.untilBegun(number);
        ofBoth.end(`a${number}`);
        ofOther.end(`q${number}`);
      }
      await other.idle();
      expect(ofBoth.begun).toEqual(['a1', 'a2']);
      expect(ofOther.begun).toEqual(['q1', 'q2']);
    },
  },
  {
    name: 'runs a turn whose process died before it had queued it ahead of the next one of its thread',
    async run(open) {
      const [gateway, worker] = [await open(1), await open(1)];
      const runner = heldRunner();
      await worker.start(running(runner.run));
      await gateway.add(turn('a', 1));
      await runner.untilBegun(1);
      // The second is stored, and no one has queued it.
      await gateway.add(turn('a', 3), ['a1', 'a2']);
      await gateway.add(turn('a', 4), ['a1', 'a2', 'a3']);
      for (const [index, turnId] of ['a1', 'a2', 'a3', 'a4'].entries()) {
        await runner.untilBegun(index + 1);
        runner.end(turnId);
      }
      await gateway.idle();
      expect(runner.begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    },
  },
  {
    name: 'runs a turn again that someone else had taken and left',
    async run(open) {
      const queue = await open(1);
      const ran: string[] = [];
      await queue.start(
        running(async ({ turnId }) => {
          ran.push(turnId);
          return ran.length === 1 ? 'left' : 'ended';
        }),
      );
      await queue.add(turn('a', 1));
      await queue.add(turn('a', 2));
      await queue.idle();
      expect(ran).toEqual(['a1', 'a1', 'a2']);
    },
  },
  {
    name: 'keeps the order of a thread over all processes, and runs no two of its turns at once',
    async run(open) {
      const queues = await Promise.all([open(4), open(4), open(4)]);
      const ran: string[] = [];
      const threads = new Set<string>();
      let together = 0;
      for (const queue of queues) {
        await queue.start(
          running(async ({ turnId, threadId }) => {
            if (threads.has(threadId)) together += 1;
            threads.add(threadId);
            await new Promise((resolve) => setImmediate(resolve));
            threads.delete(threadId);
            ran.push(turnId);
            return 'ended';
          }),
        );
      }
      const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const number of numbers) {
        const [queue] = [queues[number % 3]];
        await Promise.all(names.map((name) => queue?.add(turn(name, number))));
      }
      await queues[0]?.idle();
      expect(together).toBe(0);
      for (const name of names) {
        const inOrder = numbers.map((number) => `${name}${number}`);
        expect(ran.filter((turnId) => turnId.startsWith(name))).toEqual(inOrder);
      }
    },
  },
  {
    name: 'runs a turn once that two processes add',
    async run(open) {
      const queues = [await open(1), await open(1)];
      const runner = heldRunner();
      for (const queue of queues) await queue.start(running(runner.run));
      for (const queue of queues) await queue.add(turn('a', 1));
      await queues[0]?.add(turn('a', 2));
      await runner.untilBegun(1);
      runner.end('a1');
      await runner.untilBegun(2);
      runner.end('a2');
      await queues[0]?.idle();
      expect(runner.begun).toEqual(['a1', 'a2']);
    },
  },
  {
    name: 'gives what a stop interrupts to another process at once, and nothing of the thread before it',
    async run(open) {
      const [first, second] = [await open(1), await open(1)];
      const [leaving, staying] = [heldRunner(), heldRunner()];
      await first.start(running(leaving.run));
      await first.add(turn('a', 1));
      await first.add(turn('a', 2));
      await leaving.untilBegun(1);
      await second.start(running(staying.run));
      await first.stop(0);
      await staying.untilBegun(1);
      staying.end('a1');
      await staying.untilBegun(2);
      staying.end('a2');
      await second.idle();
      expect(leaving.begun).toEqual(['a1']);
      expect(staying.begun).toEqual(['a1', 'a2']);
    },
  },
  {
    name: 'lets a workspace that asks little go before the rest of one that asks much',
    async run(open) {
      const queue = await open(1);
      const runner = heldRunner();
      await queue.add({ turnId: 'first', threadId: 'p:busy:c:0' });
      await queue.start(running(runner.run));
      await runner.untilBegun(1);
      for (let number = 1; number <= 20; number += 1) {
        await queue.add({ turnId: `busy${number}`, threadId: `p:busy:c:${number}` });
      }
      await queue.add({ turnId: 'calm1', threadId: 'p:calm:c:1' });
      await queue.add({ turnId: 'calm2', threadId: 'p:calm:c:2' });
      for (let count = 1; count <= 6; count += 1) {
        await runner.untilBegun(count);
        runner.end(runner.begun[count - 1] ?? '');
      }
      await runner.untilBegun(6);
      expect(runner.begun.slice(0, 6).filter((turnId) => turnId.startsWith('calm'))).toEqual([
        'calm1',
        'calm2',
      ]);
    },
  },
  {
    name: 'lets a channel that asks little go before the rest of another of its workspace',
    async run(open) {
      const queue = await open(1);
      const runner = heldRunner();
      await queue.add({ turnId: 'first', threadId: 'p:w:busy:0' });
      await queue.start(running(runner.run));
      await runner.untilBegun(1);
      for (let number = 1; number <= 20; number += 1) {
        await queue.add({ turnId: `busy${number}`, threadId: `p:w:busy:${number}` });
      }
      await queue.add({ turnId: 'calm', threadId: 'p:w:calm:1' });
      for (let count = 1; count <= 5; count += 1) {
        await runner.untilBegun(count);
        runner.end(runner.begun[count - 1] ?? '');
      }
      expect(runner.begun.slice(0, 5)).toContain('calm');
    },
  },
  {
    name: 'gives a workspace of many busy channels no more than one of a single channel',
    async run(open) {
      const queue = await open(1);
      const runner = heldRunner();
      await queue.add({ turnId: 'first', threadId: 'p:none:c:0' });
      await queue.start(running(runner.run));
      await runner.untilBegun(1);
      for (let number = 1; number <= 10; number += 1) {
        for (const channel of ['c1', 'c2', 'c3', 'c4']) {
          const threadId = `p:wide:${channel}:${number}`;
          await queue.add({ turnId: `wide ${channel} ${number}`, threadId });
        }
      }
      for (let number = 1; number <= 10; number += 1) {
        await queue.add({ turnId: `narrow ${number}`, threadId: `p:narrow:c:${number}` });
      }
      for (let count = 1; count <= 17; count += 1) {
        await runner.untilBegun(count);
        runner.end(runner.begun[count - 1] ?? '');
      }
      const narrow = runner.begun.slice(1, 17).filter((turnId) => turnId.startsWith('narrow'));
      expect(narrow.length).toBeGreaterThanOrEqual(5);
    },
  },
];
