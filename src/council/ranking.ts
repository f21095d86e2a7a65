/**
 * Turns ballots into one ranking: who won which share of the comparisons that the reviewers made.
 *
 * A ballot is read as a set of pairwise judgements, because that is what it still holds when it is
 * incomplete. On whole ballots this gives the order of Borda's count; on truncated ones it does not
 * punish or reward an answer for the places that were never written down, as a mean position does.
 */

import type { Ranking } from '../domain/turn.ts';

/** One reviewer's order of the answers. Ids that are no candidate's are ignored. */
export interface CastBallot {
  /** Who cast it, in the same terms as {@link Candidate.author}. */
  readonly reviewer: string;
  /** Tied candidates together, best group first. Of a candidate listed twice the first place counts. */
  readonly groups: readonly (readonly string[])[];
  /** Which candidates this reviewer saw; absent: all of them. */
  readonly shown?: readonly string[];
}

/** An answer that can be voted for. */
export interface Candidate {
  /** What it is called in the ranking: the key of its sage. */
  readonly id: string;
  readonly author: string;
}

/** What the comparison of a reviewer's own answer with another one counts; any other one counts 1. */
const ownComparisonWeight = 0.5;

/** A ballot, reduced to candidates that exist and that its reviewer saw. */
interface Vote {
  readonly reviewer: string;
  readonly judged: ReadonlySet<string>;
  /** As {@link placesOf} gives them. */
  readonly placeOf: ReadonlyMap<string, number>;
}

/**
 * Ranks answers by the share of pairwise comparisons that they won.
 *
 * For every ballot and every two candidates that its reviewer saw: if both are listed, the higher one
 * wins, and in one group each gets half a win. If one is listed, it wins: shown but unlisted counts as
 * jointly below. If neither is, nothing was judged and nothing is counted. A comparison in which the
 * reviewer's own answer takes part weighs half: dropping it would leave more ties at the top, counting
 * it whole would reward vanity. `score = won weight / compared weight`.
 *
 * Agreement is the mean over pairs of ballots of Kendall's tau-b,
 * `(C − D) / √((C + D + T₁)(C + D + T₂))`, over the comparisons that both ballots make: C and D are those
 * they agree and disagree on, T₁ and T₂ those tied on the first or the second alone. A pair in which a
 * ballot ties everything has no tau and is left out.
 *
 * Self-preference is the mean over the votes for one's own answer of the mean place that the others
 * gave it minus the own one: positive is too high. Blind review does not remove it, see
 * arXiv 2404.13076; that the order in which answers are shown moves a verdict, see arXiv 2306.05685 and
 * 2310.07712, is why every reviewer gets an order of its own.
 *
 * @param ballots - In any order; it makes no difference. Abstentions are left out by the caller.
 * @param candidates - Of two with the same id the first one counts.
 * @returns Every candidate once, best first; those that share a position in the order in which they were
 *   given. The score of one that was never compared is 0.5. Never throws.
 */
export function rankAnswers(
  ballots: readonly CastBallot[],
  candidates: readonly Candidate[],
): Ranking {
  const authors = new Map<string, string>();
  for (const { id, author } of candidates) if (!authors.has(id)) authors.set(id, author);

  const votes = ballots.map((ballot) => readVote(ballot, authors));
  const agreement = mean(pairsOf(votes).flatMap(([first, second]) => kendallTau(first, second)));
  const selfPreference = mean(selfPreferences(votes, authors).map(({ places }) => places));
  return {
    places: placeByScore(votes, authors),
    ...(agreement === undefined ? {} : { agreement }),
    ...(selfPreference === undefined ? {} : { selfPreference }),
  };
}

/** How many places higher an author put an own answer than the others did. */
export interface SelfPreference {
  readonly author: string;
  readonly places: number;
}

/** Of every vote for one's own answer that others have ranked, too; as {@link rankAnswers} averages them. */
export function selfPreferencesIn(
  ballots: readonly CastBallot[],
  ids: readonly string[],
): readonly SelfPreference[] {
  const authors = new Map(ids.map((id) => [id, id]));
  return selfPreferences(
    ballots.map((ballot) => readVote(ballot, authors)),
    authors,
  );
}

function readVote(ballot: CastBallot, authors: ReadonlyMap<string, string>): Vote {
  const seen = ballot.shown === undefined ? authors.keys() : ballot.shown;
  const judged = new Set([...seen].filter((id) => authors.has(id)));
  const groups = ballot.groups.map((group) => group.filter((id) => judged.has(id)));
  return { reviewer: ballot.reviewer, judged, placeOf: placesOf(groups) };
}

/** Places from 1, by candidate; tied ones share the mean of the places that they fill. */
export function placesOf(groups: CastBallot['groups']): ReadonlyMap<string, number> {
  const placeOf = new Map<string, number>();
  for (const group of groups) {
    const tied = [...new Set(group)].filter((id) => !placeOf.has(id));
    const place = placeOf.size + (tied.length + 1) / 2;
    for (const id of tied) placeOf.set(id, place);
  }
  return placeOf;
}

/** 1: the first one is above; -1: below; 0: tied; `undefined`: not compared by this vote. */
function compare(vote: Vote, first: string, second: string): -1 | 0 | 1 | undefined {
  if (!vote.judged.has(first) || !vote.judged.has(second)) return undefined;
  const firstPlace = vote.placeOf.get(first) ?? Number.POSITIVE_INFINITY;
  const secondPlace = vote.placeOf.get(second) ?? Number.POSITIVE_INFINITY;
  if (firstPlace < secondPlace) return 1;
  if (firstPlace > secondPlace) return -1;
  return firstPlace === Number.POSITIVE_INFINITY ? undefined : 0;
}

function placeByScore(
  votes: readonly Vote[],
  authors: ReadonlyMap<string, string>,
): Ranking['places'] {
  const won = new Map<string, number>();
  const compared = new Map<string, number>();
  for (const [first, second] of pairsOf([...authors.keys()])) {
    for (const vote of votes) {
      const order = compare(vote, first, second);
      if (order === undefined) continue;
      const isOwn = authors.get(first) === vote.reviewer || authors.get(second) === vote.reviewer;
      const weight = isOwn ? ownComparisonWeight : 1;
      addTo(compared, first, weight);
      addTo(compared, second, weight);
      addTo(won, first, (weight * (1 + order)) / 2);
      addTo(won, second, (weight * (1 - order)) / 2);
    }
  }

  const scored = [...authors.keys()].map((candidate) => {
    const weight = compared.get(candidate) ?? 0;
    return { sage: candidate, score: weight === 0 ? 0.5 : (won.get(candidate) ?? 0) / weight };
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

/** One number, or none where one of the two makes no difference between what both compare. */
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

function selfPreferences(
  votes: readonly Vote[],
  authors: ReadonlyMap<string, string>,
): readonly SelfPreference[] {
  return [...authors].flatMap(([candidate, author]) => {
    const placesBy = (isOwn: boolean) =>
      votes
        .filter((vote) => (vote.reviewer === author) === isOwn)
        .flatMap((vote) => vote.placeOf.get(candidate) ?? []);
    const others = mean(placesBy(false));
    if (others === undefined) return [];
    return placesBy(true).map((own) => ({ author, places: others - own }));
  });
}

/** Summed in order of size, so that the order of the ballots does not even change the last digit. */
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

function addTo(totals: Map<string, number>, key: string, amount: number): void {
  totals.set(key, (totals.get(key) ?? 0) + amount);
}
