import { getEventListeners } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { backOff, linkSignals, retry, timeoutSignal, within } from '../src/waiting.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Never comes to an end. */
const never = new Promise<string>(() => undefined);

test('a linked signal is aborted with the reason of the first source that is', () => {
  const stop = new AbortController();
  const shutdown = new AbortController();
  using linked = linkSignals(stop.signal, undefined, shutdown.signal);
  expect(linked.signal.aborted).toBe(false);
  shutdown.abort('shutting down');
  stop.abort('stopped');
  expect(linked.signal.reason).toBe('shutting down');
});

test('a linked signal is aborted from the beginning where a source already is', () => {
  const stop = new AbortController();
  using linked = linkSignals(stop.signal, AbortSignal.abort('over'));
  expect(linked.signal.reason).toBe('over');
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

test('once disposed of, a linked signal leaves nothing at its sources and stays as it is', () => {
  const source = new AbortController();
  const linked = linkSignals(source.signal);
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(1);
  linked[Symbol.dispose]();
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(0);
  source.abort();
  expect(linked.signal.aborted).toBe(false);
});

test('gives what came in time, and leaves nothing behind', async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  expect(await within(Promise.resolve('done'), { ms: 1000, signal })).toBe('done');
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('waits no longer than it may, and for nothing that comes later', async () => {
  vi.useFakeTimers();
  const work = Promise.withResolvers<string>();
  const quietly = within(work.promise, { ms: 1000 });
  const loudly = within(work.promise, { ms: 1000, late: () => new Error('too late') });
  const refused = expect(loudly).rejects.toThrow('too late');
  await vi.advanceTimersByTimeAsync(1000);
  expect(await quietly).toBeUndefined();
  await refused;
  work.reject(new Error('heard by nobody'));
});

test('starts to wait again after the process was halted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  const halted = vi.spyOn(performance, 'now').mockReturnValue(0);
  const work = Promise.withResolvers<string>();
  const waiting = within(work.promise, { ms: 1000, late: () => new Error('too late') });
  halted.mockReturnValue(60_000);
  await vi.advanceTimersByTimeAsync(1500);
  work.resolve('done');
  expect(await waiting).toBe('done');
  const silent = expect(within(never, { ms: 1000, late: () => new Error('silent') }));
  const refused = silent.rejects.toThrow('silent');
  halted.mockReturnValue(61_000);
  await vi.advanceTimersByTimeAsync(1000);
  await refused;
});

test('starts to wait again only once, so that a process that stays busy gives up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  const refused = expect(
    within(never, { ms: 1000, late: () => new Error('too late') }),
  ).rejects.toThrow('too late');
  await vi.advanceTimersByTimeAsync(1999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(0);
  await refused;
});

test('does not call it late when the result came while the process was busy', async () => {
  const late = vi.fn(() => new Error('too late'));
  const work = Promise.withResolvers<string>();
  const waiting = within(work.promise, { ms: 10, late });
  setTimeout(() => work.resolve('done'), 10);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  expect(await waiting).toBe('done');
  await new Promise(setImmediate);
  expect(late).not.toHaveBeenCalled();
});

test('a signal times out, later if the process was halted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const halted = vi.spyOn(performance, 'now').mockReturnValue(0);
  const signal = timeoutSignal(1000);
  halted.mockReturnValue(60_000);
  await vi.advanceTimersByTimeAsync(1999);
  expect(signal.aborted).toBe(false);
  halted.mockReturnValue(61_000);
  await vi.advanceTimersByTimeAsync(1);
  await new Promise(setImmediate);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('throws what the work throws', async () => {
  const failing = Promise.reject(new Error('broken'));
  await expect(within(failing, { ms: 1000 })).rejects.toThrow('broken');
});

test('waits for work no longer than until a signal is aborted', async () => {
  const stop = new AbortController();
  const waiting = within(never, { signal: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(within(never, { signal: stop.signal })).rejects.toThrow('stopped');
});

test('pauses twice as long after each failure, up to a bound', () => {
  const pauses = backOff(50, 300);
  expect([1, 2, 3, 4, 2000].map(pauses)).toEqual([50, 100, 200, 300, 300]);
});

test('tries again after the pause that a failure asks for', async () => {
  const outcomes = [new Error('first'), new Error('second'), 'done'];
  const heard: unknown[] = [];
  const work = async () => {
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const pauseAfter = (failures: number, error: unknown) => {
    heard.push([failures, String(error)]);
    return failures;
  };
  expect(await retry(work, pauseAfter)).toBe('done');
  expect(heard).toEqual([
    [1, 'Error: first'],
    [2, 'Error: second'],
  ]);
});

test('tries no more what fails for good, and nothing once it is stopped', async () => {
  const fail = vi.fn(async () => {
    throw new Error('broken');
  });
  await expect(retry(fail, () => undefined)).rejects.toThrow('broken');
  await expect(retry(fail, () => 1, AbortSignal.abort())).rejects.toThrow('broken');
  expect(fail).toHaveBeenCalledTimes(2);
});

test('ends the pause before another try when it is stopped', async () => {
  const stop = new AbortController();
  const fail = async () => {
    throw new Error('broken');
  };
  const tried = retry(
    fail,
    () => {
      queueMicrotask(() => stop.abort());
      return 1_000_000;
    },
    stop.signal,
  );
  await expect(tried).rejects.toThrow(/abort/);
});
