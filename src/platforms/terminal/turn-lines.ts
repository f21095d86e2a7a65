/** Formats the parts of a turn other than answers: status, seats, rounds, ranking, verdict details and end. */

import type { TurnEnd, TurnStage } from '../../council/events.ts';
import type { Ranked } from '../../domain/stored-turn.ts';
import type { Review, Seated, Verdict } from '../../domain/turn.ts';
import type { RoundNames } from '../../domain/turn-words.ts';
import { oneLine } from '../../domain/words.ts';
import type { SeatState, TurnProgress } from '../chat/show/turn-progress.ts';
import {
  certaintyLines,
  type RankingWords,
  type RoundSaid,
  rankingWords,
  roundMarkdown,
  verdictSections,
} from '../chat/show/verdict-words.ts';
import { padLine, widthOf } from '../chat/text/text-width.ts';
import type { Page, Palette } from './page.ts';
import { headingLines, noticeLines, prose } from './prose.ts';
import type { SeatedSages } from './seated-sages.ts';
import { plainName, plainText, wrap } from './terminal-text.ts';

type Lines = readonly string[];

const seatedHow = {
  moderated: 'chosen by the moderator',
  fixed: 'fixed for this conversation',
  addressed: 'addressed by name',
  fallback: 'the fallback council',
} as const;

/** Says who sits, how the seats were chosen, and who was not seated. */
export function seatedLines(seated: Seated, sages: SeatedSages, page: Page): Lines {
  const names = seated.seats.map(({ sage }) => sages.of(sage.key).name).join(', ');
  const sentences = [`Seats: ${names}; ${seatedHow[seated.how]}.`];
  if (seated.depth) sentences.push(`Depth ${seated.depth}, chosen by the moderator.`);
  if (seated.note !== undefined) sentences.push(seated.note);
  for (const { name, why } of seated.dropped) {
    sentences.push(`Not seated: ${plainName(name)} (${plainName(why)}).`);
  }
  return ['', ...sentences.flatMap((one) => noticeLines(one, 'quiet', page))];
}

export function roundLines(said: RoundSaid, sages: SeatedSages, page: Page): Lines {
  return ['', ...prose(roundMarkdown(said, namesOn(sages)), page)];
}

function namesOn(sages: SeatedSages): RoundNames {
  return { nameOf: (sage) => sages.of(sage).name, inert: oneLine };
}

/** Formats the reviewers' ranking, best first, with notes on its reliability. */
export function rankingLines(
  ranked: Ranked,
  reviews: readonly Review[],
  sages: SeatedSages,
  page: Page,
): Lines {
  if (ranked.ranking.places.length === 0) return [];
  const { palette } = page;
  const nameOf = (sage: string) => sages.of(sage).name;
  const ranking = rankingWords(ranked, reviews, { nameOf, inert: plainText });
  const widest = Math.max(...ranking.rows.map(({ name }) => widthOf(name)));
  const lines = ranking.rows.map(({ position, name, sage, bar, words }) => {
    const paint = palette.seat(sages.of(sage).index);
    const shown = palette.quiet(words.replace(' · ', '  '));
    return `${position}. ${paint(padLine(name, widest))} ${bar}${shown}`;
  });
  const isWideEnough = lines.every((line) => widthOf(line) <= page.width);
  const rows = isWideEnough ? lines : ranking.rows.flatMap((row) => narrowRow(row, sages, page));
  return [
    ...headingLines(ranking.title, page),
    ...rows,
    ...ranking.notes.flatMap((note) => noticeLines(note, 'quiet', page)),
  ];
}

/** A row of the ranking for a page that is too narrow: the name, and below it the bar and the rest. */
function narrowRow(
  { position, name, sage, bar, words }: RankingWords['rows'][number],
  sages: SeatedSages,
  { palette, width }: Page,
): Lines {
  const number = `${position}. `;
  const margin = ' '.repeat(number.length);
  const first = `${margin}${bar} `;
  const place = { text: words.replace(' · ', ' '), paint: palette.quiet };
  const named = { text: name, paint: palette.seat(sages.of(sage).index) };
  return [
    ...wrap([named], { width, first: number, next: margin }),
    ...wrap([place], { width, first, next: ' '.repeat(widthOf(first)) }),
  ];
}

