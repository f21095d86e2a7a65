/** Reviews, rankings, rebuttals and confidence in words, for people. */

import { type Docket, mostParties, partiesOf, type Rebuttal } from './docket.ts';
import { english, type TurnWords } from './languages/english.ts';
import { decimal, turnWordsIn } from './languages/languages.ts';
import type { Ranked } from './stored-turn.ts';
import type { Disagreement, Ranking, Review, Settlement, Verdict } from './turn.ts';
import { counted, oneLine } from './words.ts';

/**
 * The note on how the council was seated, without the reason of a failure that the end of the turn gives: the moderator
 * and the fallback council often fail alike, e.g. at one provider.
 */
export function seatingNote(note: string | undefined, explanation = ''): string | undefined {
  return explanation === '' ? note : note?.replace(`: ${explanation}`, () => '.');
}

/** What reviewers call an answer before its label, in the most common languages. */
export const answerWords =
  'responses?|answers?|antwort(?:en)?|réponses?|respuestas?|respostas?|rispost[ae]|ответ[а-я]*|cevap|yanıt|antwoord(?:en)?|odpowied[zź]|回答'
    .split('|')
    // Each spelling is listed because labels must stay case-sensitive (“an answer a child could give” names none), and
    // V8 sometimes ignores the modifier (?i:…).
    .flatMap((word) => [
      word,
      `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
      word.toUpperCase(),
    ])
    .join('|');
const listJoints =
  '[ \\t]*(?:,|&|/|\\band\\b|\\bor\\b|\\bund\\b|\\boder\\b|\\bet\\b|\\bou\\b|\\by\\b|\\be\\b|\\bo\\b)[ \\t]*';

/**
 * Replaces the labels in a review, as in “Response B” or “Responses A and C”, with the sages' names. Keeps a
 * label without such a word before it, because “A” may also be an ordinary word.
 *
 * @param nameOf - Returns a sage's name by its key, escaped for Markdown.
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

/** Describes a ballot as it was read, e.g. `Seneca > Ada = Ben; the others were not ranked`. */
export function ballotInWords(
  { labels, ballot }: Pick<Review, 'labels' | 'ballot'>,
  nameOf: (sage: string) => string,
): string {
  if (ballot.status === 'abstained') return `Counts as no vote: ${ballot.reason}`;
  const sageOf = (label: string) => labels.find((one) => one.label === label)?.sage ?? label;
  const places = ballot.groups.map((group) =>
    group.map((label) => nameOf(sageOf(label))).join(' = '),
  );
  return `${places.join(' > ')}${ballot.partial ? '; the others were not ranked' : ''}`;
}

/** The heading of a verdict; it never passes a top-ranked answer off as a synthesis. */
export function verdictTitle({ kind }: Pick<Verdict, 'kind'>, words = english): string {
  return kind === 'synthesis' ? words.verdict : words.topAnswer;
}

const barCells = 10;

/** Draws a share as a bar of text with its number, always 16 characters wide: `████░░░░░░  44 %`. */
export function shareBar(score: number): string {
  const full = Math.round(score * barCells);
  const share = `${Math.round(score * 100)} %`.padStart(5);
  return `${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${share}`;
}

/**
 * What an answer's bar doesn't show, e.g. `average place 1.3`, `average place 2.0, on 2 of 4 ballots`.
 *
 * @param ballots - How many ballots were read.
 */
export function placeInWords(
  { averagePosition, votes }: Ranking['places'][number],
  ballots: number,
  words = english,
): string {
  return [
    ...(averagePosition === undefined
      ? []
      : [words.averagePlace(decimal(averagePosition, 1, words))]),
    ...(votes < ballots ? [words.onBallots(votes, ballots)] : []),
  ].join(', ');
}

/** E.g. `Ranking by 3 blind ballots`. @param ballots - How many first ballots were read. */
export function rankingTitle(ballots: number, secondBallots = 0, words = english): string {
  return words.ranking(ballots) + (secondBallots === 0 ? '' : words.afterRebuttal(secondBallots));
}

/** Marks the answer that was ranked first. */
export const winnerMark = '🏆';

/** The channel's criteria, shown below a ranking; empty where none are set. */
export function criteriaNote({ criteria }: Ranked, words = english): readonly string[] {
  return criteria === undefined ? [] : [words.judgedBy(oneLine(criteria))];
}

/** Warns, below a ranking, that related models agree easily; empty where the models come from several families. */
export function sharedModelNote({ sameModel, family }: Ranked, words = english): readonly string[] {
  if (sameModel) return [words.oneModel];
  return family === undefined ? [] : [words.oneFamily(family)];
}

/** Describes how far the sages disagree, for a receipt, e.g. `split (4 whole ballots: Kendall’s W 0.20, …)`. */
export function disagreementInNumbers(disagreement: Disagreement): string {
  const { word, ballots, concordance, favourite, distance, openContradictions } = disagreement;
  const open =
    openContradictions === undefined
      ? ''
      : `${counted(openContradictions, 'contradiction')} left open; `;
  const measured = `${ballots} whole ballots: Kendall’s W ${concordance.toFixed(2)}, the favourite has ${Math.round(favourite * 100)} % of first places, answers ${distance.toFixed(2)} apart in words`;
  return `${english.agreement[word]} (${open}${measured})`;
}

/**
 * Describes a verdict's confidence on one line, e.g. `medium. Whether the neighbours want to share is not known.`
 *
 * @returns `undefined` without a confidence, e.g. when an answer replaces the verdict.
 */
export function confidenceInWords(
  { confidence, confidenceReason }: Pick<Verdict, 'confidence' | 'confidenceReason'>,
  { confidences, period } = english,
): string | undefined {
  if (confidence === undefined || confidenceReason === undefined) {
    return confidence && confidences[confidence];
  }
  return confidences[confidence] + period + oneLine(confidenceReason);
}

/** Makes names and quoted text safe to show on a platform. */
export interface RoundNames {
  /** @param sage - Key of a sage. */
  readonly nameOf: (sage: string) => string;
  /** Escapes a model's text and puts it on one line. */
  readonly inert: (text: string) => string;
  /** Absent: English. */
  readonly words?: TurnWords;
}

/** Says what follows the docket: a rebuttal, or why there is none and how many calls that saves. */
export function docketSentence(
  docket: Docket,
  /** How many sages answered. */
  answers: number,
  { nameOf, inert, words = english }: RoundNames,
): string {
  if (docket.failure) return words.unclearDispute(inert(docket.failure.explanation));
  const parties = partiesOf(docket).map(nameOf);
  if (parties.length === 0) return words.noDispute(Math.min(mostParties, answers) + answers);
  return words.dispute(new Intl.ListFormat(words.locale).format(parties));
}

/** Lists the contradictions with their sides. */
export function contradictionLines(
  { contradictions }: Pick<Docket, 'contradictions'>,
  { nameOf, inert, words = english }: RoundNames,
): readonly { readonly topic: string; readonly sides: readonly string[] }[] {
  return contradictions.map(({ topic, stances }) => ({
    topic: inert(topic),
    sides: stances.map(
      ({ sage, stance, quote }) =>
        `${nameOf(sage)}${words.colon}${inert(stance)} “${inert(quote)}”`,
    ),
  }));
}

/** Describes a rebuttal, e.g. `Taleb holds, because …`. */
export function rebuttalInWords(
  rebuttal: Rebuttal,
  { nameOf, inert, words = english }: RoundNames,
): string {
  const { sage, position, because, failure, isEmptyChange } = rebuttal;
  const name = nameOf(sage);
  if (failure) return `${name} ${words.position.held} (${inert(failure.explanation)})`;
  if (isEmptyChange) return words.emptyChange(name);
  const why = inert(because + takenBack(rebuttal, words));
  const joint = words === english ? ', because ' : words.colon;
  return `${name} ${words.position[position]}${joint}${why}`;
}

/** The passage that a sage takes back, to follow its reason; empty where it takes back nothing. */
export function takenBack({ flaw }: Pick<Rebuttal, 'flaw'>, words = english): string {
  return flaw === '' ? '' : words.takesBack(flaw.replace(/\.$/, ''));
}

/** Lists the outcome of each contradiction, then the caveats where verdict and ballots differ. */
export function settlementLines(
  { contradictions, caveats }: Settlement,
  { nameOf, inert, words = english }: RoundNames,
): readonly string[] {
  return [
    ...contradictions.map(({ topic, status, sides, why }) => {
      const taken = sides.map(
        ({ sage, stance, position }) =>
          `${nameOf(sage)} ${words.position[position]} (${inert(stance.replace(/\.$/, ''))})`,
      );
      const state = status === 'open' ? words.stillDisagree : words.settled;
      return `${inert(topic)}${words.colon}${state}${words.period}${taken.join('; ')}${words.period}${inert(why)}`.trimEnd();
    }),
    ...caveats.map(inert),
  ];
}

/** Lists the points that only one answer made, each with what the chair did with it. */
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

/** Confirms that a question was accepted. @param turnsBefore - How many turns of the thread run first. */
export function acceptedWords({
  turnsBefore,
  language,
}: {
  readonly turnsBefore: number;
  readonly language?: string;
}): string {
  const words = turnWordsIn(language);
  return turnsBefore === 0 ? words.seated : words.queued(turnsBefore);
}
