/** What broke the promises in a run, out of its record alone. */

import {
  type Caller,
  callers,
  type ModelCall,
  type Post,
  type Question,
  type RunRecord,
  type StoredTurn,
} from './record.ts';
import { overlap, type TakeOver, takeOversOf, upSpans } from './take-overs.ts';

/** What is promised of take-overs, in milliseconds; `take-overs.ts` says from when to when. */
export const takenOverWithinMs = { mostly: 5000, always: 10_000 } as const;
/** Of fewer take-overs, the slowest twentieth says nothing. */
const fewestForShare = 100;

/** A gateway that lives for less after it was told of a question may not have stored it, in milliseconds. */
const takesInWithinMs = 2000;
/** For so long a gateway tries to reach a server that is away, before it refuses a question. */
const refusesAfterMs = 10_000;

/** What was on its way when its process was halted arrives so soon after the wake, in milliseconds. */
const leavesWithinMs = 250;

export interface Fault {
  readonly kind:
    | 'not as planned'
    | 'unfinished'
    | 'lost'
    | 'said twice'
    | 'not said'
    | 'out of order'
    | 'side by side'
    | 'card'
    | 'paid again'
    | 'taken over late'
    | 'process'
    | 'put aside'
    | 'against the rules';
  readonly text: string;
}

/** @returns Nothing when all was kept. Never throws. */
export function faultsIn(record: RunRecord): readonly Fault[] {
  return [
    ...record.troubles.map((text): Fault => ({ kind: 'not as planned', text })),
    ...cutShort(record),
    ...missingDisturbances(record),
    ...unfinished(record),
    ...lost(record),
    ...[...byThread(record)].flatMap(([thread, questions]) =>
      faultsOfThread(
        questions,
        record.posts.filter((post) => post.thread === thread),
      ),
    ),
    ...sideBySide(record),
    ...paidAgain(record),
    ...takenOverLate(takeOversOf(record)),
    ...faultsOfProcesses(record),
    ...(record.putAside === 0
      ? []
      : [{ kind: 'put aside' as const, text: `${record.putAside} turns were put aside` }]),
    ...record.violations.map((text): Fault => ({ kind: 'against the rules', text })),
  ];
}

function cutShort({ deadlineMs, questions }: RunRecord): readonly Fault[] {
  if (deadlineMs === undefined) return [];
  const open = questions.filter(({ turn }) => turn && turn.endedAt === undefined).length;
  const text = `the run had not come to its end after ${inSeconds(deadlineMs)}, with ${open} turns unfinished`;
  return [{ kind: 'unfinished', text }];
}

function missingDisturbances({ wanted, lives, redisDown }: RunRecord): readonly Fault[] {
  const had = {
    kills: lives.filter(({ end }) => end?.how === 'killed').length,
    halts: lives.flatMap(({ halts }) => halts).length,
    restarts: redisDown.length,
  };
  return (['kills', 'halts', 'restarts'] as const).flatMap((what): readonly Fault[] =>
    had[what] < wanted[what]
      ? [{ kind: 'not as planned', text: `there were ${had[what]} of ${wanted[what]} ${what}` }]
      : [],
  );
}

function unfinished({ questions, lines }: RunRecord): readonly Fault[] {
  return questions.flatMap(({ number, thread, turn }): readonly Fault[] => {
    if (!turn || turn.endedAt !== undefined) return [];
    const last = lines.findLast(({ turnId }) => turnId === turn.turnId);
    const heard = last ? `“${last.msg}” of process ${last.pid} at ${timeOf(last.at)}` : 'nothing';
    const text = `#${number} of ${thread} (turn ${turn.turnId}) has not ended; last heard: ${heard}`;
    return [{ kind: 'unfinished', text }];
  });
}

/** Why no one is to blame for a question that was not stored. */
export type Excuse = 'gateway down' | 'killed over it' | 'Redis away';

/** @returns `undefined`: a gateway that was told of it, and could have stored it, did not. */
export function excuseOf(question: Question, record: RunRecord): Excuse | undefined {
  const excuses = question.tellings.map((telling) => excuseAt(telling.at, record));
  if (excuses.length === 0 || excuses.includes(undefined)) return undefined;
  return excuses.find((excuse) => excuse !== 'gateway down') ?? 'gateway down';
}

