/**
 * Aggregates ballots into one ranking, by each answer's share of pairwise wins.
 *
 * Pairwise comparisons stay meaningful when a ballot is incomplete. On complete ballots the order is that of the
 * Borda count; on truncated ones, unlike a mean position, it neither punishes nor rewards an answer for missing places.
 */

import type { Ranking } from '../domain/turn.ts';

/** One reviewer's order of the answers, each by the key of its sage. Unknown keys are ignored. */
export interface CastBallot {
  /** Key of the sage that cast it. */
  readonly reviewer: string;
  /** Groups of tied answers, best first. If an answer is listed twice, the first place counts. */
  readonly groups: readonly (readonly string[])[];
  /** Which answers this reviewer saw; absent: all of them. */
  readonly shown?: readonly string[];
}

/** The weight of a comparison that involves the reviewer's own answer; all others weigh 1. */
const ownComparisonWeight = 0.5;

/** A ballot reduced to known answers that its reviewer saw. */
interface Vote {
  readonly reviewer: string;
  readonly judged: ReadonlySet<string>;
  /** From {@link placesOf}. */
  readonly placeOf: ReadonlyMap<string, number>;
}

/**
 * Ranks answers by the share of pairwise comparisons that they won.
 *
 * For each ballot and each pair of answers that its reviewer saw: if both are listed, the higher one
 * wins, or each gets half a win if they are tied. If only one is listed, it wins. If neither is, the pair isn't
 * counted. A comparison that involves the reviewer's own answer weighs half: dropping it would cause more ties at
 * the top, and full weight would reward vanity. `score = won weight / compared weight`.
 *
 * Agreement is the mean over pairs of ballots of Kendall's tau-b,
 * `(C − D) / √((C + D + T₁)(C + D + T₂))`, over the comparisons that both ballots make: they agree on C and
 * disagree on D of them; T₁ and T₂ are tied on only the first or only the second. A pair in which a
 * ballot ties everything has no tau and is ignored.
 *
 * Self-preference is, over all votes for a reviewer's own answer, the mean difference between the others' mean
 * place for it and the reviewer's: positive means too high. Blind review doesn't remove it, see
 * arXiv 2404.13076. Every reviewer sees the answers in a different order, because the order moves a verdict, see
 * arXiv 2306.05685 and 2310.07712.
 *
 * @param ballots - Without abstentions; their order makes no difference.
 * @param sages - Keys of the sages whose answers are ranked, without repeats.
 * @returns Every answer once, best first, and in the given order within a shared position. An answer that was
 *   never compared has a score of 0.5. Never throws.
 */
export function rankAnswers(ballots: readonly CastBallot[], sages: readonly string[]): Ranking {
  const votes = ballots.map((ballot) => readVote(ballot, sages));
  const agreement = mean(pairsOf(votes).flatMap(([first, second]) => kendallTau(first, second)));
  const selfPreference = mean(selfPreferencesIn(ballots, sages).map(({ places }) => places));
  return {
    places: placeByScore(votes, sages),
    ...(agreement === undefined ? {} : { agreement }),
    ...(selfPreference === undefined ? {} : { selfPreference }),
  };
}

/** How many places higher a sage ranked its own answer than the others did. */
export interface SelfPreference {
  readonly sage: string;
  readonly places: number;
}

/** The self-preferences that {@link rankAnswers} averages, one per vote for an own answer that others ranked, too. */
export function selfPreferencesIn(
  ballots: readonly CastBallot[],
  sages: readonly string[],
): readonly SelfPreference[] {
  const votes = ballots.map((ballot) => readVote(ballot, sages));
  return sages.flatMap((sage) => {
    const placesBy = (isOwn: boolean) =>
      votes
        .filter(({ reviewer }) => (reviewer === sage) === isOwn)
        .flatMap(({ placeOf }) => placeOf.get(sage) ?? []);
    const others = mean(placesBy(false));
    if (others === undefined) return [];
    return placesBy(true).map((own) => ({ sage, places: others - own }));
  });
}

