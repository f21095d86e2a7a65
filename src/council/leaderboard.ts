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
  const parts = turns.map((turn) => partsOf(turn, by));
  const all = [...Map.groupBy(parts.flat(), ({ id }) => id).values()].map(standingOf);
  return {
    by,
    turns: parts.filter(({ length }) => length > 0).length,
    ranked: all
      .filter(({ turns: sat }) => sat >= fewestTurns)
      .toSorted((one, other) => other.won.share - one.won.share),
    unranked: all
      .filter(({ turns: sat }) => sat < fewestTurns)
      .map(({ id, name, turns: sat }) => ({ id, name, turns: sat }))
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
  const ballots = sum(voted.map((turn) => turn.ballots)) / voted.length;
  const correlation = Math.max(0, sum(voted.map(({ agreement }) => agreement)) / voted.length);
  return { voices: ballots / (1 + (ballots - 1) * correlation), ballots, turns: voted.length };
}

type SageScore = Score['sages'][number];

/** The answers of one sage or one model in a turn. */
interface Part extends Pick<Standing, 'id' | 'name'> {
  readonly scores: readonly SageScore[];
  /** Share of the comparisons with the turn's other answers. */
  readonly won: number;
  readonly feedback: readonly Rating[];
}

function partsOf({ score, feedback }: ScoredTurn, by: Leaderboard['by']): readonly Part[] {
  const sages = score.sages.filter(({ isOnRequest }) => !isOnRequest);
  if (sages.length < 2) return [];
  const byModel = [...Map.groupBy(sages, ({ model }) => model)];
  if (by === 'model' && byModel.length < 2) return [];
  const parts =
    by === 'sage'
      ? sages.map((one) => ({ id: one.sage, name: one.name, scores: [one] }))
      : byModel.map(([model, scores]) => ({ id: model, name: model, scores }));
  return parts.map((part) => ({
    ...part,
    won: wonAgainstOthers(part.scores, sages.length),
    feedback,
  }));
}

/** The share won against the other answers; comparisons within the part are subtracted, since one of them won each. */
function wonAgainstOthers(part: readonly SageScore[], seats: number): number {
  const own = part.length;
  const others = seats - own;
  if (others === 0) return 0.5;
  const won = sum(part.map((one) => one.won * (seats - 1))) - (own * (own - 1)) / 2;
  return Math.min(1, Math.max(0, won / (own * others)));
}

/** @param parts - Of one sage or one model, at least one. */
function standingOf(parts: readonly Part[]): Standing {
  const { id = '', name = '' } = parts.at(-1) ?? {};
  const turns = parts.length;
  const scores = parts.flatMap((part) => part.scores);
  const ownPlaces = scores.flatMap((one) => one.ownPlaces ?? []);
  const ballots = scores.flatMap(({ ballot }) => ballot ?? []);
  const feedback = parts.flatMap((part) => part.feedback);
  return {
    id,
    name,
    turns,
    won: wilson(sum(parts.map(({ won }) => won)) / turns, turns),
    first: wilson(sum(scores.map(({ first }) => first)) / turns, turns),
    ...(ownPlaces.length === 0 ? {} : { ownPlaces: sum(ownPlaces) / ownPlaces.length }),
    reviews: ballots.length,
    abstained: ballots.filter((ballot) => ballot === 'abstained').length,
    feedback: {
      good: feedback.filter((rating) => rating === 'good').length,
      bad: feedback.filter((rating) => rating === 'bad').length,
    },
    costUsd: sum(scores.map(({ costUsd }) => costUsd)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
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
