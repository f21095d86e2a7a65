import { expect, test, vi } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { FailureLog } from '../../src/queue/failure-log.ts';

const failures = new FailureLog(silentLog, 'searches');

test('repeats with a pause before each time, until it is stopped', async () => {
  const stop = new AbortController();
  const happened: string[] = [];
  const pauseMs = () => {
    happened.push('pause');
    return 1;
  };
  const work = async () => {
    happened.push('work');
    if (happened.length === 4) stop.abort();
    return true;
  };
  await failures.repeat(pauseMs, work, stop.signal);
  expect(happened).toEqual(['pause', 'work', 'pause', 'work']);
});

test('ends the pause before another time when it is stopped', async () => {
  const stop = new AbortController();
  const work = vi.fn(async () => true);
  const repeated = failures.repeat(() => 1_000_000, work, stop.signal);
  stop.abort();
  await repeated;
  expect(work).not.toHaveBeenCalled();
});
