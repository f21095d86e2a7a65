/** Ranks sages and models over many turns, with confidence intervals. */

import type { Rating, Score } from '../domain/stored-turn.ts';

/** A ranked turn and its feedback. */
export interface ScoredTurn {
  readonly score: Score;
  readonly feedback: readonly Rating[];
}

/** A share with its 95 % Wilson score interval. */
export interface Share {
  readonly share: number;
  readonly from: number;
  readonly to: number;
}

/** The results of one sage or one model. */
export interface Standing {
  /** Key of the sage, or `provider:model`. */
  readonly id: string;
  readonly name: string;
  /** In how many turns its answers were judged; the sample size of the intervals. */
  readonly turns: number;
  /** Share of pairwise comparisons won. */
  readonly won: Share;
  /** First places per turn; a tied one is divided. */
  readonly first: Share;
  /** How many places higher it ranked its own answers than others did, on average; absent without such votes. */
  readonly ownPlaces?: number;
  readonly reviews: number;
  /** Reviews without a readable ballot. */
  readonly abstained: number;
  /** People's ratings of its turns. */
  readonly feedback: Readonly<Record<Rating, number>>;
  readonly costUsd: number;
}

export interface Leaderboard {
  readonly by: 'sage' | 'model';
  /** Turns that were counted. */
  readonly turns: number;
  /** By `won`, best first. */
  readonly ranked: readonly Standing[];
  /** With too few turns to be ranked; most turns first. */
  readonly unranked: readonly Pick<Standing, 'id' | 'name' | 'turns'>[];
}

/** With fewer turns, nothing is ranked and no voices are counted. */
export const fewestTurns = 10;

/** The most turns that are read for one leaderboard. */
export const mostTurnsCounted = 20_000;

/**
 * Computes a leaderboard.
 *
 * By sage, each turn counts with the share of comparisons that the sage's answer won. By model, it counts with the
 * comparisons that the model's answers won against others'; turns with only one model are left out.
 *
 * The intervals treat each turn as one trial. A share within a turn varies less than a trial, so the intervals are
 * slightly too wide.
 *
 * @param turns - Oldest first; names are those of the last turn.
 */
export function leaderboardOf(turns: readonly ScoredTurn[], by: Leaderboard['by']): Leaderboard {
  const tallies = new Map<string, Tally>();
  let counted = 0;
  for (const { score, feedback } of turns) {
    const parts = by === 'sage' ? score.sages.map((one) => [one]) : groupsByModel(score);
    if (by === 'model' && parts.length < 2) continue;
    counted += 1;
    for (const part of parts) {
      const [one] = part;
      if (!one) continue;
      const id = by === 'sage' ? one.sage : one.model;
      const tally = tallies.get(id) ?? emptyTally();
      add(tally, part, score.sages.length, feedback);
      tally.name = by === 'sage' ? one.name : one.model;
      tallies.set(id, tally);
    }
  }
  const all = [...tallies];
  return {
    by,
    turns: counted,
    ranked: all
      .filter(([, { turns: sat }]) => sat >= fewestTurns)
      .map(([id, tally]) => standingOf(id, tally))
      .toSorted((one, other) => other.won.share - one.won.share),
    unranked: all
      .filter(([, { turns: sat }]) => sat < fewestTurns)
      .map(([id, { name, turns: sat }]) => ({ id, name, turns: sat }))
      .toSorted((one, other) => other.turns - one.turns),
  };
}

/** How many independent voices the sages' ballots amount to. */
export interface Voices {
  readonly voices: number;
  /** Ballots per turn, on average. */
  readonly ballots: number;
  readonly turns: number;
}

/**
 * Computes Kish's effective sample size, `n / (1 + (n − 1) ρ)`, for `n` ballots per turn with mean correlation ρ (at
 * least 0). Ballots that always agree are one voice.
 *
 * @returns `undefined` with fewer than {@link fewestTurns} turns of two ballots or more.
 * @see https://arxiv.org/abs/2605.29800 on nine judges who amount to two.
 */
export function effectiveVoices(turns: readonly ScoredTurn[]): Voices | undefined {
  const voted = turns.flatMap(({ score: { agreement, sages } }) =>
    agreement === undefined
      ? []
      : [{ agreement, ballots: sages.filter(({ ballot }) => ballot === 'ranked').length }],
  );
  if (voted.length < fewestTurns) return undefined;
  const mean = (figure: (turn: (typeof voted)[number]) => number) =>
    voted.reduce((total, turn) => total + figure(turn), 0) / voted.length;
  const ballots = mean((turn) => turn.ballots);
  const correlation = Math.max(
    0,
    mean(({ agreement }) => agreement),
  );
  return { voices: ballots / (1 + (ballots - 1) * correlation), ballots, turns: voted.length };
}

type SageScore = Score['sages'][number];

interface Tally {
  name: string;
  turns: number;
  won: number;
  first: number;
  ownPlaces: number;
  ownVotes: number;
  reviews: number;
  abstained: number;
  good: number;
  bad: number;
  costUsd: number;
}

function emptyTally(): Tally {
  const votes = { ownPlaces: 0, ownVotes: 0, reviews: 0, abstained: 0 };
  return { name: '', turns: 0, won: 0, first: 0, ...votes, good: 0, bad: 0, costUsd: 0 };
}

function groupsByModel({ sages }: Score): readonly (readonly SageScore[])[] {
  return [...Map.groupBy(sages, ({ model }) => model).values()];
}

function add(
  tally: Tally,
  part: readonly SageScore[],
  seats: number,
  feedback: readonly Rating[],
): void {
  tally.turns += 1;
  tally.won += wonAgainstOthers(part, seats);
  for (const { first, ownPlaces, ballot, costUsd } of part) {
    tally.first += first;
    tally.costUsd += costUsd;
    if (ballot !== undefined) tally.reviews += 1;
    if (ballot === 'abstained') tally.abstained += 1;
    if (ownPlaces === undefined) continue;
    tally.ownPlaces += ownPlaces;
    tally.ownVotes += 1;
  }
  for (const rating of feedback) tally[rating] += 1;
}

/** The share won against the other answers; comparisons within the part are subtracted, since one of them won each. */
function wonAgainstOthers(part: readonly SageScore[], seats: number): number {
  const own = part.length;
  const others = seats - own;
  if (others === 0) return 0.5;
  const won = part.reduce((total, one) => total + one.won * (seats - 1), 0) - (own * (own - 1)) / 2;
  return Math.min(1, Math.max(0, won / (own * others)));
}

function standingOf(id: string, tally: Tally): Standing {
  const { name, turns, reviews, abstained, good, bad, costUsd } = tally;
  return {
    ...{ id, name, turns, reviews, abstained, costUsd },
    won: wilson(tally.won / turns, turns),
    first: wilson(tally.first / turns, turns),
    ...(tally.ownVotes === 0 ? {} : { ownPlaces: tally.ownPlaces / tally.ownVotes }),
    feedback: { good, bad },
  };
}

/** The 95 % quantile: standard deviations on either side. */
const z = 1.96;

/** @see https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval */
function wilson(share: number, trials: number): Share {
  const scale = 1 + z ** 2 / trials;
  const middle = (share + z ** 2 / (2 * trials)) / scale;
  const spread = Math.sqrt((share * (1 - share)) / trials + (z / (2 * trials)) ** 2);
  const margin = (z * spread) / scale;
  return { share, from: Math.max(0, middle - margin), to: Math.min(1, middle + margin) };
}
