/** What is said of a turn besides the answers: who sat and why, the ranking, the verdict, the end. */

import type { TurnEnd } from '../../council/events.ts';
import { verdictTitle } from '../../domain/ballot-words.ts';
import type { RoundNames } from '../../domain/round-words.ts';
import type { Ranked } from '../../domain/stored-turn.ts';
import type { Review, Seated, Verdict } from '../../domain/turn.ts';
import { oneLine } from '../../domain/words.ts';
import { type RoundSaid, roundMarkdown } from '../chat/show/round-markdown.ts';
import { certaintyLines, rankingWords, verdictSections } from '../chat/show/verdict-words.ts';
import { padLine, widthOf } from '../chat/text/text-width.ts';
import type { Page } from './page.ts';
import { plainName, plainText } from './plain-text.ts';
import { headingLines, noticeLines, prose } from './prose.ts';
import type { Speakers } from './speakers.ts';

type Lines = readonly string[];

const seatedHow = {
  moderated: 'chosen by the moderator',
  fixed: 'fixed for this conversation',
  addressed: 'addressed by name',
  fallback: 'the fallback council',
} as const;

/** How the seats were chosen, and who was named and does not sit. */
export function seatedLines(seated: Seated, speakers: Speakers, page: Page): Lines {
  const names = seated.seats.map(({ sage }) => speakers.of(sage.key).name).join(', ');
  const sentences = [`Seats: ${names}; ${seatedHow[seated.how]}.`];
  if (seated.depth) sentences.push(`Depth ${seated.depth}, as the moderator sees it.`);
  if (seated.note !== undefined) sentences.push(seated.note);
  for (const { name, why } of seated.dropped) {
    sentences.push(`Not seated: ${plainName(name)} (${plainName(why)}).`);
  }
  return ['', ...sentences.flatMap((one) => noticeLines(one, 'quiet', page))];
}

/** What is in dispute, or what a party says to it. */
export function roundLines(said: RoundSaid, speakers: Speakers, page: Page): Lines {
  return ['', ...prose(roundMarkdown(said, namesOn(speakers)), page)];
}

function namesOn(speakers: Speakers): RoundNames {
  return { nameOf: (sage) => speakers.of(sage).name, inert: oneLine };
}

/** The reviewers' ranking, best first, and what it is worth. */
export function rankingLines(
  ranked: Ranked,
  reviews: readonly Review[],
  speakers: Speakers,
  page: Page,
): Lines {
  if (ranked.ranking.places.length === 0) return [];
  const { palette } = page;
  const nameOf = (sage: string) => speakers.of(sage).name;
  const ranking = rankingWords(ranked, reviews, { nameOf, inert: plainText });
  const widest = Math.max(...ranking.rows.map(({ name }) => widthOf(name)));
  const rows = ranking.rows.map(({ position, name, sage, bar, words }) => {
    const paint = palette.seat(speakers.of(sage).place);
    const shown = palette.quiet(words.replace(' · ', '  '));
    return `${position}. ${paint(padLine(name, widest))} ${bar}${shown}`;
  });
  return [
    ...headingLines(ranking.title, page),
    ...rows,
    ...ranking.notes.flatMap((note) => noticeLines(note, 'quiet', page)),
  ];
}

/** What must be known before the verdict's text is read. */
export function verdictHeadingLines(kind: Verdict['kind'], page: Page): Lines {
  return headingLines(verdictTitle({ kind }), page);
}

/** What follows the verdict's text. */
export function verdictDetailLines(
  verdict: Verdict,
  ranked: Ranked | undefined,
  speakers: Speakers,
  page: Page,
): Lines {
  const { palette } = page;
  const certainty = certaintyLines(verdict, ranked, plainText).flatMap((line) =>
    noticeLines(line, 'quiet', page),
  );
  const names = { ...namesOn(speakers), inertBody: oneLine };
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

/** Questions to ask next, by the number that the command takes; none where it can't be typed. */
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

/** How the turn ended, unless it was simply answered. */
export function endLines(
  { outcome, explanation }: TurnEnd,
  speakers: Pick<Speakers, 'hasTold'>,
  page: Page,
): Lines {
  const told = plainText(explanation).trim();
  const reason = speakers.hasTold(told) ? '' : told;
  if (outcome === 'failed') {
    const text = `✗ The council could not answer. ${reason}`.trim();
    return ['', ...noticeLines(text, 'bad', page)];
  }
  if (outcome === 'stopped')
    return ['', ...noticeLines(reason || 'Stopped. What was said stays.', 'warning', page)];
  return [];
}