function excuseAt(at: number, { lives, redisDown, redisSilent, span }: RunRecord) {
  const there = lives.find(({ role, readyAt = Infinity, end }) => {
    return role === 'gateway' && readyAt <= at && at < (end?.at ?? Infinity);
  });
  if (!there) return 'gateway down';
  const rest = { from: at, to: span.to };
  const hadMs = upSpans(there)
    .filter((up) => overlap(up, rest))
    .reduce((sum, up) => sum + Math.min(up.to, rest.to) - Math.max(up.from, rest.from), 0);
  if (hadMs <= takesInWithinMs) return 'killed over it';
  const tried = { from: at, to: at + refusesAfterMs };
  if ([...redisDown, ...redisSilent].some((away) => overlap(away, tried))) return 'Redis away';
  return undefined;
}

function lost(record: RunRecord): readonly Fault[] {
  return record.questions.flatMap((question): readonly Fault[] => {
    if (question.turn || excuseOf(question, record)) return [];
    const tellings = question.tellings
      .map(({ at, isConnected }) => `${timeOf(at)}${isConnected ? '' : ' (nobody connected)'}`)
      .join(', ');
    const text = `#${question.number} of ${question.thread} was never stored, though the gateway was up when it was told, at ${tellings || 'no time'}`;
    return [{ kind: 'lost', text }];
  });
}

function byThread({ questions }: RunRecord): ReadonlyMap<string, readonly Question[]> {
  return Map.groupBy(questions, ({ thread }) => thread);
}

/** What was posted wrongly: said twice, not at all, out of order, or left open. */
function faultsOfThread(questions: readonly Question[], posts: readonly Post[]): readonly Fault[] {
  return [
    ...questions.flatMap((question) => [
      ...cardFaults(question, posts),
      ...callers.flatMap((caller) => answerFaults(question, caller, posts)),
    ]),
    ...inTurn(questions).flatMap(([earlier, later]): readonly Fault[] => {
      const before = placesOn(posts, earlier.number);
      const after = placesOn(posts, later.number);
      if (Math.max(...before) < Math.min(...after)) return [];
      const text = `something on #${later.number} was posted before something on #${earlier.number}`;
      return [{ kind: 'out of order', text }];
    }),
  ];
}

function cardFaults({ number, turn }: Question, posts: readonly Post[]): readonly Fault[] {
  const cards = posts.flatMap((post) =>
    post.kind === 'card' && post.question === number ? [post.isClosed] : [],
  );
  const isOver = turn?.endedAt !== undefined;
  const mayHave = isOver ? [1] : turn ? [0, 1] : [0];
  if (!mayHave.includes(cards.length)) {
    return [{ kind: 'card', text: `#${number} has ${cards.length} cards` }];
  }
  return isOver && cards.includes(false)
    ? [{ kind: 'card', text: `the card of #${number} is open` }]
    : [];
}

function answerFaults(
  { number, turn }: Question,
  caller: Caller,
  posts: readonly Post[],
): readonly Fault[] {
  const times = placesOn(posts, number, caller).length;
  const words = `what ${caller} said on #${number}`;
  if (!turn && times > 0) {
    return [{ kind: 'said twice', text: `${words} was posted, though it was never stored` }];
  }
  if (times > 1) return [{ kind: 'said twice', text: `${words} was posted ${times} times` }];
  const isMissing = turn?.endedAt !== undefined && times === 0;
  return isMissing ? [{ kind: 'not said', text: `${words} is missing` }] : [];
}

/** The places in the thread of what was said on a question, by anybody where no one is named. */
function placesOn(posts: readonly Post[], number: number, caller?: Caller): readonly number[] {
  return posts.flatMap((post, index) => {
    const isIt = post.kind === 'answer' && post.question === number;
    return isIt && (caller === undefined || post.caller === caller) ? [index] : [];
  });
}

type Taken = Question & { readonly turn: StoredTurn };

/** Pairs of questions of a thread that follow each other; those that were known to be stored when the next was asked. */
function inTurn(questions: readonly Question[]): readonly (readonly [Taken, Taken])[] {
  const taken = questions.filter((question): question is Taken => question.turn !== undefined);
  return taken.flatMap((later, index) => {
    const earlier = taken[index - 1];
    return earlier?.seenAt !== undefined && earlier.seenAt <= later.askedAt
      ? [[earlier, later] as const]
      : [];
  });
}

