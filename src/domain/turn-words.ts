/** Reviews, rankings, rebuttals and confidence in words, for people. */

import { type Docket, mostParties, partiesOf, type Rebuttal } from './docket.ts';
import type { Ranked } from './stored-turn.ts';
import type { Disagreement, Position, Ranking, Review, Settlement, Verdict } from './turn.ts';
import { counted, oneLine } from './words.ts';

/** What reviewers call an answer before its label, in the languages that are asked in most. */
const answerWords =
  'responses?|answers?|antwort(?:en)?|réponses?|respuestas?|respostas?|rispost[ae]|ответ[а-я]*|cevap|yanıt|antwoord(?:en)?|odpowied[zź]|回答'
    .split('|')
    // Labels are in capitals alone: an “answer a child could give” names none. V8 forgets the modifier (?i:…) at times.
    .flatMap((word) => [
      word,
      `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
      word.toUpperCase(),
    ])
    .join('|');
const listJoints =
  '[ \\t]*(?:,|&|/|\\band\\b|\\bor\\b|\\bund\\b|\\boder\\b|\\bet\\b|\\bou\\b|\\by\\b|\\be\\b|\\bo\\b)[ \\t]*';

/**
 * A review with the sages' names where its labels stood, as in “Response B” or “Responses A and C”. A label
 * that stands alone is left, because “A” may be a word as well.
 *
 * @param nameOf - The name of a sage by its key, as it can stand in Markdown.
 */
export function reviewInWords(
  { text, labels }: Pick<Review, 'text' | 'labels'>,
  nameOf: (sage: string) => string,
): string {
  const known = labels.filter((one) => /^[\p{L}\p{N}]+$/u.test(one.label));
  if (known.length === 0) return text;
  const names = new Map(known.map(({ label, sage }) => [label, nameOf(sage)]));
  const label = `(?:${[...names.keys()].join('|')})(?![\\p{L}\\p{N}])`;
  const named = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${answerWords})[ \\t]+(${label}(?:(?:${listJoints})+${label})*)`,
    'gu',
  );
  return text.replace(named, (_, list: string) =>
    list.replace(new RegExp(`(?<![\\p{L}\\p{N}])${label}`, 'gu'), (one) => names.get(one) ?? one),
  );
}

/**
 * A ballot as it was read.
 *
 * @param nameOf - The name of a sage by its key.
 * @returns E.g. `Seneca > Ada = Ben; the others were not ranked`.
 */
export function ballotInWords(
  { labels, ballot }: Pick<Review, 'labels' | 'ballot'>,
  nameOf: (sage: string) => string,
): string {
  if (ballot.status === 'abstained') return `Counts as no vote: ${ballot.reason}`;
  const behind = (label: string) => labels.find((one) => one.label === label)?.sage ?? label;
  const places = ballot.groups.map((group) =>
    group.map((label) => nameOf(behind(label))).join(' = '),
  );
  return `${places.join(' > ')}${ballot.partial ? '; the others were not ranked' : ''}`;
}

/** A top-ranked answer is never passed off as a synthesis. */
export function verdictTitle({ kind }: Pick<Verdict, 'kind'>): string {
  return kind === 'synthesis' ? 'Verdict' : 'Top-ranked answer, not a verdict';
}

const barCells = 10;

/** A share as a bar of text, with its number: `████░░░░░░  44 %`. All are of one width. */
export function shareBar(score: number): string {
  const full = Math.round(score * barCells);
  const share = `${Math.round(score * 100)} %`.padStart(5);
  return `${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${share}`;
}

/**
 * What an answer's bar does not show.
 *
 * @param ballots - How many ballots were read.
 * @returns E.g. `average place 1.3`, `average place 2.0, on 2 of 4 ballots`, `on no ballot`.
 */
export function placeInWords(
  { averagePosition, votes }: Ranking['places'][number],
  ballots: number,
): string {
  const parts = [
    ...(averagePosition === undefined ? [] : [`average place ${averagePosition.toFixed(1)}`]),
    ...(votes < ballots
      ? [votes === 0 ? 'on no ballot' : `on ${votes} of ${ballots} ballots`]
      : []),
  ];
  return parts.join(', ');
}

/** E.g. `Ranking by 3 blind ballots`. @param ballots - How many first ballots were read. */
export function rankingTitle(ballots: number, { secondBallots = 0 }: Ranking): string {
  const again = secondBallots === 0 ? '' : ` and ${secondBallots} after the rebuttal`;
  return `Ranking by ${counted(ballots, 'blind ballot')}${again}`;
}

/** Goes with the answer that was ranked first. */
export const winnerMark = '🏆';

/** Below a ranking, so that its numbers mean something. */
export const shareNote = 'The bars show the share of head-to-head comparisons each answer won.';

/** Below a ranking, what the answers were judged by; nothing where the place has set nothing. */
export function criteriaNote({ criteria }: Ranked): readonly string[] {
  return criteria === undefined ? [] : [`Judged by: ${oneLine(criteria)}`];
}

