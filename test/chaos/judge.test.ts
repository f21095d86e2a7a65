import { expect, test } from 'vitest';
import { excuseOf, type Fault, faultsIn } from './judge.ts';
import {
  callers,
  type Life,
  type ModelCall,
  type Post,
  type Question,
  type RunRecord,
} from './record.ts';

const second = 1000;

/** Two questions of one thread, one after the other, of which each takes four seconds from 10 s on. */
const well: RunRecord = {
  seed: 1,
  span: { from: 0, to: 100 * second },
  wanted: { kills: 0, halts: 0, restarts: 0 },
  questions: [question(1, 10 * second), question(2, 20 * second)],
  posts: [...postsOn(1), ...postsOn(2)],
  calls: [...callsOn(1, 11 * second), ...callsOn(2, 21 * second)],
  lines: [...linesOf(1, 10.5 * second, 11), ...linesOf(2, 20.5 * second, 12)],
  lives: [life('gateway', 10), life('worker 1', 11), life('worker 2', 12)],
  redisDown: [],
  redisSilent: [],
  spoiled: [],
  putAside: 0,
  violations: [],
  troubles: [],
};

function question(number: number, askedAt: number): Question {
  return {
    number,
    thread: 'a',
    askedAt,
    tellings: [{ at: askedAt, isConnected: true }],
    seenAt: askedAt + 100,
    turn: { turnId: `turn ${number}`, endedAt: askedAt + 4 * second },
  };
}

function postsOn(number: number): readonly Post[] {
  return [
    { thread: 'a', kind: 'card', question: number, isClosed: true },
    ...callers.map((caller): Post => ({ thread: 'a', kind: 'answer', caller, question: number })),
  ];
}

function callsOn(number: number, at: number): readonly ModelCall[] {
  return callers.map((caller) => ({ caller, question: number, at, wasStored: false }));
}

function linesOf(number: number, from: number, pid: number) {
  return ['turn taken from the queue', 'turn begun', 'council seated'].map((msg, index) => ({
    at: from + index,
    pid,
    level: 'info',
    msg,
    turnId: `turn ${number}`,
  }));
}

function life(name: string, pid: number, more: Partial<Life> = {}): Life {
  const role = name === 'gateway' ? 'gateway' : 'worker';
  return { name, role, pid, startedAt: 0, readyAt: 2 * second, halts: [], ...more };
}

/** What is found in a run that went well but for this. */
function found(otherwise: Partial<RunRecord>): readonly Fault['kind'][] {
  return [...new Set(faultsIn({ ...well, ...otherwise }).map(({ kind }) => kind))];
}

/** The second question was not stored, and nothing came of it. */
function withoutSecond(tellings: Question['tellings'] = [{ at: 20 * second, isConnected: true }]) {
  const lost: Question = { number: 2, thread: 'a', askedAt: 20 * second, tellings };
  return {
    questions: [question(1, 10 * second), lost],
    posts: postsOn(1),
    calls: callsOn(1, 11 * second),
    lines: linesOf(1, 10.5 * second, 11),
  };
}

function gatewayKilledAt(at: number, more: Partial<Life> = {}): readonly Life[] {
  const before = life('gateway', 10, { end: { at, how: 'killed' }, ...more });
  const after = life('gateway', 13, { startedAt: at, readyAt: at + 3 * second });
  return [before, after, life('worker 1', 11)];
}

test('nothing is found in a run that went well', () => {
  expect(found({})).toEqual([]);
});

test('a question that a gateway heard and never stored is lost', () => {
  expect(found(withoutSecond())).toEqual(['lost']);
  // Killed long after it was told, and before the question was asked.
  expect(found({ ...withoutSecond(), lives: gatewayKilledAt(30 * second) })).toEqual(['lost']);
  expect(found({ ...withoutSecond(), lives: gatewayKilledAt(15 * second) })).toEqual(['lost']);
  // Told again while it was up, and heard of by no one although it is up.
  const again = [15.5 * second, 20 * second].map((at) => ({ at, isConnected: true }));
  expect(found({ ...withoutSecond(again), lives: gatewayKilledAt(15 * second) })).toEqual(['lost']);
  expect(found(withoutSecond([{ at: 20 * second, isConnected: false }]))).toEqual(['lost']);
  expect(found(withoutSecond([]))).toEqual(['lost']);
});

