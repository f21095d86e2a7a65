/** Renders the council's own messages: the verdict with the ranking below it, and the rebuttal round. */

import type { Docket } from '../../../domain/docket.ts';
import type { Verdict } from '../../../domain/turn.ts';
import { verdictTitle } from '../../../domain/turn-words.ts';
import { goDeeper, type VerdictOffers } from '../../chat/asking/turn-actions.ts';
import type { Part, ShownTurn } from '../../chat/show/canvas.ts';
import {
  certaintyLines,
  rankingWords,
  roundMarkdown,
  verdictMarkdown,
} from '../../chat/show/verdict-words.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { shortName } from '../../chat/text/visible-text.ts';
import type { MessageBody } from '../api/messages.ts';
import { inertSlackMarkdown, slackNotice } from '../slack-text.ts';
import {
  againMenu,
  type Block,
  bold,
  button,
  buttonRow,
  code,
  feedbackRow,
  markdownBlock,
  maxMarkdownChars,
  paragraphs,
  rankingChartBlock,
  smallPrint,
  words,
} from './blocks.ts';
import { inertName, nameOf, verdictPieces } from './persona.ts';

export const longestReason = 300;

/** The ranking; no blocks if there is none. */
export function rankingBlocks(
  { ranked, reviews, personas, words: own }: Ranked,
  form: 'chart' | 'text',
): readonly Block[] {
  if (!ranked || ranked.ranking.places.length === 0) return [];
  const ranking = rankingWords(ranked, reviews, {
    words: own,
    nameOf: (sage) => nameOf(sage, personas),
    inert: (reason) => shortName(reason, longestReason),
  });
  const { title, rows, notes } = ranking;
  const isDrawn = form === 'chart';
  const lines = rows.flatMap(({ position, bar, name, words: why }, index) => [
    words(`${isDrawn && index === 0 ? '' : '\n'}${position}. `),
    ...(isDrawn ? [] : [code(bar), words(' ')]),
    bold(name),
    words(why),
  ]);
  const order = isDrawn
    ? [rankingChartBlock(ranking), paragraphs(lines)]
    : [paragraphs([bold(title), ...lines])];
  return [...order, ...smallPrint(notes)];
}

/** The contradictions, or what a party says about them. */
export function roundMessage(
  { said }: Extract<Part, { kind: 'round' }>,
  { personas, words: own }: Pick<ShownTurn, 'personas' | 'words'>,
): MessageBody {
  const markdown = roundMarkdown(said, {
    words: own,
    nameOf: (sage) => inertName(nameOf(sage, personas)),
    inert: inertSlackMarkdown,
  });
  const [piece = ''] = splitMarkdown(markdown, maxMarkdownChars);
  return { text: slackNotice(piece, longestReason), blocks: [markdownBlock(piece)] };
}

interface Ranked extends Pick<ShownTurn, 'reviews' | 'personas' | 'words'> {
  readonly ranked: ShownTurn['progress']['ranked'];
}

export interface ShownVerdict extends Ranked {
  readonly turnId: string;
  readonly verdict: Verdict;
  /** At depth `deep`. */
  readonly docket: Docket | undefined;
  readonly offers: VerdictOffers;
}

/** Splits the verdict into at least one piece of Markdown, and builds the blocks below the last. */
export function verdictParts(shown: ShownVerdict): {
  readonly pieces: readonly string[];
  readonly below: readonly Block[];
} {
  const { verdict, personas, words: own } = shown;
  const markdown = verdictMarkdown(verdict, {
    words: own,
    inert: inertSlackMarkdown,
    inertBody: inertSlackMarkdown,
    nameOf: (sage) => inertName(nameOf(sage, personas)),
  });
  return { pieces: verdictPieces(verdictTitle(verdict, own), markdown), below: below(shown) };
}

function below({ turnId, verdict, docket, offers, ...ranked }: ShownVerdict): readonly Block[] {
  const own = ranked.words;
  const ranking = rankingBlocks(ranked, 'chart');
  const reviews =
    ranking.length === 0 ? [] : [button(own.reviews, { kind: 'view', view: 'reviews', turnId })];
  return [
    ...smallPrint(
      certaintyLines(verdict, ranked.ranked, (line) => shortName(line, longestReason), own),
    ),
    ...ranking,
    ...buttonRow([
      ...reviews,
      button(own.whySages, { kind: 'view', view: 'seats', turnId }),
      button(own.receipt, { kind: 'view', view: 'receipt', turnId }),
      ...goDeeper(turnId, ranked.ranked, docket).map((action) => button(own.deeper, action)),
      ...(offers.mayPost ? [button(own.post, { kind: 'post', turnId })] : []),
    ]),
    ...againMenu(turnId, offers.again, own.again),
    ...buttonRow(
      offers.next.map(({ question, number }) =>
        button(question, { kind: 'next', turnId, number }, 'primary'),
      ),
    ),
    ...smallPrint(offers.notes),
    ...feedbackRow(turnId, own),
  ];
}