/** Below a ranking, what the agreement of its sages is worth; nothing where their models are of several families. */
export function sharedModelNote({ sameModel, family }: Ranked): readonly string[] {
  if (sameModel) return ['One model spoke for all of them, so their agreement is weak evidence.'];
  if (family === undefined) return [];
  return [
    `Models of one family (${family}) spoke for all of them, so their agreement is weaker evidence.`,
  ];
}

/** How far the sages disagree, with its numbers, e.g. `split (4 whole ballots: Kendall’s W 0.20, …)`. */
export function disagreementInWords(disagreement: Disagreement): string {
  const { word, ballots, concordance, favourite, distance, openContradictions } = disagreement;
  const numbers = [
    `Kendall’s W ${concordance.toFixed(2)}`,
    `the favourite has ${Math.round(favourite * 100)} % of first places`,
    `answers ${distance.toFixed(2)} apart in words`,
  ];
  const open =
    openContradictions === undefined
      ? ''
      : `${counted(openContradictions, 'contradiction')} left open; `;
  return `${word} (${open}${ballots} whole ballots: ${numbers.join(', ')})`;
}

/**
 * How sure a verdict is and why, on one line, e.g. `medium. Whether the neighbours want to share is not known.`
 *
 * @returns `undefined` where it was not said, e.g. of an answer that stands in for a verdict.
 */
export function confidenceInWords({
  confidence,
  confidenceReason,
}: {
  readonly confidence?: string | undefined;
  readonly confidenceReason?: string | undefined;
}): string | undefined {
  if (confidence === undefined || confidenceReason === undefined) return confidence;
  return `${confidence}. ${oneLine(confidenceReason)}`;
}

/** What the words need to name things as they can be shown. */
export interface RoundNames {
  /** @param sage - Key of a sage. */
  readonly nameOf: (sage: string) => string;
  /** Makes what a model wrote safe to show, on one line. */
  readonly inert: (text: string) => string;
}

/** What follows the docket, for its first line. Names a failure's reason, and what skipping the round saves. */
export function docketSentence(
  docket: Docket,
  /** How many sages answered. */
  answers: number,
  { nameOf, inert }: RoundNames,
): string {
  if (docket.failure) {
    return `What the answers dispute could not be read, so no sage is asked again: ${inert(docket.failure.explanation)}`;
  }
  const parties = partiesOf(docket).map(nameOf);
  if (parties.length === 0) {
    const saved = Math.min(mostParties, answers) + answers;
    return `No two answers contradict each other, so no sage is asked again. That saves up to ${saved} calls.`;
  }
  return `The answers contradict each other. ${new Intl.ListFormat('en').format(parties)} are asked once more; then all vote again, in secret.`;
}

/** Each contradiction with its sides, an item each. */
export function contradictionLines(
  { contradictions }: Pick<Docket, 'contradictions'>,
  { nameOf, inert }: RoundNames,
): readonly { readonly topic: string; readonly sides: readonly string[] }[] {
  return contradictions.map(({ topic, stances }) => ({
    topic: inert(topic),
    sides: stances.map(
      ({ sage, stance, quote }) => `${nameOf(sage)}: ${inert(stance)} “${inert(quote)}”`,
    ),
  }));
}

/** E.g. `Taleb holds, because …`. */
export function rebuttalInWords(rebuttal: Rebuttal, { nameOf, inert }: RoundNames): string {
  const { sage, position, because, failure, isEmptyChange } = rebuttal;
  const name = nameOf(sage);
  if (failure) return `${name} holds: there is no rebuttal. ${inert(failure.explanation)}`;
  if (isEmptyChange) {
    return `${name} would change its answer but names no flaw in it, and counts as holding.`;
  }
  return `${name} ${positionWords[position]}, because ${inert(because)}`;
}

const positionWords: Readonly<Record<Position, string>> = {
  held: 'holds',
  amended: 'amends its answer',
  conceded: 'concedes',
};

/** What became of each contradiction, and where verdict and tally part; an item each. */
export function settlementLines(
  { contradictions, caveats }: Settlement,
  { nameOf, inert }: RoundNames,
): readonly string[] {
  return [
    ...contradictions.map(({ topic, status, sides, why }) => {
      const taken = sides.map(
        ({ sage, stance, position }) =>
          `${nameOf(sage)} ${positionWords[position]} (${inert(stance)})`,
      );
      const open = status === 'open' ? 'open, for you to decide' : 'settled';
      return `${inert(topic)}: ${open}. ${taken.join('; ')}.${why === '' ? '' : ` ${inert(why)}`}`;
    }),
    ...caveats.map(inert),
  ];
}

/** What became of each point that one answer alone made; an item each. */
export function uniqueLines(
  { unique }: Settlement,
  { nameOf, inert }: RoundNames,
): readonly string[] {
  return unique.map(({ sage, point, fate, why }) => {
    const reason = why === '' ? '' : `: ${inert(why)}`;
    return `${nameOf(sage)}: ${inert(point)} (${fateWords[fate]}${reason})`;
  });
}

const fateWords = {
  kept: 'in the verdict',
  dropped: 'left out',
  passed_over: 'not mentioned by the chair',
} as const;
