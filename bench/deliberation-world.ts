/** Questions with a known answer, and sages, reviewers and a chair who err as they were measured to. */

import { type CastBallot, rankAnswers } from '../src/council/ranking.ts';

/** What errs, and how much. Each figure is measured, unless it is called an assumption. */
export const measured = {
  /** Mean correlation of errors of nine judges of seven families: as good as 2.2 voices (arXiv 2605.29800). */
  mixedFamilies: 0.39,
  /** How much better a reviewer thinks of its own answer, by sage; β of the first place shown; a fifth is cut short, 15 % is prose (notes on 270 elections). */
  selfBonus: [1.5, 1, 0.5, 0],
  positionBias: 1,
  truncatedShare: 0.2,
  proseShare: 0.15,
  /** A lone right answer survives a reading chair in 24 to 46 % of cases. */
  loneSurvives: 0.35,
  /** Of those who are shown others' answers, so many change (arXiv 2606.00820), and two thirds of them for the worse. */
  conformity: 0.29,
  forTheWorse: 0.67,
  /** Assumption: of those who would give in although they are right, so many name a flaw that is none, and count. */
  namesAFlawAnyway: 0.5,
  /** Asked about a contradiction, a wrong party sees its error about so often: debate corrects 5 to 19 % of cases (arXiv 2511.11306). */
  corrected: 0.12,
  /** Assumption: a docket finds a contradiction that is there so often. */
  docketFinds: 0.9,
} as const;

export interface World {
  readonly name: string;
  /** Share of questions that each sage answers rightly by itself. */
  readonly skills: readonly number[];
  /** Correlation of the sages' errors. */
  readonly correlation: number;
  /** How far a right answer stands out in a review, in standard deviations of the review's noise. */
  readonly discernment: number;
}

/** An answer: 0 is right; of the wrong ones, the first is the one that most who err fall for. */
export type Option = 0 | 1 | 2;

/** Chance that who errs falls for the same error as the others. An assumption. */
const sharedError = 0.7;

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const quantiles = new Map<number, number>();

/** By bisection, once for each skill. */
function quantileOf(share: number): number {
  const known = quantiles.get(share);
  if (known !== undefined) return known;
  let [low, high] = [-6, 6];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (cumulative(middle) < share) low = middle;
    else high = middle;
  }
  quantiles.set(share, low);
  return low;
}

/** Of the standard normal, by Abramowitz and Stegun 7.1.26. */
function cumulative(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const series = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
  const tail = series.reduce((sum, one, power) => sum + one * t ** (power + 1), 0);
  const error = 1 - tail * Math.exp((-x * x) / 2);
  return x >= 0 ? (1 + error) / 2 : (1 - error) / 2;
}

/** What each sage answers to one question. */
export function answersIn({ skills, correlation }: World, random: () => number): readonly Option[] {
  const hardness = normal(random);
  return skills.map((skill) => {
    const own = normal(random);
    const strain = Math.sqrt(correlation) * hardness + Math.sqrt(1 - correlation) * own;
    if (strain < quantileOf(skill)) return 0;
    return random() < sharedError ? 1 : 2;
  });
}

/** Ballots as reviewers cast them; of prose none is read. @param shown - Of whom. */
export function ballotsOn(
  answers: readonly Option[],
  shown: readonly number[],
  { discernment }: World,
  random: () => number,
): readonly CastBallot[] {
  return answers.flatMap((_, reviewer) => {
    const order = shown
      .map((sage) => ({ sage, key: random() }))
      .toSorted((one, other) => one.key - other.key);
    const judged = order.map(({ sage }, place) => ({
      sage,
      utility:
        (answers[sage] === 0 ? discernment : 0) +
        normal(random) +
        (sage === reviewer ? (measured.selfBonus[reviewer] ?? 0) : 0) +
        measured.positionBias * (0.5 - place / Math.max(1, order.length - 1)),
    }));
    if (random() < measured.proseShare) return [];
    const ranked = judged.toSorted((one, other) => other.utility - one.utility);
    const isCut = random() < measured.truncatedShare && ranked.length > 2;
    const listed = isCut ? ranked.slice(0, 1 + Math.floor(random() * (ranked.length - 1))) : ranked;
    return [
      {
        reviewer: String(reviewer),
        groups: listed.map(({ sage }) => [String(sage)]),
        shown: shown.map(String),
      },
    ];
  });
}

/** The best share of comparisons that an answer to this effect won; 0.5 where nothing was compared. */
export function supportOf(
  ballots: readonly CastBallot[],
  answers: readonly Option[],
): ReadonlyMap<Option, number> {
  const sages = answers.map((_, sage) => String(sage));
  const support = new Map<Option, number>();
  for (const { sage, score } of rankAnswers(ballots, sages).places) {
    const option = answers[Number(sage)] ?? 1;
    support.set(option, Math.max(support.get(option) ?? 0, score));
  }
  return support;
}

/**
 * What the chair follows: it reads all answers, weighs the ranking and how many say so, and sees some of what
 * is right by itself.
 *
 * @param sight - Its own; see `chairSight`.
 */
export function chairChoice(
  support: ReadonlyMap<Option, number>,
  answers: readonly Option[],
  sight: number,
  random: () => number,
): Option {
  let best: { readonly option: Option; readonly weight: number } = { option: 1, weight: -9 };
  for (const [option, share] of support) {
    const count = answers.filter((one) => one === option).length;
    const weight =
      2 * share + count / answers.length + (option === 0 ? sight : 0) + normal(random) / 2;
    if (weight > best.weight) best = { option, weight };
  }
  return best.option;
}
