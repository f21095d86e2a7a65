/** Reviews, ballots, rankings and confidence in words, for people. */

import type { Ranked } from './stored-turn.ts';
import type { Disagreement, Ranking, Review, Verdict } from './turn.ts';
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
