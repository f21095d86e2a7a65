/** A queue that has work to do while its server becomes another one, and the look whether it did it. */

import { expect, onTestFinished } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import type { Coordination } from '../../src/queue/coordination.ts';
import { heldRunner, running, turn } from '../contracts/queue-runner.ts';

/** A failover takes its time, on machines that may be busy. */
export const soon = { timeout: 30_000, interval: 50 };

/** Lets go of it when the test has finished. */
export async function openQueue(url: string): Promise<Coordination> {
  const shared = await openShared({
    url,
    name: 'the test servers',
    concurrency: 4,
    unfinished: async () => [],
    log: silentLog,
  });
  onTestFinished(async () => {
    await shared.queue.stop(0);
    await shared.close();
  });
  return shared;
}

/** A process that takes in and one that works, with a turn under way and one behind it. */
export async function atWork(url: string) {
  const [gateway, worker] = [await openQueue(url), await openQueue(url)];
  const runner = heldRunner();
  await worker.queue.start(running(runner.run));
  await gateway.queue.add(turn('a', 1));
  await gateway.queue.add(turn('a', 2));
  await runner.untilBegun(1);
  return { gateway, worker, runner };
}

/** Whatever becomes of the servers: all is run in order, and what is shared is shared. */
export async function goesOn({ gateway, worker, runner }: Awaited<ReturnType<typeof atWork>>) {
  await gateway.queue.add(turn('b', 1));
  const stopped = Promise.withResolvers<void>();
  await worker.stops.watch('b1', () => stopped.resolve());
  await gateway.stops.request('b1');
  await stopped.promise;
  const claim = [{ name: 'one', amount: 1, limit: 1 }];
  expect(await gateway.quotas.take('here', claim, 60_000)).toEqual({ status: 'taken' });
  expect(await worker.quotas.take('there', claim, 60_000)).toMatchObject({ status: 'refused' });
  // A run that lost its lock meanwhile is begun again; the next waits for its end all the same.
  const seen = () => {
    for (const turnId of ['a1', 'b1']) runner.end(turnId);
    return runner.begun.includes('a2') && runner.begun.includes('b1');
  };
  await expect.poll(seen, soon).toBe(true);
  expect(runner.begun.lastIndexOf('a1')).toBeLessThan(runner.begun.indexOf('a2'));
  const ending = setInterval(() => ['a1', 'a2', 'b1'].forEach(runner.end), 50);
  await gateway.queue.idle();
  clearInterval(ending);
  await expect.poll(() => gateway.health().isReady, soon).toBe(true);
}
