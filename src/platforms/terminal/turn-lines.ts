/** Formats the parts of a turn other than answers: status, seats, rounds, ranking, verdict details and end. */

import type { TurnEnd } from '../../council/events.ts';
import type { Ranked } from '../../domain/stored-turn.ts';
import type { Review, Seated, Verdict } from '../../domain/turn.ts';
import { type RoundNames, seatingNote } from '../../domain/turn-words.ts';
import { oneLine } from '../../domain/words.ts';
import { progressSentence } from '../chat/show/progress-words.ts';
import type { TurnProgress } from '../chat/show/turn-progress.ts';
import {
  certaintyLines,
  type RoundSaid,
  rankingWords,
  roundMarkdown,
  verdictSections,
} from '../chat/show/verdict-words.ts';
import { widthOf } from '../chat/text/text-width.ts';
import type { Page } from './page.ts';
import { headingLines, noticeLines, prose } from './prose.ts';
import type { SeatedSages } from './seated-sages.ts';
import { plainName, plainText, wrap } from './terminal-text.ts';

type Lines = readonly string[];

/** Says how the moderator chose, and who was not seated. @param end - Gives the reason of a failure itself. */
export function seatedLines(
  seated: Seated,
  end: TurnEnd | undefined,
  { words }: SeatedSages,
  page: Page,
): Lines {
  const { depth, dropped } = seated;
  const note = seatingNote(seated.note, end?.explanation);
  const sentences = [
    ...(depth ? [words.depth(depth)] : []),
    ...(note === undefined ? [] : [note]),
    ...dropped.map(({ name, why }) => `Not seated: ${plainName(name)} (${plainName(why)}).`),
  ];
  const lines = sentences.flatMap((one) => noticeLines(one, 'quiet', page));
  return lines.length === 0 ? [] : ['', ...lines];
}

export function roundLines(said: RoundSaid, sages: SeatedSages, page: Page): Lines {
  return ['', ...prose(roundMarkdown(said, namesOn(sages)), page)];
}

function namesOn(sages: SeatedSages): RoundNames {
  return { nameOf: (sage) => sages.of(sage).name, inert: oneLine, words: sages.words };
}

/** Formats the reviewers' ranking, best first, with notes on its reliability. */
export function rankingLines(
  ranked: Ranked,
  reviews: readonly Review[],
  sages: SeatedSages,
  page: Page,
): Lines {
  if (ranked.ranking.places.length === 0) return [];
  const { palette, width } = page;
  const nameOf = (sage: string) => sages.of(sage).name;
  const { title, rows, notes } = rankingWords(ranked, reviews, {
    nameOf,
    inert: plainText,
    words: sages.words,
  });
  const lines = rows.flatMap(({ position, name, sage, bar, words }) => {
    const first = `${position}. ${bar} `;
    const spans = [
      { text: name, paint: palette.seat(sages.of(sage).index) },
      { text: words, paint: palette.quiet },
    ];
    return wrap(spans, { width, first, next: ' '.repeat(widthOf(first)) });
  });
  return [
    ...headingLines(title, page),
    ...lines,
    ...notes.flatMap((note) => noticeLines(note, 'quiet', page)),
  ];
}

/** Formats the parts of a verdict that follow its text. */
export function verdictDetailLines(
  verdict: Verdict,
  ranked: Ranked | undefined,
  sages: SeatedSages,
  page: Page,
): Lines {
  const certainty = certaintyLines(verdict, ranked, plainText, sages.words).flatMap((line) =>
    noticeLines(line, 'quiet', page),
  );
  const names = { ...namesOn(sages), inertBody: oneLine };
  const sections = verdictSections(verdict, names).flatMap(({ heading, items }) =>
    prose(['', `### ${heading}`, ...items.map((item) => `- ${item}`)].join('\n'), page),
  );
  return [
    ...sections,
    ...(certainty.length === 0 ? [] : ['', ...certainty]),
    ...nextLines(verdict, page),
  ];
}

/** Lists the questions to ask next with their commands; empty where none can be typed, as in a pipe or a shell. */
function nextLines({ nextQuestions = [] }: Verdict, page: Page): Lines {
  if (nextQuestions.length === 0 || !page.takesCommands) return [];
  const numbered = nextQuestions.map(
    (question, index) => `/next ${index + 1}: ${plainName(question)}`,
  );
  return [
    '',
    page.palette.quiet('Ask next:'),
    ...numbered.flatMap((line) => noticeLines(line, 'quiet', page)),
  ];
}

/** Says how the turn ended; empty if it was answered. */
export function endLines(progress: TurnProgress, sages: SeatedSages, page: Page): Lines {
  const { explanation = '', toAsker = explanation } = progress.end ?? {};
  const text = plainText(toAsker).trim();
  const reason = sages.hasShown(text) ? '' : text;
  const sentence = stageSentence(progress, sages);
  switch (progress.end?.outcome) {
    case 'failed':
      return ['', ...noticeLines(`✗ ${sentence} ${reason}`.trim(), 'bad', page)];
    case 'stopped':
      return ['', ...noticeLines(reason || sentence, 'warning', page)];
    default:
      return [];
  }
}

/** What goes on in a turn, or how it ended, e.g. `The chair is writing the verdict.` */
export function stageSentence(progress: TurnProgress, sages: SeatedSages): string {
  return progressSentence(progress, ({ sage }) => sages.of(sage.key).name, sages.words);
}

const frames = ['◐', '◓', '◑', '◒'];
const frameMs = 250;

/**
 * The status line of a running turn.
 *
 * @param passedMs - Time since the turn began.
 */
export function statusLine(progress: TurnProgress, passedMs: number, sages: SeatedSages): string {
  const frame = frames[Math.floor(passedMs / frameMs) % frames.length] ?? '';
  return `${frame} ${elapsed(passedMs)}  ${stageSentence(progress, sages)}`;
}

/** @returns E.g. `9 s`, `2 min 05 s`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
