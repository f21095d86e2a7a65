/** What is said of a turn besides the answers: who sat and why, the ranking, the verdict, the end. */

import type { TurnEnd } from '../../council/events.ts';
import {
  criteriaNote,
  placeInWords,
  rankingTitle,
  shareBar,
  sharedModelNote,
  shareNote,
  winnerMark,
} from '../../domain/ballot-words.ts';
import { type RoundNames, settlementLines } from '../../domain/round-words.ts';
import type { Ranked } from '../../domain/stored-turn.ts';
import type { Review, Seated, Verdict } from '../../domain/turn.ts';
import { oneLine } from '../../domain/words.ts';
import { certaintyLines, type RoundSaid, roundMarkdown } from '../chat/show/verdict-words.ts';
import { padLine, widthOf } from '../chat/text/text-width.ts';
import type { Page } from './page.ts';
import { plainName, plainText } from './plain-text.ts';
import { paintedProse, proseLines } from './prose.ts';
import type { Speakers } from './speakers.ts';

type Lines = readonly string[];

/** A heading of the council itself, with a blank line before it. */
export function headingLines(text: string, { palette }: Page): Lines {
  return [
    '',
    palette.isColoured ? palette.strong(text) : `## ${text}`,
    ...(palette.isColoured ? [] : ['']),
  ];
}

function prose(text: string, page: Page): Lines {
  return proseLines(plainText(text).trim(), { palette: page.palette, width: page.width });
}

function bullets(heading: string, items: Lines, page: Page): Lines {
  if (items.length === 0) return [];
  const { palette } = page;
  const title = palette.isColoured ? palette.strong(heading) : `### ${heading}`;
  return [
    '',
    title,
    ...items.flatMap((item) => prose(`- ${item.trim().replaceAll('\n', ' ')}`, page)),
  ];
}

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
  if (seated.note !== undefined) sentences.push(plainText(seated.note));
  for (const { name, why } of seated.dropped) {
    sentences.push(`Not seated: ${plainName(name)} (${plainName(why)}).`);
  }
  return ['', ...sentences.flatMap((one) => paintedProse(one, page.palette.quiet, page.width))];
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
  const { ranking } = ranked;
  if (ranking.places.length === 0) return [];
  const { palette } = page;
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const widest = Math.max(...ranking.places.map(({ sage }) => widthOf(speakers.of(sage).name)));
  const rows = ranking.places.map((one) => {
    const { name, place } = speakers.of(one.sage);
    const bar = `${shareBar(one.score)}${one.position === 1 ? ` ${winnerMark}` : ''}`;
    const words = placeInWords(one, ballots);
    const quiet = words === '' ? '' : `  ${palette.quiet(words)}`;
    return `${one.position}. ${palette.seat(place)(padLine(name, widest))} ${bar}${quiet}`;
  });
  const notes: string[] = [shareNote, ...criteriaNote(ranked).map(plainText)];
  for (const { reviewer, ballot, failure } of reviews) {
    const { name } = speakers.of(reviewer);
    if (failure) notes.push(`No review by ${name}: ${plainText(failure.explanation)}`);
    else if (ballot.status === 'abstained') {
      notes.push(`The review by ${name} does not count as a vote: ${plainText(ballot.reason)}`);
    }
  }
  notes.push(...sharedModelNote(ranked));
  return [
    ...headingLines(rankingTitle(ballots, ranking), page),
    ...rows,
    ...notes.flatMap((note) => paintedProse(note, palette.quiet, page.width)),
  ];
}

/** What must be known before the verdict's text is read. */
export function verdictHeadingLines(kind: Verdict['kind'], page: Page): Lines {
  return headingLines(kind === 'synthesis' ? 'Verdict' : 'Top-ranked answer, not a verdict', page);
}

/** What follows the verdict's text. */
export function verdictDetailLines(
  verdict: Verdict,
  ranked: Ranked | undefined,
  speakers: Speakers,
  page: Page,
): Lines {
  const minority = verdict.minorityReport.trim();
  const dissent = verdict.dissent.map(({ shown, summary }) => `${shown} ${summary}`);
  const { settlement } = verdict;
  const disputed = settlement ? settlementLines(settlement, namesOn(speakers)) : [];
  const certainty = certaintyLines(verdict, ranked, plainText).flatMap((line) =>
    paintedProse(line, page.palette.quiet, page.width),
  );
  return [
    ...bullets('Consensus', verdict.consensus, page),
    ...bullets('Disagreements', verdict.disagreements, page),
    ...bullets('In dispute', disputed, page),
    ...bullets('Still open', verdict.unsettled, page),
    ...bullets('Minority report', minority === '' ? [] : [minority], page),
    ...bullets('Dissent', dissent, page),
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
    ...numbered.flatMap((line) => paintedProse(line, page.palette.quiet, page.width)),
  ];
}

/** A notice that people must see. */
export function noticeLines(notice: string, page: Page): Lines {
  return paintedProse(plainText(notice), page.palette.warning, page.width);
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
    return ['', ...paintedProse(text, page.palette.bad, page.width)];
  }
  if (outcome === 'stopped')
    return ['', ...noticeLines(reason || 'Stopped. What was said stays.', page)];
  return [];
}
