import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CallDeadline, Cutoff } from '../../src/council/cutoff.ts';
import { Gathering } from '../../src/council/gather.ts';

const limits = { timeoutMs: 10_000, quorumShare: 0.75, graceMs: 2_000 };

/** A task that ends when told, or with the name of what cut it off. */
function task(work: (deadline: CallDeadline) => Promise<string>) {
  return { who: 'Ada', run: work, counts: (result: string) => result === 'done' };
}

const hangs = task(
  ({ signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(signal.reason instanceof Cutoff ? signal.reason.reason : 'aborted otherwise');
      });
    }),
);
const done = task(async () => 'done');

describe('gathering parallel work', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('waits for everybody when all deliver', async () => {
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    for (const each of [done, done]) gathering.add(each);
    expect(await gathering.close()).toEqual(['done', 'done']);
  });

  test('cuts the late ones off after the grace period once the quorum is there', async () => {
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    for (const each of [done, hangs, done, done]) gathering.add(each);
    const results = gathering.close();
    await vi.advanceTimersByTimeAsync(limits.graceMs - 1);
    await expect(Promise.race([results, Promise.resolve('still waiting')])).resolves.toBe(
      'still waiting',
    );
    await vi.advanceTimersByTimeAsync(1);
    expect(await results).toEqual(['done', 'late', 'done', 'done']);
  });

  test('is as if what was taken back had never been added: no result of it, no part in the quorum', async () => {
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    const ended: unknown[] = [];
    const takeBack = [
      // One of them has its result in hand when it is taken back.
      gathering.add(task(async () => 'done')),
      gathering.add(
        task(async ({ signal }) => {
          signal.addEventListener('abort', () => ended.push(signal.reason));
          return new Promise(() => undefined);
        }),
      ),
    ];
    for (const each of [hangs, done]) gathering.add(each);
    const cutoff = new Cutoff('stopped', 'Not wanted.');
    for (const one of takeBack) one(cutoff);
    expect(ended).toEqual([cutoff]);
    const results = gathering.close();
    // One of two is no quorum: the deadline decides, and no grace.
    await vi.advanceTimersByTimeAsync(limits.timeoutMs);
    expect(await results).toEqual(['timed_out', 'done']);
  });

  test('gives no grace without a quorum: the deadline decides', async () => {
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    for (const each of [done, hangs, hangs, done]) gathering.add(each);
    const results = gathering.close();
    await vi.advanceTimersByTimeAsync(limits.timeoutMs);
    expect(await results).toEqual(['done', 'timed_out', 'timed_out', 'done']);
  });

  test('does not start the grace period before it is known how many there are', async () => {
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    gathering.add(done);
    gathering.add(hangs);
    await vi.advanceTimersByTimeAsync(limits.graceMs * 2);
    for (const each of [done, done]) gathering.add(each);
    const results = gathering.close();
    await vi.advanceTimersByTimeAsync(limits.graceMs);
    expect(await results).toEqual(['done', 'late', 'done', 'done']);
  });

  test('counts no time that a task waits for its turn, neither of its own nor of the grace', async () => {
    const goOn: (() => void)[] = [];
    const waits = task((deadline) => {
      goOn.push(deadline.onWait());
      return hangs.run(deadline);
    });
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    for (const each of [waits, done, done, done]) gathering.add(each);
    const results = gathering.close();
    await vi.advanceTimersByTimeAsync(3 * limits.timeoutMs);
    for (const end of goOn) end();
    await vi.advanceTimersByTimeAsync(limits.graceMs - 1);
    await expect(Promise.race([results, Promise.resolve('still waiting')])).resolves.toBe(
      'still waiting',
    );
    await vi.advanceTimersByTimeAsync(1);
    expect(await results).toEqual(['late', 'done', 'done', 'done']);
  });

  test('gives one whose turn comes last as long as the others had, and then the grace', async () => {
    const goOn: (() => void)[] = [];
    const waits = task((deadline) => {
      goOn.push(deadline.onWait());
      return hangs.run(deadline);
    });
    const slow = task(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return 'done';
    });
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    for (const each of [slow, slow, slow, waits]) gathering.add(each);
    const results = gathering.close();
    await vi.advanceTimersByTimeAsync(5000);
    for (const end of goOn) end();
    await vi.advanceTimersByTimeAsync(5000 + limits.graceMs - 1);
    await expect(Promise.race([results, Promise.resolve('still waiting')])).resolves.toBe(
      'still waiting',
    );
    await vi.advanceTimersByTimeAsync(1);
    expect(await results).toEqual(['done', 'done', 'done', 'late']);
  });

  test('goes on with what is left of the time after each wait', async () => {
    let pause: CallDeadline['onWait'] = () => () => undefined;
    const waits = task((deadline) => {
      pause = deadline.onWait;
      return hangs.run(deadline);
    });
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    gathering.add(waits);
    const results = gathering.close();
    for (let wait = 0; wait < 2; wait += 1) {
      await vi.advanceTimersByTimeAsync(limits.timeoutMs / 2 - 1);
      const goOn = pause();
      await vi.advanceTimersByTimeAsync(limits.timeoutMs);
      goOn();
    }
    await vi.advanceTimersByTimeAsync(1);
    await expect(Promise.race([results, Promise.resolve('still waiting')])).resolves.toBe(
      'still waiting',
    );
    await vi.advanceTimersByTimeAsync(1);
    expect(await results).toEqual(['timed_out']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('counts what was there before toward the quorum', async () => {
    const gathering = new Gathering<string>(new AbortController().signal, limits);
    for (let index = 0; index < 3; index += 1) gathering.addResult('done', true);
    gathering.add(hangs);
    const results = gathering.close();
    await vi.advanceTimersByTimeAsync(limits.graceMs);
    expect(await results).toEqual(['done', 'done', 'done', 'late']);
  });

  test('throws what a task throws, and passes the abort of its parent on', async () => {
    const parent = new AbortController();
    const gathering = new Gathering<string>(parent.signal, limits);
    gathering.add(task(async () => Promise.reject(new Error('a fault'))));
    gathering.add(hangs);
    const results = gathering.close();
    await expect(results).rejects.toThrow('a fault');
    parent.abort(new Error('over'));
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
