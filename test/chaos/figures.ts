/** What was done to a run, and what it cost, out of its record. */

import { stepsIn } from './counted-models.ts';
import { type Excuse, excuseOf, leftAtWake, quantile } from './judge.ts';
import type { Life, Line, RunRecord } from './record.ts';
import { holdsOf, takeOversOf } from './take-overs.ts';

/** What a turn is at, by the line that its process logged last. */
export const stages = ['seating', 'sages', 'verdict', 'showing'] as const;
export type Stage = (typeof stages)[number];

export interface Figures {
  readonly seconds: number;
  readonly questions: number;
  readonly kills: { readonly workers: number; readonly gateways: number };
  readonly halts: { readonly workers: number; readonly gateways: number };
  /** By stage, how many turns a killed process had in it; one that had none counts nowhere. */
  readonly killedIn: Readonly<Record<Stage, number>>;
  readonly restarts: number;
  readonly silentMs: number;
  readonly spoiled: number;
  /** Milliseconds, the least first; around outages of Redis apart. */
  readonly waitsMs: readonly number[];
  readonly waitsAfterRedisMs: readonly number[];
  /** Questions that no one is to blame for. */
  readonly excused: Readonly<Record<Excuse, number>>;
  readonly calls: number;
  /** Calls beyond the first of each step: the answer to the earlier one was lost with its process. */
  readonly paidTwice: number;
  /** Calls for what was stored that were on their way when their process was halted. */
  readonly callsAtWake: number;
  /** Calls of which it is not known whether their result was stored. */
  readonly unknownCalls: number;
}

export function figuresOf(record: RunRecord): Figures {
  const { questions, lives, calls } = record;
  const takeOvers = takeOversOf(record).filter(({ by }) => by !== undefined);
  const waits = (aroundRedis: boolean) =>
    takeOvers
      .filter(({ wasRedisAway }) => wasRedisAway === aroundRedis)
      .map(({ waitMs }) => waitMs);
  const excuses = questions.flatMap((question) =>
    question.turn ? [] : (excuseOf(question, record) ?? []),
  );
  const excused = (excuse: Excuse) => excuses.filter((one) => one === excuse).length;
  return {
    seconds: (record.span.to - record.span.from) / 1000,
    questions: questions.length,
    kills: byRole(lives, ({ end }) => (end?.how === 'killed' ? 1 : 0)),
    halts: byRole(lives, ({ halts }) => halts.length),
    killedIn: killedIn(record),
    restarts: record.redisDown.length,
    silentMs: record.redisSilent.reduce((sum, { from, to }) => sum + to - from, 0),
    spoiled: record.spoiled.length,
    waitsMs: waits(false),
    waitsAfterRedisMs: waits(true),
    excused: {
      'gateway down': excused('gateway down'),
      'killed over it': excused('killed over it'),
      'Redis away': excused('Redis away'),
    },
    calls: calls.length,
    paidTwice: calls.length - stepsIn(calls),
    callsAtWake: calls.filter((call) => call.wasStored === true && leftAtWake(call, record)).length,
    unknownCalls: calls.filter(({ wasStored }) => wasStored === undefined).length,
  };
}

function byRole(lives: readonly Life[], countOf: (life: Life) => number) {
  const sum = (isGateway: boolean) =>
    lives
      .filter(({ role }) => (role === 'gateway') === isGateway)
      .reduce((total, life) => total + countOf(life), 0);
  return { workers: sum(false), gateways: sum(true) };
}

function killedIn(record: RunRecord): Readonly<Record<Stage, number>> {
  const counts = { seating: 0, sages: 0, verdict: 0, showing: 0 };
  const lines = Map.groupBy(record.lines, ({ turnId }) => turnId);
  const deaths = new Map(
    record.lives.flatMap(({ pid, end }) => (end?.how === 'killed' ? [[pid, end.at]] : [])),
  );
  for (const { turnId, pid, from, to } of holdsOf(record)) {
    const diedAt = deaths.get(pid);
    if (diedAt === undefined || diedAt < from || diedAt > to) continue;
    const told = (lines.get(turnId) ?? []).filter((line) => line.pid === pid && line.at >= from);
    counts[stageOf(told)] += 1;
  }
  return counts;
}

/** @param told - What the process that has the turn has logged of it. */
export function stageOf(told: readonly Pick<Line, 'msg'>[]): Stage {
  const count = (msg: string) => told.filter((line) => line.msg === msg).length;
  if (count('verdict reached') > 0) return 'showing';
  if (count('sage ended') > 1) return 'verdict';
  return count('council seated') > 0 ? 'sages' : 'seating';
}

/** In a few words, e.g. `3.8 4.9 8.7 (312)`: median, 95th percentile and most in seconds, and of how many. */
export function waitsText(waitsMs: readonly number[]): string {
  if (waitsMs.length === 0) return 'none';
  const at = (share: number) => (quantile(waitsMs, share) / 1000).toFixed(1);
  return `${at(0.5)} ${at(0.95)} ${at(1)} (${waitsMs.length})`;
}
