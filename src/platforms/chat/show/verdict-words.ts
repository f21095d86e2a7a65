/** The verdict, the ranking and the rebuttal of depth `deep` in words, to be shown in each platform's own way. */

import type { Docket, Rebuttal } from '../../../domain/docket.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { Review, Verdict } from '../../../domain/turn.ts';
import {
  confidenceInWords,
  contradictionLines,
  criteriaNote,
  disagreementInWords,
  docketSentence,
  placeInWords,
  type RoundNames,
  rankingTitle,
  rebuttalInWords,
  settlementLines,
  shareBar,
  sharedModelNote,
  shareNote,
  winnerMark,
} from '../../../domain/turn-words.ts';
import { splitMarkdown } from '../text/split-markdown.ts';
import { unseenSpace } from '../text/visible-text.ts';

export interface VerdictMarkdownOptions {
  /** The platform's own way to make a line of Markdown of models safe. */
  readonly inert: (markdown: string) => string;
  /** The same for what has several lines, written with what the platform shows. */
  readonly inertBody: (markdown: string) => string;
  /** Name of a sage as Markdown in which nothing works. */
  readonly nameOf: (sage: string) => string;
}

/** At the beginning of an item, behind marks of lists and quotes, it would open a block of code and swallow what follows. */
const fenceBegin = /^((?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*)(?=`{3}|~{3})/;

/** What follows the text of a verdict, in the order in which it is read. */
export interface VerdictSection {
  readonly heading: string;
  readonly items: readonly string[];
  /** The only item is a text of its own, and no list. */
  readonly isText?: boolean;
}

/** Those parts of a verdict that have something in them. */
export function verdictSections(
  verdict: Verdict,
  { inert, inertBody, nameOf }: VerdictMarkdownOptions,
): readonly VerdictSection[] {
  const oneLine = lineMaker(inert);
  const { settlement } = verdict;
  const minority = verdict.minorityReport.trim();
  const sections: readonly VerdictSection[] = [
    { heading: 'Consensus', items: verdict.consensus.map(oneLine) },
    { heading: 'Disagreements', items: verdict.disagreements.map(oneLine) },
    {
      heading: 'In dispute',
      items: settlement ? settlementLines(settlement, { nameOf, inert: oneLine }) : [],
    },
    { heading: 'Still open', items: verdict.unsettled.map(oneLine) },
    {
      heading: 'Minority report',
      items: minority === '' ? [] : [closed(inertBody(minority))],
      isText: true,
    },
    {
      heading: 'Dissent',
      items: verdict.dissent.map(({ shown, summary }) => `${oneLine(shown)} ${oneLine(summary)}`),
    },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

/** A verdict without its title and its confidence; may be longer than one message. */
export function verdictMarkdown(verdict: Verdict, options: VerdictMarkdownOptions): string {
  const { inert, inertBody } = options;
  const sections = verdictSections(verdict, options).map(({ heading, items, isText }) => {
    const lines = isText ? items : items.map((item) => `- ${item}`);
    return `### ${heading}\n${lines.join('\n')}`;
  });
  return [
    ...(verdict.notice ? [`> ${lineMaker(inert)(verdict.notice)}`] : []),
    closed(inertBody(verdict.verdict)),
    ...sections,
  ].join('\n\n');
}

function lineMaker(inert: (markdown: string) => string): (text: string) => string {
  return (text) => inert(text).replace(/\s+/g, ' ').trim().replace(fenceBegin, `$1${unseenSpace}`);
}

/** With code that was left open closed, so that what follows is none. */
function closed(markdown: string): string {
  return splitMarkdown(markdown, Number.MAX_SAFE_INTEGER).join('\n');
}

/** How sure the council is, and how far it disagrees, as lines of small print; what is unknown is left out. */
export function certaintyLines(
  verdict: Verdict,
  ranked: Ranked | undefined,
  inert: (line: string) => string,
): readonly string[] {
  const words = confidenceInWords(verdict);
  return [
    ...(words === undefined ? [] : [`Confidence: ${inert(words)}`]),
    ...(ranked?.disagreement ? [`Sages: ${disagreementInWords(ranked.disagreement)}`] : []),
  ];
}

/** What {@link rankingWords} needs to name things as they can be shown. */
export interface RankingNames {
  /** @param sage - Key of a sage. */
  readonly nameOf: (sage: string) => string;
  /** Makes a reason that a model or a provider gave safe to show, on one line. */
  readonly inert: (reason: string) => string;
}

export interface RankingWords {
  /** E.g. `Ranking by 3 blind ballots`. */
  readonly title: string;
  /** Best first. `bar` wants letters of equal width; `words` follow the name at once, e.g. ` 🏆 · average place 1.3`. */
  readonly rows: readonly {
    /** Its key. */
    readonly sage: string;
    readonly position: number;
    /** Share of comparisons won, 0 to 1. */
    readonly score: number;
    readonly bar: string;
    readonly name: string;
    readonly words: string;
  }[];
  /** Small print, a sentence each. */
  readonly notes: readonly string[];
}

export function rankingWords(
  ranked: Ranked,
  reviews: readonly Review[],
  { nameOf, inert }: RankingNames,
): RankingWords {
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const missing = reviews.flatMap(({ reviewer, ballot, failure }) => {
    const name = nameOf(reviewer);
    if (failure) return [`No review by ${name}: ${inert(failure.explanation)}`];
    if (ballot.status === 'ranked') return [];
    return [`The review by ${name} does not count as a vote: ${inert(ballot.reason)}`];
  });
  return {
    title: rankingTitle(ballots, ranked.ranking),
    rows: ranked.ranking.places.map((place) => {
      const words = placeInWords(place, ballots);
      return {
        sage: place.sage,
        position: place.position,
        score: place.score,
        bar: shareBar(place.score),
        name: nameOf(place.sage),
        words: `${place.position === 1 ? ` ${winnerMark}` : ''}${words === '' ? '' : ` · ${words}`}`,
      };
    }),
    notes: [shareNote, ...criteriaNote(ranked).map(inert), ...missing, ...sharedModelNote(ranked)],
  };
}

/** What is in dispute, or what a party says to it. */
export type RoundSaid =
  | {
      readonly docket: Docket;
      /** How many sages answered. */
      readonly answers: number;
    }
  | { readonly rebuttal: Rebuttal };

/** @param names - Give Markdown in which nothing works. */
export function roundMarkdown(said: RoundSaid, names: RoundNames): string {
  if ('rebuttal' in said) return `↩️ ${rebuttalInWords(said.rebuttal, names)}`;
  const { docket, answers } = said;
  return [
    `⚖️ ${docketSentence(docket, answers, names)}`,
    ...contradictionLines(docket, names).map(({ topic, sides }) =>
      [`**In dispute: ${topic}**`, ...sides.map((side) => `- ${side}`)].join('\n'),
    ),
  ].join('\n\n');
}
