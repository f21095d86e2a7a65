import { expect, test } from 'vitest';
import type { Life, Line, RunRecord } from './record.ts';
import { takeOversOf } from './take-overs.ts';

/** A line of process `pid` on turn `one`. */
function line(pid: number, msg: string, at: number): Line {
  return { at, pid, level: 'info', msg, turnId: 'one' };
}

/** A worker that is up from the beginning. */
function worker(pid: number, more: Partial<Life> = {}): Life {
  const name = `worker ${pid}`;
  return { name, role: 'worker', pid, startedAt: 0, readyAt: 0, halts: [], ...more };
}

function killed(pid: number, at: number): Life {
  return worker(pid, { end: { at, how: 'killed' } });
}

const taken = 'turn taken from the queue';

function waits(record: Partial<RunRecord>) {
  const nothing = { questions: [], lines: [], lives: [], redisDown: [], redisSilent: [] };
  return takeOversOf({ ...nothing, span: { from: 0, to: 60_000 }, ...record });
}

/** Of turn `one`. */
function endedAt(at: number): Pick<RunRecord, 'questions'> {
  const turn = { turnId: 'one', endedAt: at };
  return { questions: [{ number: 1, thread: 'a', askedAt: 0, tellings: [], turn }] };
}

test('a turn waits from the death of who has it until another takes it', () => {
  const found = waits({
    lines: [line(1, taken, 1000), line(2, taken, 6500)],
    lives: [killed(1, 2000), worker(2)],
  });
  expect(found).toEqual([{ turnId: 'one', waitMs: 4500, wasRedisAway: false, by: 2 }]);
});

test('each of several deaths begins a wait of its own, in whatever order they are heard of', () => {
  const found = waits({
    lines: [line(1, taken, 1000), line(3, taken, 12_000), line(2, taken, 6000)],
    lives: [killed(1, 2000), killed(2, 7000), worker(3)],
  });
  expect(found.map(({ waitMs }) => waitMs)).toEqual([4000, 5000]);
});

test('the wait counts from when Redis is back and a worker is up', () => {
  const lines = [line(1, taken, 1000), line(2, taken, 11_000)];
  const redisDown = [{ from: 1500, to: 4000 }];
  const upAt = (readyAt: number) => worker(2, { startedAt: 1000, readyAt });
  const wait = { turnId: 'one', wasRedisAway: true, by: 2 };
  expect(waits({ lines, redisDown, lives: [killed(1, 2000), upAt(9000)] })).toEqual([
    { ...wait, waitMs: 2000 },
  ]);
  expect(waits({ lines, redisDown, lives: [killed(1, 2000), upAt(1000)] })).toEqual([
    { ...wait, waitMs: 7000 },
  ]);
});

test('a turn of a halted process waits until another takes it, or the process wakes', () => {
  const lines = [line(1, taken, 1000), line(2, taken, 6500)];
  const halted = (to: number) => [worker(1, { halts: [{ from: 2000, to }] }), worker(2)];
  const turn = { turnId: 'one', wasRedisAway: false };
  expect(waits({ lines, lives: halted(9000) })).toEqual([{ ...turn, waitMs: 4500, by: 2 }]);
  // Then it has lost the turn while it was awake.
  expect(waits({ lines, lives: halted(5000) })).toEqual([{ ...turn, waitMs: 3000 }]);
});

test('no one waits for a turn that has ended or is to be tried again later', () => {
  const lines = [line(1, taken, 1000), line(2, taken, 30_000)];
  const lives = [killed(1, 2000), worker(2)];
  expect(waits({ lines, lives, ...endedAt(1500) })).toEqual([]);
  expect(waits({ lines: [...lines, line(1, 'turn is retried', 1500)], lives })).toEqual([]);
});

test('a process that dies before it can say what it was handed has had it all the same', () => {
  const lives = [killed(1, 2000), killed(3, 7000), worker(2)];
  const handed = (starts: number) => [
    { ...line(1, taken, 1000), starts: 1 },
    { ...line(2, taken, 14_000), starts },
  ];
  expect(waits({ lines: handed(3), lives }).map(({ waitMs }) => waitMs)).toEqual([6000]);
  expect(waits({ lines: handed(2), lives }).map(({ waitMs }) => waitMs)).toEqual([12_000]);
  expect(waits({ lines: handed(1), lives }).map(({ waitMs }) => waitMs)).toEqual([12_000]);
});
