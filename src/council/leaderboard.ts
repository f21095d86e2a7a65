/** How sages and models have fared over many turns, with how sure that is. */

import type { Rating, Score } from '../domain/stored-turn.ts';

/** A turn that was ranked, and what people thought of it. */
export interface ScoredTurn {
  readonly score: Score;
  readonly feedback: readonly Rating[];
}

/** A share, with its interval of 95 % by Wilson's score: it holds the true one in 19 of 20 cases. */
export interface Share {
  readonly share: number;
  readonly from: number;
  readonly to: number;
}

/** How one sage or one model has fared. */
export interface Standing {
  /** Key of the sage, or `provider:model`. */
  readonly id: string;
  readonly name: string;
  /** In how many turns its answers were judged: what the intervals are computed for. */
  readonly turns: number;
  /** Of the comparisons with others. */
  readonly won: Share;
  /** Of the turns: first places, a tied one divided. */
  readonly first: Share;
  /** How many places higher it put its own answers than others did, on average; absent: it never could. */
  readonly ownPlaces?: number;
  readonly reviews: number;
  /** Reviews that gave no ballot. */
  readonly abstained: number;
  /** What people thought of the turns that it sat in. */
  readonly feedback: Readonly<Record<Rating, number>>;
  readonly costUsd: number;
}

export interface Leaderboard {
  readonly by: 'sage' | 'model';
  /** Turns that were counted. */
  readonly turns: number;
  /** The best share of comparisons first. */
  readonly ranked: readonly Standing[];
  /** Those with too few turns to be ranked, the most turns first. */
  readonly unranked: readonly Pick<Standing, 'id' | 'name' | 'turns'>[];
}

/** With fewer turns nothing is ranked, and no voices are counted. */
export const fewestTurns = 10;

/** How many turns are read for one leaderboard; there may be more in a place. */
export const mostTurnsCounted = 20_000;

/**
 * By sage, a turn counts with the share of comparisons that the sage's answer won. By model, with those
 * that all answers of the model won against others' together; turns in which one model spoke for all
 * compare none, and are left out.
 *
 * The intervals take each turn for one trial. A share within a turn varies less than a trial does, so
 * they are rather too wide than too narrow.
 *
 * @param turns - The oldest first: names are those of the last turn.
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

/** How many independent voices the sages of a place come to. */
export interface Voices {
  readonly voices: number;
  /** Ballots of a turn, on average. */
  readonly ballots: number;
  readonly turns: number;
}

/**
 * Kish's effective number, `n / (1 + (n − 1) ρ)`, for `n` ballots a turn whose mean correlation is ρ; one
 * below 0 is taken for 0. Ballots that always agree are one voice.
 *
 * @returns `undefined` with fewer than ten turns of two ballots or more.
 * @see https://arxiv.org/abs/2605.29800 on nine judges who come to two.
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

/** Without the comparisons of the part's answers with each other, each of which one of them won. */
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

/** Of 95 %: so many standard deviations either side. */
const z = 1.96;

/** @see https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval */
function wilson(share: number, trials: number): Share {
  const scale = 1 + z ** 2 / trials;
  const middle = (share + z ** 2 / (2 * trials)) / scale;
  const spread = Math.sqrt((share * (1 - share)) / trials + (z / (2 * trials)) ** 2);
  const margin = (z * spread) / scale;
  return { share, from: Math.max(0, middle - margin), to: Math.min(1, middle + margin) };
}
