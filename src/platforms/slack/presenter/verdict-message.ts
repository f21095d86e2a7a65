/** The verdict as messages: what the chair says, the ranking below it, and what can be looked at and said of it. */

import type { Verdict } from '../../../council/events.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import { rankingWords, verdictMarkdown, verdictTitle } from '../../chat/show/verdict-words.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import type { MessageBody } from '../api/messages.ts';
import { inertSlackMarkdown, slackNotice } from '../slack-text.ts';
import {
  type Block,
  button,
  buttonRow,
  feedbackRow,
  headerBlock,
  markdownBlock,
  mostMarkdownChars,
  smallPrint,
} from './blocks.ts';
import { inertName, nameOf } from './persona.ts';
import { oneLine, rankingBlocks } from './progress-message.ts';

export interface ShownVerdict extends Pick<ShownTurn, 'turnId' | 'reviews' | 'personas'> {
  readonly verdict: Verdict;
  readonly ranked: ShownTurn['progress']['ranked'];
}

/** The ranking and the buttons stand in the last message, and count as well. */
const longestPiece = mostMarkdownChars - 1500;
const longestNotice = 300;
const longestReason = 300;

/** @returns At least one message. */
export function verdictMessages(shown: ShownVerdict): readonly MessageBody[] {
  const { verdict, personas } = shown;
  const markdown = verdictMarkdown(verdict, {
    inert: inertSlackMarkdown,
    inertBody: inertSlackMarkdown,
    nameOf: (sage) => inertName(nameOf(sage, personas)),
  });
  const pieces = splitMarkdown(markdown, longestPiece);
  const title = verdictTitle(verdict);
  const last = pieces.length - 1;
  return pieces.map((piece, index) => ({
    text: `${title}: ${slackNotice(piece, longestNotice)}`,
    blocks: [
      ...(index === 0 ? [headerBlock(title)] : []),
      markdownBlock(piece),
      ...(index === last ? below(shown) : []),
    ],
  }));
}

function below({ turnId, verdict, ranked, reviews, personas }: ShownVerdict): readonly Block[] {
  const hasReviews = ranked !== undefined && ranked.ranking.places.length > 0;
  const confidence = verdict.confidence ? [`Confidence: ${verdict.confidence}`] : [];
  return [
    ...smallPrint(confidence),
    ...(hasReviews
      ? rankingBlocks(
          rankingWords(ranked, reviews, {
            nameOf: (sage) => nameOf(sage, personas),
            inert: (reason) => oneLine(reason, longestReason),
          }),
        )
      : []),
    ...buttonRow([
      ...(hasReviews
        ? [button('Reviews and ballots', { kind: 'view', view: 'reviews', turnId })]
        : []),
      button('Why these sages', { kind: 'view', view: 'seats', turnId }),
      button('Receipt', { kind: 'view', view: 'receipt', turnId }),
    ]),
    ...feedbackRow(turnId),
  ];
}