test('no one is to blame for a question that no gateway could have stored', () => {
  const excuse = (otherwise: Partial<RunRecord>) => {
    const record = { ...well, ...withoutSecond(), ...otherwise };
    expect(faultsIn(record)).toEqual([]);
    return record.questions[1] && excuseOf(record.questions[1], record);
  };
  expect(excuse({ lives: gatewayKilledAt(19 * second) })).toBe('gateway down');
  expect(excuse({ lives: gatewayKilledAt(20.5 * second) })).toBe('killed over it');
  const halts = [{ from: 19 * second, to: 29 * second }];
  expect(excuse({ lives: gatewayKilledAt(30 * second, { halts }) })).toBe('killed over it');
  expect(excuse({ redisDown: [{ from: 19 * second, to: 21 * second }] })).toBe('Redis away');
});

test('what was posted on a question that was never stored is found', () => {
  const { questions } = withoutSecond();
  const lives = gatewayKilledAt(19 * second);
  expect(found({ questions, lives })).toEqual(['card', 'said twice']);
});

test('an answer that is missing, or there twice, is found', () => {
  const isVerdict = (post: Post) => post.kind === 'answer' && post.caller === 'chair';
  expect(found({ posts: well.posts.filter((post) => !isVerdict(post)) })).toEqual(['not said']);
  // As of a process that posts once more after the last turn.
  const last = well.posts.slice(-1);
  expect(found({ posts: [...well.posts, ...last] })).toEqual(['said twice']);
});

test('a card that is left open, is missing or is there twice is found', () => {
  const open = well.posts.map((post) =>
    post.kind === 'card' ? { ...post, isClosed: false } : post,
  );
  expect(found({ posts: open })).toEqual(['card']);
  expect(found({ posts: well.posts.filter(({ kind }) => kind !== 'card') })).toEqual(['card']);
  expect(found({ posts: [...well.posts, ...well.posts.slice(0, 1)] })).toEqual(['card']);
});

test('answers that were posted in another order than the questions are found', () => {
  expect(found({ posts: [...postsOn(2), ...postsOn(1)] })).toEqual(['out of order']);
  const [card, ada, ...rest] = postsOn(2);
  const early = [card, ada].flatMap((post) => post ?? []);
  const before = postsOn(1);
  expect(found({ posts: [...before.slice(0, 3), ...early, ...before.slice(3), ...rest] })).toEqual([
    'out of order',
  ]);
});

test('a question that was asked before the one before it was known to be stored may be answered first', () => {
  const [first, later] = well.questions;
  if (!first || !later) throw new Error('There are two questions.');
  const { seenAt: _, ...unseen } = first;
  const posts = [...postsOn(2), ...postsOn(1)];
  expect(found({ questions: [unseen, later], posts })).toEqual([]);
  const seenLater = { ...first, seenAt: later.askedAt + second };
  expect(found({ questions: [seenLater, later], posts })).toEqual([]);
});

test('two turns of a thread that were swapped, or ran side by side, are found', () => {
  const swapped = [...linesOf(2, 10.5 * second, 11), ...linesOf(1, 20.5 * second, 12)];
  expect(found({ lines: swapped })).toEqual(['side by side']);
  // The first turn ends at 14 s.
  expect(
    found({ lines: [...linesOf(1, 10.5 * second, 11), ...linesOf(2, 13.9 * second, 12)] }),
  ).toEqual(['side by side']);
  // Also where no line tells of it.
  expect(found({ calls: [...callsOn(1, 11 * second), ...callsOn(2, 13.9 * second)] })).toEqual([
    'side by side',
  ]);
});

test('a call for what was stored is found, and one for what was lost with its process is not', () => {
  const [call] = callsOn(1, 12 * second);
  if (!call) throw new Error('There is a call.');
  expect(found({ calls: [...well.calls, call] })).toEqual([]);
  expect(found({ calls: [...well.calls, { ...call, wasStored: true }] })).toEqual(['paid again']);
});

test('a call for what was stored is excused only as far as a halt held it back on its way', () => {
  const [call] = callsOn(1, 12.1 * second);
  if (!call) throw new Error('There is a call.');
  const calls = [...well.calls, { ...call, wasStored: true }];
  const halted = (pid: number, from: number, to: number) =>
    found({
      calls,
      lives: [
        ...well.lives.filter((one) => one.pid !== pid),
        life('worker', pid, { halts: [{ from, to }] }),
      ],
    });
  expect(halted(11, 11 * second, 12 * second)).toEqual([]);
  // It woke longer ago, or wakes later.
  expect(halted(11, 11 * second, 11.8 * second)).toEqual(['paid again']);
  expect(halted(11, 11 * second, 12.2 * second)).toEqual(['paid again']);
  // It had not begun the turn by then, or never had it.
  expect(halted(11, 10.4 * second, 12 * second)).toEqual(['paid again']);
  expect(halted(12, 11 * second, 12 * second)).toEqual(['paid again']);
});