/** Formats the parts of a verdict that follow its text. */
export function verdictDetailLines(
  verdict: Verdict,
  ranked: Ranked | undefined,
  sages: SeatedSages,
  page: Page,
): Lines {
  const { palette } = page;
  const certainty = certaintyLines(verdict, ranked, plainText).flatMap((line) =>
    noticeLines(line, 'quiet', page),
  );
  const names = { ...namesOn(sages), inertBody: oneLine };
  const sections = verdictSections(verdict, names).flatMap(({ heading, items }) => [
    ...['', palette.isColoured ? palette.strong(heading) : `### ${heading}`],
    ...items.flatMap((item) => prose(`- ${item}`, page)),
  ]);
  return [
    ...sections,
    ...(certainty.length === 0 ? [] : ['', ...certainty]),
    ...nextLines(verdict, page),
  ];
}

/** Lists the questions to ask next with their commands; empty in a pipe. */
function nextLines({ nextQuestions = [] }: Verdict, page: Page): Lines {
  if (nextQuestions.length === 0 || !page.isLive) return [];
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
export function endLines(
  { outcome, explanation }: TurnEnd,
  sages: Pick<SeatedSages, 'hasShown'>,
  page: Page,
): Lines {
  const text = plainText(explanation).trim();
  const reason = sages.hasShown(text) ? '' : text;
  if (outcome === 'failed') {
    const line = `✗ The council could not answer. ${reason}`.trim();
    return ['', ...noticeLines(line, 'bad', page)];
  }
  if (outcome === 'stopped')
    return ['', ...noticeLines(reason || 'Stopped. What was said stays.', 'warning', page)];
  return [];
}

const frames = ['◐', '◓', '◑', '◒'];
const frameMs = 250;

/** Words for the later stages, and the number of finished steps. */
const stageWords: Partial<
  Record<TurnStage, readonly [words: string, doneIn?: (progress: TurnProgress) => number]>
> = {
  reviews: ['the sages review each other, blind', ({ reviewers }) => reviewers.length],
  docket: ['the answers are checked for contradictions'],
  rebuttals: ['those in dispute answer each other', ({ rebutted }) => rebutted.length],
  second_ballots: ['the sages vote again, in secret', ({ recast }) => recast.length],
  verdict: ['the chair weighs it all'],
};

/**
 * The status line of a running turn in several lengths, longest first.
 *
 * @param passedMs - Time since the turn began.
 */
export function statusForms(
  progress: TurnProgress,
  passedMs: number,
  sages: SeatedSages,
  palette: Palette,
): Lines {
  const frame = frames[Math.floor(passedMs / frameMs) % frames.length] ?? '';
  const prefix = `${frame} ${palette.quiet(elapsed(passedMs))}  `;
  return sentences(progress, sages, palette).map((sentence) => `${prefix}${sentence}`);
}

/** @returns E.g. `9 s`, `2 min 05 s`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

function sentences(progress: TurnProgress, sages: SeatedSages, palette: Palette): Lines {
  const { stage, states } = progress;
  const [words, doneIn] = (stage && stageWords[stage]) ?? [];
  if (words !== undefined) return [doneIn ? `${words} · ${doneIn(progress)} done` : words];
  if (states.size === 0) return ['the moderator seats the sages'];
  const signs: Readonly<Record<SeatState['doing'], string>> = {
    waiting: '',
    thinking: ` ${palette.quiet('thinks')}`,
    answering: ` ${palette.quiet('writes')}`,
    answered: ` ${palette.good('✓')}`,
    failed: ` ${palette.bad('✗')}`,
    stopped: ` ${palette.warning('stopped')}`,
  };
  const everyone = [...states].map(([sage, { doing }]) => {
    const { name, index } = sages.of(sage);
    return `${doing === 'answering' ? palette.seat(index)(name) : name}${signs[doing]}`;
  });
  const busy = [...states].filter(([, { doing }]) => doing === 'thinking' || doing === 'answering');
  const count = `${states.size - busy.length} of ${states.size} done`;
  const names = busy.map(([sage]) => sages.of(sage).name).join(', ');
  return [everyone.join(palette.quiet(' · ')), `${count} · ${names}`];
}
