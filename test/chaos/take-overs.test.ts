import { expect, test } from 'vitest';
import type { LogLine } from './program.ts';
import { TakeOvers } from './take-overs.ts';

/** A line of process `pid` on turn `one`. */
function line(pid: number, msg: string, at: number): LogLine {
  return { time: new Date(at), pid, level: 'info', msg, turnId: 'one' };
}

const taken = 'turn taken from the queue';
const waitsOf = (takeOvers: TakeOvers) => takeOvers.all().map(({ waitMs }) => waitMs);

test('a turn waits from the death of who has it until another takes it', () => {
  const takeOvers = new TakeOvers();
  takeOvers.hear(line(1, taken, 1000));
  takeOvers.killed(1, 2000);
  takeOvers.hear(line(2, taken, 6500));
  expect(waitsOf(takeOvers)).toEqual([4500]);
});

test('each of several deaths begins a wait of its own, whenever the dead are heard', () => {
  const takeOvers = new TakeOvers();
  takeOvers.hear(line(1, taken, 1000));
  takeOvers.killed(1, 2000);
  takeOvers.killed(2, 7000);
  takeOvers.hear(line(2, taken, 6000));
  takeOvers.hear(line(3, taken, 12_000));
  takeOvers.hear(line(2, 'turn ended', 6900));
  expect(waitsOf(takeOvers)).toEqual([4000, 5000]);
});

test('the wait counts from when Redis is back and a worker is up', () => {
  const takeOvers = new TakeOvers();
  takeOvers.hear(line(1, taken, 1000));
  takeOvers.killed(1, 2000);
  takeOvers.redisWasAway(1500, 4000);
  takeOvers.nobodyWasUp(3000, 9000);
  takeOvers.hear(line(2, taken, 11_000));
  expect(takeOvers.all()).toEqual([{ turnId: 'one', waitMs: 2000, wasRedisAway: true }]);
});

test('nobody waits for a turn that has ended or is to be tried again later', () => {
  for (const msg of ['turn ended', 'turn is tried again']) {
    const takeOvers = new TakeOvers();
    takeOvers.hear(line(1, taken, 1000));
    takeOvers.hear(line(1, msg, 1500));
    takeOvers.killed(1, 2000);
    takeOvers.hear(line(2, taken, 30_000));
    expect(waitsOf(takeOvers)).toEqual([]);
  }
});