function readVote(ballot: CastBallot, sages: readonly string[]): Vote {
  const { reviewer, groups, shown = sages } = ballot;
  const judged = new Set(shown.filter((sage) => sages.includes(sage)));
  const known = groups.map((group) => group.filter((sage) => judged.has(sage)));
  return { reviewer, judged, placeOf: placesOf(known) };
}

/** Places from 1, by sage; tied ones share the mean of their places. */
export function placesOf(groups: CastBallot['groups']): ReadonlyMap<string, number> {
  const placeOf = new Map<string, number>();
  for (const group of groups) {
    const tied = [...new Set(group)].filter((id) => !placeOf.has(id));
    const place = placeOf.size + (tied.length + 1) / 2;
    for (const id of tied) placeOf.set(id, place);
  }
  return placeOf;
}

/** 1: the first is above the second; -1: below; 0: tied; `undefined`: not compared by this vote. */
function compare(vote: Vote, first: string, second: string): -1 | 0 | 1 | undefined {
  if (!vote.judged.has(first) || !vote.judged.has(second)) return undefined;
  const firstPlace = vote.placeOf.get(first) ?? Number.POSITIVE_INFINITY;
  const secondPlace = vote.placeOf.get(second) ?? Number.POSITIVE_INFINITY;
  if (firstPlace < secondPlace) return 1;
  if (firstPlace > secondPlace) return -1;
  return firstPlace === Number.POSITIVE_INFINITY ? undefined : 0;
}

function placeByScore(votes: readonly Vote[], sages: readonly string[]): Ranking['places'] {
  const scored = sages.map((sage) => {
    let won = 0;
    let compared = 0;
    for (const other of sages.filter((one) => one !== sage)) {
      for (const vote of votes) {
        const order = compare(vote, sage, other);
        if (order === undefined) continue;
        const isOwn = sage === vote.reviewer || other === vote.reviewer;
        const weight = isOwn ? ownComparisonWeight : 1;
        compared += weight;
        won += (weight * (1 + order)) / 2;
      }
    }
    return { sage, score: compared === 0 ? 0.5 : won / compared };
  });
  return scored
    .toSorted((first, second) => second.score - first.score)
    .map(({ sage, score }) => {
      const positions = votes.flatMap((vote) => vote.placeOf.get(sage) ?? []);
      const averagePosition = mean(positions);
      return {
        sage,
        score,
        position: 1 + scored.filter((other) => other.score > score).length,
        ...(averagePosition === undefined ? {} : { averagePosition }),
        votes: positions.length,
      };
    });
}

/** One number, or none if one vote ties everything that both compare. */
function kendallTau(first: Vote, second: Vote): readonly number[] {
  let concordant = 0;
  let discordant = 0;
  let tiedInFirst = 0;
  let tiedInSecond = 0;
  const shared = [...first.judged].filter((id) => second.judged.has(id));
  for (const [one, other] of pairsOf(shared)) {
    const inFirst = compare(first, one, other);
    const inSecond = compare(second, one, other);
    if (inFirst === undefined || inSecond === undefined) continue;
    if (inFirst === 0 && inSecond === 0) continue;
    if (inFirst === 0) tiedInFirst += 1;
    else if (inSecond === 0) tiedInSecond += 1;
    else if (inFirst === inSecond) concordant += 1;
    else discordant += 1;
  }
  const strict = concordant + discordant;
  const scale = Math.sqrt((strict + tiedInFirst) * (strict + tiedInSecond));
  return scale === 0 ? [] : [(concordant - discordant) / scale];
}

/** Sums in ascending order, so that the order of the ballots can't change the last digit. */
function mean(numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined;
  const sorted = numbers.toSorted((first, second) => first - second);
  return sorted.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function pairsOf<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.flatMap((first, index) =>
    items.slice(index + 1).map((second): readonly [Item, Item] => [first, second]),
  );
}
