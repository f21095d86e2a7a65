/** How long turns waited for another process, out of the logs and of what was done to the processes. */

import type { Life, Line, Question, RunRecord, Span } from './record.ts';

/** How long a turn waited for another process. */
export interface TakeOver {
  readonly turnId: string;
  readonly waitMs: number;
  /** Redis was away in between; its coming back is what the wait counts from. */
  readonly wasRedisAway: boolean;
  /** Absent: nobody took it, and its own process went on when it woke. */
  readonly by?: number;
}

type Seen = Pick<RunRecord, 'lines' | 'lives' | 'questions' | 'redisDown' | 'redisSilent' | 'span'>;

/** A process that has a turn. */
interface Hold {
  readonly turnId: string;
  readonly pid: number;
  readonly from: number;
  /** When it left the turn by itself, or another process took it. */
  readonly to: number;
  /** Who took it. */
  readonly next?: number;
  /** How often the queue handed it out until then: more than once where a process died before it could say so. */
  readonly handings: number;
}

/**
 * A process has a turn from when it takes it from the queue until the turn has ended, is put off to a
 * later try, or is taken by another. A wait begins when that process is killed or halted. It ends when
 * another one takes the turn, or when the halted one wakes before that. It counts from the last moment
 * in between at which no one could have taken it: while Redis was away, or no worker was up. Where the
 * queue had handed it to others in between, who were killed before they could log it, each of them is a
 * wait of its own, and all are as long as their mean.
 *
 * @returns Shortest first.
 */
export function takeOversOf(record: Seen): readonly TakeOver[] {
  const lives = new Map(record.lives.map((life) => [life.pid, life]));
  const away = [...record.redisDown, ...record.redisSilent];
  const nobodyUp = gapsBetween(record.lives.filter(isWorker).flatMap(upSpans), record.span);
  return holdsOf(record)
    .flatMap((hold) => waitsIn(hold, lives.get(hold.pid)))
    .map(({ span, handings, ...wait }) => {
      const whileAway = away.filter((other) => overlap(other, span));
      const hindered = [...whileAway, ...nobodyUp.filter((other) => overlap(other, span))];
      const from = Math.max(span.from, ...hindered.map(({ to }) => to));
      const waitMs = Math.max(0, span.to - from) / handings;
      return { ...wait, waitMs, wasRedisAway: whileAway.length > 0 };
    })
    .toSorted((one, other) => one.waitMs - other.waitMs);
}

/** In the order in which each turn was taken. */
export function holdsOf({ lines, questions }: Pick<Seen, 'lines' | 'questions'>): readonly Hold[] {
  const ends = endsOf(questions);
  const ofTurn = Map.groupBy(lines.filter(isAboutQueue), ({ turnId }) => turnId ?? '');
  return [...ofTurn].flatMap(([turnId, unsorted]) => {
    const told = unsorted.toSorted((one, other) => one.at - other.at);
    const takes = told.filter(({ msg }) => msg === takenLine);
    return takes.map(({ pid, at, starts = 0 }, index): Hold => {
      const next = takes[index + 1];
      // A job that is made anew is counted anew.
      const handings = Math.max(1, (next?.starts ?? 0) - starts);
      const putOff = told.find(
        (line) => line.pid === pid && line.at >= at && line.msg === leftLine,
      );
      const left = Math.min(putOff?.at ?? Infinity, ends.get(turnId) ?? Infinity);
      const to = Math.min(left, next?.at ?? Infinity);
      const hold = { turnId, pid, from: at, to, handings };
      return next && next.at < left ? { ...hold, next: next.pid } : hold;
    });
  });
}

const takenLine = 'turn taken from the queue';
const leftLine = 'turn is retried';

function isAboutQueue({ msg }: Line): boolean {
  return msg === takenLine || msg === leftLine;
}

function endsOf(questions: readonly Question[]): ReadonlyMap<string, number> {
  return new Map(
    questions.flatMap(({ turn }) =>
      turn?.endedAt === undefined ? [] : [[turn.turnId, turn.endedAt]],
    ),
  );
}

interface Wait {
  readonly turnId: string;
  readonly span: Span;
  readonly handings: number;
  readonly by?: number;
}

function waitsIn(hold: Hold, life: Life | undefined): readonly Wait[] {
  const { turnId, from, to, next, handings } = hold;
  const waits: Wait[] = [];
  for (const halt of life?.halts ?? []) {
    if (halt.from < from || halt.from >= to) continue;
    const wokeAt = halt.to ?? Infinity;
    const wait = { turnId, handings };
    if (wokeAt < to) waits.push({ ...wait, handings: 1, span: { from: halt.from, to: wokeAt } });
    else if (next !== undefined) waits.push({ ...wait, span: { from: halt.from, to }, by: next });
  }
  const diedAt = life?.end?.at ?? Infinity;
  if (diedAt >= from && diedAt < to && next !== undefined) {
    waits.push({ turnId, handings, span: { from: diedAt, to }, by: next });
  }
  return waits;
}

function isWorker({ role }: Life): boolean {
  return role !== 'gateway';
}

/** When a process worked: it was ready, and neither halted nor gone. */
export function upSpans({ readyAt, end, halts }: Life): readonly Span[] {
  if (readyAt === undefined) return [];
  const spans: Span[] = [];
  let from = readyAt;
  for (const halt of halts) {
    spans.push({ from, to: halt.from });
    from = halt.to ?? Infinity;
  }
  return [...spans, { from, to: end?.at ?? Infinity }].filter((span) => span.from < span.to);
}

/** What of a span none of the others covers. */
function gapsBetween(covering: readonly Span[], { from, to }: Span): readonly Span[] {
  const gaps: Span[] = [];
  let reached = from;
  for (const span of covering.toSorted((one, other) => one.from - other.from)) {
    if (span.from > reached) gaps.push({ from: reached, to: Math.min(span.from, to) });
    reached = Math.max(reached, span.to);
  }
  return reached < to ? [...gaps, { from: reached, to }] : gaps;
}

export function overlap(one: Span, other: Span): boolean {
  return one.from < other.to && other.from < one.to;
}
