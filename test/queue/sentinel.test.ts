import { expect, onTestFinished, test, vi } from 'vitest';
import { openShared } from '../../src/queue/bullmq.ts';
import type { Coordination } from '../../src/queue/coordination.ts';
import { heldRunner, turn } from '../contracts/queue-runner.ts';
import { startWatchedRedis, type WatchedRedis } from '../fakes/watched-redis.ts';

// A failover takes its time, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const soon = { timeout: 30_000, interval: 50 };

async function open(url: string): Promise<Coordination> {
  const ignore = () => undefined;
  const shared = await openShared({
    ...{ url, name: 'the test servers', concurrency: 4 },
    unfinished: async () => [],
    log: { info: ignore, warn: ignore, error: ignore },
  });
  onTestFinished(async () => {
    await Promise.all([shared.queue.stop(0), shared.background.stop(0)]);
    await shared.close();
  });
  return shared;
}

/** A process that takes in and one that works, with a turn under way and one behind it. */
async function atWork() {
  const watched = await startWatchedRedis();
  onTestFinished(() => watched.remove());
  const [gateway, worker] = [await open(watched.url), await open(watched.url)];
  const runner = heldRunner();
  await worker.queue.start(runner.run);
  await gateway.queue.add(turn('a', 1));
  await gateway.queue.add(turn('a', 2));
  await runner.untilBegun(1);
  await watched.caughtUp();
  return { watched, gateway, worker, runner };
}

/** Whatever becomes of the servers: all is run in order, and what is shared is shared. */
async function goesOn({ gateway, worker, runner }: Awaited<ReturnType<typeof atWork>>) {
  await gateway.queue.add(turn('b', 1));
  const stopped = Promise.withResolvers<void>();
  await worker.stops.watch('b1', () => stopped.resolve());
  await gateway.stops.request('b1');
  await stopped.promise;
  const claim = [{ name: 'one', amount: 1, limit: 1 }];
  expect(await gateway.quotas.take('here', claim, 60_000)).toEqual({ status: 'taken' });
  expect(await worker.quotas.take('there', claim, 60_000)).toMatchObject({ status: 'refused' });
  const done = Promise.withResolvers<string>();
  await worker.background.start({ tidy: { run: async (subject) => done.resolve(subject) } });
  await gateway.background.request('tidy', 'here', 0);
  expect(await done.promise).toBe('here');
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
  expect(gateway.health().isReady).toBe(true);
}

const failovers: readonly {
  readonly name: string;
  readonly happen: (watched: WatchedRedis) => Promise<void>;
}[] = [
  { name: 'is gone', happen: ({ primary }) => primary.kill() },
  { name: 'lives on as a replica', happen: (watched) => watched.swap() },
  { name: 'hangs, and breaks no connection', happen: async ({ primary }) => primary.pause() },
];

test.each(failovers)(
  'turns go on at the new primary when the one before $name',
  async ({ happen }) => {
    const all = await atWork();
    await happen(all.watched);
    await goesOn(all);
    all.watched.primary.resume();
  },
);

test('says what the sentinels say who know of no such primary, or want another password', async () => {
  const watched = await startWatchedRedis();
  onTestFinished(() => watched.remove());
  await expect(open(watched.url.replace('/council', '/elsewhere'))).rejects.toThrow(
    /No such master/,
  );
  const wrong = watched.url.replace(watched.sentinelPassword, 'another');
  await expect(open(wrong)).rejects.toThrow(/WRONGPASS/);
  await expect(open(watched.url.replace(watched.password, 'another'))).rejects.toThrow(/WRONGPASS/);
});