/** Turns of a thread that were begun before the one before them had ended. */
function sideBySide(record: RunRecord): readonly Fault[] {
  const begun = firstOf(
    record.lines.filter(({ msg }) => msg === 'turn begun'),
    ({ turnId = '' }) => turnId,
  );
  const called = firstOf(record.calls, ({ question }) => question);
  return [...byThread(record).values()].flatMap(inTurn).flatMap(([earlier, later]) => {
    const endedAt = earlier.turn.endedAt ?? Infinity;
    const from = Math.min(
      begun.get(later.turn.turnId) ?? Infinity,
      called.get(later.number) ?? Infinity,
    );
    if (from >= endedAt) return [];
    const when = endedAt === Infinity ? 'never ended' : `ended at ${timeOf(endedAt)}`;
    const text = `#${later.number} was begun at ${timeOf(from)}; #${earlier.number} before it in ${later.thread} ${when}`;
    return [{ kind: 'side by side', text }];
  });
}

function firstOf<Item extends { readonly at: number }, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, number> {
  const first = new Map<Key, number>();
  for (const item of items) {
    const key = keyOf(item);
    first.set(key, Math.min(first.get(key) ?? Infinity, item.at));
  }
  return first;
}

function paidAgain(record: RunRecord): readonly Fault[] {
  return record.calls.flatMap((call): readonly Fault[] => {
    const { caller, question, at, wasStored } = call;
    return wasStored === true && !leftAtWake(call, record)
      ? [
          {
            kind: 'paid again',
            text: `${caller} was asked on #${question} at ${timeOf(at)}, though the answer was stored`,
          },
        ]
      : [];
  });
}

/**
 * Whether a call for what is stored was on its way already when its process was halted: what waits for a
 * connection in that moment leaves at the wake, before a line of the program runs.
 */
export function leftAtWake(
  { question, at }: ModelCall,
  { questions, lines, lives }: Pick<RunRecord, 'questions' | 'lines' | 'lives'>,
): boolean {
  const turnId = questions.find(({ number }) => number === question)?.turn?.turnId;
  return lives.some(({ pid, halts }) =>
    halts.some(
      ({ from, to = Number.POSITIVE_INFINITY }) =>
        at >= to &&
        at <= to + leavesWithinMs &&
        lines.some((line) => line.pid === pid && line.turnId === turnId && line.at <= from),
    ),
  );
}

function takenOverLate(takeOvers: readonly TakeOver[]): readonly Fault[] {
  const faults = takeOvers.flatMap(({ turnId, waitMs, by }): readonly Fault[] => {
    if (waitMs <= takenOverWithinMs.always) return [];
    const how = by === undefined ? 'was left with a halted process for' : 'was taken over after';
    return [{ kind: 'taken over late', text: `turn ${turnId} ${how} ${inSeconds(waitMs)}` }];
  });
  const waitsMs = takeOvers
    .filter(({ wasRedisAway, by }) => !wasRedisAway && by !== undefined)
    .map(({ waitMs }) => waitMs);
  const most = quantile(waitsMs, 0.95);
  if (waitsMs.length >= fewestForShare && most > takenOverWithinMs.mostly) {
    const text = `of ${waitsMs.length} take-overs a twentieth took ${inSeconds(most)} or more`;
    faults.push({ kind: 'taken over late', text });
  }
  return faults;
}

/** @param sorted - The least first. @returns 0 where there are none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

function faultsOfProcesses(record: RunRecord): readonly Fault[] {
  const { lives, redisDown, redisSilent, span, deadlineMs } = record;
  return lives.flatMap(({ name, pid, startedAt, readyAt, end }): readonly Fault[] => {
    const fault = (text: string): readonly Fault[] => {
      const said = end?.said ? `; it said: ${end.said.trim().slice(-500)}` : '';
      return [{ kind: 'process', text: `${name} (process ${pid}) ${text}${said}` }];
    };
    const start = { from: startedAt, to: readyAt ?? end?.at ?? span.to };
    const isUnfinished = readyAt === undefined && !end && deadlineMs !== undefined;
    if (end?.how === 'hung' || isUnfinished) {
      return fault(`had not come up after ${inSeconds(start.to - start.from)}`);
    }
    // Without a server it ends at its start, and is started again.
    const isExcused =
      readyAt === undefined && [...redisDown, ...redisSilent].some((away) => overlap(away, start));
    if (end?.how !== 'by itself' || isExcused) return [];
    return fault(`ended by itself at ${timeOf(end.at)}`);
  });
}

export function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** By the clock, in UTC, as the log has it. */
function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
