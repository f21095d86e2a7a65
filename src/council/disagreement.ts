/** Measures how far the sages disagree: one word, and the numbers behind it. For display only. */

import { hasDocket, heldStances, isOpen, type Round } from '../domain/docket.ts';
import type { Disagreement } from '../domain/turn.ts';
import { wordsIn } from '../domain/words.ts';
import { type CastBallot, placesOf } from './ranking.ts';

/** With fewer ballots, chance looks like agreement. */
const fewestBallots = 3;
/** The mean rank correlation from which on ballots agree. */
const alikeFrom = 0.5;
/** Shares of first places: three in four make a favourite of the council, one in two leaves it split. */
const favouriteOf = { aligned: 0.75, split: 0.5 } as const;
/** Below this distance, answers say nearly the same, and ballots rank their wording. */
const sameWordsBelow = 0.25;

/**
 * Measures disagreement by the ballots and the answers.
 *
 * Kendall's W over `m` complete ballots of `n` answers, corrected for ties:
 * `W = 12 S / (m² (n³ − n) − m Σ (t³ − t))`, where `S` is the sum of the squared deviations of the
 * answers' rank sums from their mean. Random ballots give a W of `1/m`, so the word is based on the mean rank
 * correlation of two ballots, `(m W − 1) / (m − 1)`.
 *
 * @param ballots - Readable ballots; incomplete ones are ignored. Abstentions never count as agreement.
 * @param answers - All judged answers, with the ids that the ballots use.
 * @param round - The rebuttal round at depth `deep`. Unless its docket failed, the word is based on its open contradictions.
 * @returns `undefined` with fewer than three complete ballots or fewer than two answers. Never throws.
 */
export function measureDisagreement(
  ballots: readonly CastBallot[],
  answers: readonly { readonly id: string; readonly text: string }[],
  round?: Pick<Round, 'docket' | 'rebuttals'>,
): Disagreement | undefined {
  const ids = answers.map(({ id }) => id);
  const whole = ballots
    .map(({ groups }) => placesOf(groups))
    .filter((ranks) => ids.every((id) => ranks.has(id)));
  if (whole.length < fewestBallots || ids.length < 2) return undefined;
  const measured = {
    ballots: whole.length,
    concordance: concordance(whole, ids),
    favourite: largestFirstShare(whole, ids),
    distance: wordDistance(answers.map(({ text }) => text)),
  };
  if (!round || !hasDocket(round.docket)) return { word: wordFor(measured), ...measured };
  const open = round.docket.contradictions
    .map((one) => heldStances(one, round.rebuttals))
    .filter(isOpen);
  return { word: wordForOpen(open), ...measured, openContradictions: open.length };
}

/**
 * `leaning` if in every open contradiction one side has more than half of the remaining sages.
 *
 * @param open - The stances still held in each.
 */
function wordForOpen(open: readonly ReturnType<typeof heldStances>[]): Disagreement['word'] {
  if (open.length === 0) return 'aligned';
  const isLeaning = open.every((held) => {
    const sides = [...Map.groupBy(held, ({ stance }) => stance).values()];
    return Math.max(...sides.map(({ length }) => length)) > favouriteOf.split * held.length;
  });
  return isLeaning ? 'leaning' : 'split';
}

function wordFor(measured: Omit<Disagreement, 'word'>): Disagreement['word'] {
  const { ballots, concordance: w, favourite, distance } = measured;
  const correlation = (ballots * w - 1) / (ballots - 1);
  if (favourite >= favouriteOf.aligned && correlation >= alikeFrom) return 'aligned';
  const isSplit = favourite <= favouriteOf.split && correlation < alikeFrom;
  return isSplit && distance >= sameWordsBelow ? 'split' : 'leaning';
}

function concordance(
  ballots: readonly ReadonlyMap<string, number>[],
  ids: readonly string[],
): number {
  const [m, n] = [ballots.length, ids.length];
  const sums = ids.map((id) => sumOf(ballots, (ranks) => ranks.get(id) ?? 0));
  const mean = (m * (n + 1)) / 2;
  const ties = sumOf(ballots, (ranks) => {
    const tied = Map.groupBy(ids, (id) => ranks.get(id));
    return sumOf([...tied.values()], ({ length }) => length ** 3 - length);
  });
  const scale = m ** 2 * (n ** 3 - n) - m * ties;
  // Ballots that tie everything agree on nothing.
  return scale === 0 ? 0 : (12 * sumOf(sums, (sum) => (sum - mean) ** 2)) / scale;
}

/** The largest share of first places of one answer; a tied first place is divided. */
function largestFirstShare(
  ballots: readonly ReadonlyMap<string, number>[],
  ids: readonly string[],
): number {
  const firsts = ballots.map((ranks) => {
    const best = Math.min(...ids.map((id) => ranks.get(id) ?? Number.POSITIVE_INFINITY));
    return new Set(ids.filter((id) => ranks.get(id) === best));
  });
  const shares = ids.map((id) => sumOf(firsts, (first) => (first.has(id) ? 1 / first.size : 0)));
  return Math.max(...shares) / ballots.length;
}

const mostCharsRead = 8000;

/** The mean cosine distance between the words of two answers: 0 for the same words, 1 for none in common. */
function wordDistance(texts: readonly string[]): number {
  const vectors = texts.map(wordVector);
  const distances = vectors.flatMap((one, at) =>
    vectors.slice(at + 1).map((other) => 1 - cosine(one, other)),
  );
  return sumOf(distances, (distance) => distance) / distances.length;
}

/** The weight of a word grows with the logarithm of its count. */
interface WordVector {
  readonly weights: ReadonlyMap<string, number>;
  readonly length: number;
}

function wordVector(text: string): WordVector {
  const counts = new Map<string, number>();
  for (const word of wordsIn(text.slice(0, mostCharsRead).toLowerCase())) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  let squares = 0;
  for (const [word, count] of counts) {
    const weight = 1 + Math.log(count);
    counts.set(word, weight);
    squares += weight ** 2;
  }
  return { weights: counts, length: Math.sqrt(squares) || 1 };
}

function cosine(one: WordVector, other: WordVector): number {
  let product = 0;
  for (const [word, weight] of one.weights) product += weight * (other.weights.get(word) ?? 0);
  return Math.min(1, product / (one.length * other.length));
}

function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((total, item) => total + figure(item), 0);
}
