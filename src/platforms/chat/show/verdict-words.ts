/** The verdict, the ranking and the rebuttal round as Markdown, for all platforms. */

import type { Docket, Rebuttal } from '../../../domain/docket.ts';
import { english } from '../../../domain/languages/english.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { Review, Verdict } from '../../../domain/turn.ts';
import {
  confidenceInWords,
  contradictionLines,
  criteriaNote,
  docketSentence,
  placeInWords,
  type RoundNames,
  rankingTitle,
  rebuttalInWords,
  settlementLines,
  shareBar,
  sharedModelNote,
  winnerMark,
} from '../../../domain/turn-words.ts';
import { splitMarkdown } from '../text/split-markdown.ts';
import { unseenSpace } from '../text/visible-text.ts';

/** Names are inert Markdown. */
export interface VerdictMarkdownOptions extends RoundNames {
  /** Like `inert` for several lines, converted to what the platform can show. */
  readonly inertBody: (markdown: string) => string;
}

/** A code fence at the start of an item, perhaps after list and quote marks; it would swallow what follows. */
const fenceBegin = /^((?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*)(?=`{3}|~{3})/;

/** A section below the text of a verdict. */
export interface VerdictSection {
  readonly heading: string;
  readonly items: readonly string[];
  /** The only item is a text instead of a list. */
  readonly isText?: boolean;
}

/** The sections of a verdict that are not empty, in reading order. */
export function verdictSections(
  verdict: Verdict,
  { inert, inertBody, nameOf, words = english }: VerdictMarkdownOptions,
): readonly VerdictSection[] {
  const oneLine = lineMaker(inert);
  const { settlement } = verdict;
  const minority = verdict.minorityReport.trim();
  const sections: readonly VerdictSection[] = [
    { heading: words.consensus, items: verdict.consensus.map(oneLine) },
    { heading: words.disagreements, items: verdict.disagreements.map(oneLine) },
    {
      heading: words.inDispute,
      items: settlement ? settlementLines(settlement, { nameOf, inert: oneLine, words }) : [],
    },
    { heading: words.stillOpen, items: verdict.unsettled.map(oneLine) },
    {
      heading: words.minorityReport,
      items: minority === '' ? [] : [closed(inertBody(minority))],
      isText: true,
    },
    { heading: words.dissent, items: verdict.dissent.map(({ shown }) => oneLine(shown)) },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

/** A verdict without its title and confidence; may be longer than one message. */
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

/** Closes code fences that were left open. */
function closed(markdown: string): string {
  return splitMarkdown(markdown, Number.MAX_SAFE_INTEGER).join('\n');
}

/** Small print about the confidence and the disagreement; unknown parts are omitted. */
export function certaintyLines(
  verdict: Verdict,
  ranked: Ranked | undefined,
  inert: (line: string) => string,
  words = english,
): readonly string[] {
  const confidence = confidenceInWords(verdict, words);
  const { disagreement } = ranked ?? {};
  const isByBallots = disagreement?.openContradictions === undefined;
  const whose = isByBallots ? words.sagesByBallots : words.sages;
  return [
    ...(confidence === undefined ? [] : [words.confidence + inert(confidence)]),
    ...(disagreement ? [whose + words.agreement[disagreement.word]] : []),
  ];
}

export interface RankingWords {
  /** E.g. `Ranking by 3 blind ballots`. */
  readonly title: string;
  /** Best first. `bar` needs a monospaced font; `words` directly follow the name, e.g. ` 🏆 · average place 1.3`. */
  readonly rows: readonly {
    /** Key of the sage. */
    readonly sage: string;
    readonly position: number;
    /** Share of comparisons won, 0 to 1. */
    readonly score: number;
    readonly bar: string;
    readonly name: string;
    readonly words: string;
  }[];
  /** Small print; each is a sentence. */
  readonly notes: readonly string[];
}

export function rankingWords(
  ranked: Ranked,
  reviews: readonly Review[],
  { nameOf, inert, words = english }: RoundNames,
): RankingWords {
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const missing = reviews.flatMap(({ reviewer, ballot, failure }) => {
    const name = nameOf(reviewer);
    if (failure) return [words.noReview(name, inert(failure.explanation))];
    if (ballot.status === 'ranked') return [];
    return [words.noVote(name, inert(ballot.reason))];
  });
  return {
    title: rankingTitle(ballots, ranked.ranking.secondBallots, words),
    rows: ranked.ranking.places.map((place) => {
      const why = placeInWords(place, ballots, words);
      return {
        sage: place.sage,
        position: place.position,
        score: place.score,
        bar: shareBar(place.score),
        name: nameOf(place.sage),
        words: `${place.position === 1 ? ` ${winnerMark}` : ''}${why === '' ? '' : ` · ${why}`}`,
      };
    }),
    notes: [
      words.bars,
      ...criteriaNote(ranked, words).map(inert),
      ...missing,
      ...sharedModelNote(ranked, words),
    ],
  };
}

/** The docket, or the rebuttal of one party. */
export type RoundSaid =
  | {
      readonly docket: Docket;
      /** How many sages answered. */
      readonly answers: number;
    }
  | { readonly rebuttal: Rebuttal };

/** The docket or a rebuttal as Markdown. @param names - Return inert Markdown. */
export function roundMarkdown(said: RoundSaid, names: RoundNames): string {
  if ('rebuttal' in said) return `↩️ ${rebuttalInWords(said.rebuttal, names)}`;
  const { docket, answers } = said;
  const { inDispute, colon } = names.words ?? english;
  return [
    `⚖️ ${docketSentence(docket, answers, names)}`,
    ...contradictionLines(docket, names).map(({ topic, sides }) =>
      [`**${inDispute}${colon}${topic}**`, ...sides.map((side) => `- ${side}`)].join('\n'),
    ),
  ].join('\n\n');
}
