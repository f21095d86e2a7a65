/** Elections with a known outcome, to measure a way of ranking against another one. */

import type { CastBallot } from '../../src/council/ranking.ts';

/** Numbers from 0 up to 1, the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Standard normal, by Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function shuffle<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((first, second) => first.key - second.key)
    .map(({ item }) => item);
}

export interface Election {
  readonly sages: readonly string[];
  /** True quality by sage; the ranking that should come out. */
  readonly quality: ReadonlyMap<string, number>;
  readonly ballots: readonly CastBallot[];
}

export interface ElectionOptions {
  /** Every reviewer sees an order of its own; else all see the same one. */
  readonly isShuffled: boolean;
  /** What becomes of a review in prose: no ballot, or the order in which the answers were shown. */
  readonly prose: 'abstains' | 'order_shown';
}

const answers = 4;
/** How much better a reviewer thinks of its own answer, by reviewer. */
const selfBonus = [1.5, 1, 0.5, 0];
/** How much better the first answer shown looks than the last one. */
const positionBias = 1;
const truncatedShare = 0.2;
const proseShare = 0.15;

/**
 * Every author reviews all answers: utility = quality + noise + own bonus + β(½ − position/(n−1)),
 * quality and noise standard normal. A fifth of the reviews breaks off before the last place, 15 % are prose.
 */
export function simulateElection(random: () => number, options: ElectionOptions): Election {
  const sages = Array.from({ length: answers }, (_, index) => `sage-${index}`);
  const quality = new Map(sages.map((sage) => [sage, normal(random)]));
  const ballots = sages.flatMap((reviewer, index) => {
    const order = shuffle(sages, random);
    const shown = options.isShuffled ? order : sages;
    const judged = shown.map((sage, position) => ({
      sage,
      utility:
        (quality.get(sage) ?? 0) +
        normal(random) +
        (sage === reviewer ? (selfBonus[index] ?? 0) : 0) +
        positionBias * (0.5 - position / (answers - 1)),
    }));
    const isTruncated = random() < truncatedShare;
    const isProse = random() < proseShare;
    if (isProse && options.prose === 'abstains') return [];
    const ranked = judged.toSorted((first, second) => second.utility - first.utility);
    const brokenOffAfter = 1 + Math.floor(random() * (answers - 1));
    const listed = isProse ? judged : ranked.slice(0, isTruncated ? brokenOffAfter : answers);
    return [{ reviewer, groups: listed.map(({ sage }) => [sage]) }];
  });
  return { sages, quality, ballots };
}

/**
 * How well scores fit the truth: Kendall's tau-b, 0 where all scores are the same; and whether the best
 * answer won, where a shared win counts in part.
 */
export function rateScores(
  scores: ReadonlyMap<string, number>,
  quality: ReadonlyMap<string, number>,
): { readonly tau: number; readonly bestWins: number } {
  const ids = [...quality.keys()];
  let sum = 0;
  let toldApart = 0;
  for (const first of ids) {
    for (const second of ids) {
      const truth = Math.sign((quality.get(first) ?? 0) - (quality.get(second) ?? 0));
      const found = Math.sign((scores.get(first) ?? 0) - (scores.get(second) ?? 0));
      sum += truth * found;
      toldApart += Math.abs(found);
    }
  }
  const pairs = ids.length * (ids.length - 1);
  const top = Math.max(...scores.values());
  const winners = ids.filter((id) => scores.get(id) === top);
  const best = ids.reduce((one, other) =>
    (quality.get(other) ?? 0) > (quality.get(one) ?? 0) ? other : one,
  );
  return {
    tau: toldApart === 0 ? 0 : sum / Math.sqrt(pairs * toldApart),
    bestWins: winners.includes(best) ? 1 / winners.length : 0,
  };
}

/** The usual way: the mean of the places on the ballots that list an answer, the lower the better. */
export function meanPositionScores({ sages, ballots }: Election): ReadonlyMap<string, number> {
  return new Map(
    sages.map((sage) => {
      const places = ballots
        .map(({ groups }) => groups.findIndex((group) => group.includes(sage)))
        .filter((place) => place >= 0);
      const mean = places.reduce((sum, place) => sum + place, 0) / places.length;
      return [sage, places.length === 0 ? -answers : -mean];
    }),
  );
}