test('a turn that waits too long for another process is found', () => {
  const taken = (at: number) => [...linesOf(1, 10.5 * second, 11), ...linesOf(1, at, 12)];
  const killed = life('worker 1', 11, { end: { at: 11 * second, how: 'killed' } });
  const late = (at: number, dead: Life) =>
    found({
      questions: [
        { ...question(1, 10 * second), turn: { turnId: 'turn 1', endedAt: 90 * second } },
      ],
      posts: postsOn(1),
      calls: callsOn(1, 11 * second),
      lines: taken(at),
      lives: [life('gateway', 10), dead, life('worker 2', 12)],
    });
  expect(late(20.9 * second, killed)).toEqual([]);
  expect(late(21.1 * second, killed)).toEqual(['taken over late']);
  const halted = (to: number) => life('worker 1', 11, { halts: [{ from: 11 * second, to }] });
  expect(late(21.1 * second, halted(30 * second))).toEqual(['taken over late']);
  // No one took it for all the time.
  expect(late(80 * second, halted(22 * second))).toEqual(['taken over late']);
  expect(late(80 * second, halted(20 * second))).toEqual([]);
});

test('many turns that wait longer than most should are found', () => {
  const run = (waitMs: number, count: number) => {
    const turns = Array.from({ length: 100 }, (_, index) => ({
      number: index + 1,
      waitMs: index < count ? waitMs : 4 * second,
    }));
    return faultsIn({
      ...well,
      questions: turns.map(({ number }) => ({
        ...question(number, 10 * second),
        thread: `${number}`,
      })),
      posts: turns.flatMap(({ number }) =>
        postsOn(number).map((post) => ({ ...post, thread: `${number}` })),
      ),
      calls: [],
      lines: turns.flatMap(({ number, waitMs: waits }) => [
        ...linesOf(number, 5 * second, 11),
        ...linesOf(number, 6 * second + waits, 12),
      ]),
      lives: [
        life('gateway', 10),
        life('worker 1', 11, { end: { at: 6 * second, how: 'killed' } }),
        life('worker 2', 12),
      ],
    }).map(({ kind }) => kind);
  };
  expect(run(6 * second, 4)).toEqual([]);
  expect(run(6 * second, 6)).toEqual(['taken over late']);
});

test('a run that its deadline has ended says what was unfinished', () => {
  const hung = life('worker 2', 12, { startedAt: 80 * second });
  const { readyAt: _, ...starting } = hung;
  const faults = faultsIn({
    ...well,
    questions: [
      question(1, 10 * second),
      { ...question(2, 20 * second), turn: { turnId: 'turn 2' } },
    ],
    posts: [...postsOn(1), { thread: 'a', kind: 'card', question: 2, isClosed: false }],
    lives: [life('gateway', 10), life('worker 1', 11), starting],
    deadlineMs: 100 * second,
  });
  expect(faults.map(({ text }) => text)).toEqual([
    'the run had not come to its end after 100.0 s, with 1 turns unfinished',
    '#2 of a (turn turn 2) has not ended; last heard: “council seated” of process 12 at 00:00:20.502',
    'worker 2 (process 12) had not come up after 20.0 s',
  ]);
});

test('a process that ends by itself, or hangs in its start, is found', () => {
  const others = [life('gateway', 10), life('worker 1', 11)];
  const ended = life('worker 2', 12, { end: { at: 50 * second, how: 'by itself' } });
  expect(found({ lives: [...others, ended] })).toEqual(['process']);
  // Without a server it can't start.
  const { readyAt: _, ...neverUp } = ended;
  const hung = { ...neverUp, end: { at: 70 * second, how: 'hung' } } as const;
  expect(found({ lives: [...others, hung] })).toEqual(['process']);
  const lives = [...others, { ...neverUp, startedAt: 49 * second }];
  expect(found({ lives, redisDown: [{ from: 48 * second, to: 51 * second }] })).toEqual([]);
  expect(found({ lives })).toEqual(['process']);
});

test('a run in which less was done than planned, or a turn was put aside, is no good one', () => {
  expect(found({ wanted: { kills: 1, halts: 0, restarts: 0 } })).toEqual(['not as planned']);
  expect(found({ wanted: { kills: 0, halts: 1, restarts: 0 } })).toEqual(['not as planned']);
  expect(found({ wanted: { kills: 0, halts: 0, restarts: 1 } })).toEqual(['not as planned']);
  expect(found({ troubles: ['a process could not be started again'] })).toEqual(['not as planned']);
  expect(found({ putAside: 1 })).toEqual(['put aside']);
  expect(found({ violations: ['a message too long'] })).toEqual(['against the rules']);
});
