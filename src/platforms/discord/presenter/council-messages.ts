/** What the council itself says in a thread: the ranking, and the verdict or why there is none, each in one message. */

import type { Ranking, Review, TurnEnd, Verdict } from '../../../council/events.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { inFile, markdownFile } from './answer-messages.ts';
import { button, buttonRow, container, filePart, markOf, textPart } from './components.ts';
import { cardMark } from './open-turn.ts';
import type { Persona } from './persona.ts';
import type { CouncilMessage } from './turn-poster.ts';
import { endMarkdown, rankingMarkdown, verdictMarkdown } from './verdict-text.ts';

type Personas = ReadonlyMap<string, Persona>;

/** Room is left for the buttons' labels and the like, which count as well. */
const longestPiece = 3800;
/** Of a verdict; far more than a model writes. */
const mostPieces = 50;

/** The marks of all that the council itself posts for a turn, its card among them. */
export function marksOf(turnId: string): ReadonlySet<number> {
  const pieces = Array.from({ length: mostPieces }, (_, index) => markOf(turnId, 'verdict', index));
  return new Set([cardMark(turnId), markOf(turnId, 'ranking'), markOf(turnId, 'end'), ...pieces]);
}

export function rankingMessage(
  turnId: string,
  ranked: { readonly ranking: Ranking; readonly sameModel: boolean },
  reviews: readonly Review[],
  personas: Personas,
): CouncilMessage {
  const mark = markOf(turnId, 'ranking');
  const [piece = ''] = splitMarkdown(rankingMarkdown(ranked, reviews, personas), longestPiece);
  const buttons = buttonRow([
    button('Reviews and ballots', { kind: 'view', view: 'reviews', turnId }),
    button('Why these sages', { kind: 'view', view: 'seats', turnId }),
  ]);
  return { mark, components: [container([textPart(piece, mark), ...buttons])] };
}

/** Where the verdict is too long for a message, its beginning, with all of it as a file. */
export function verdictMessage(
  turnId: string,
  verdict: Verdict,
  personas: Personas,
): CouncilMessage {
  const markdown = verdictMarkdown(verdict, personas);
  const mark = markOf(turnId, 'verdict', 0);
  const pieces = splitMarkdown(markdown, longestPiece).map((piece, index): CouncilMessage => {
    const ownMark = markOf(turnId, 'verdict', index);
    return { mark: ownMark, components: [container([textPart(piece, ownMark)])] };
  });
  const [first, ...more] = pieces;
  if (first && more.length === 0) return first;
  const [beginning = ''] = splitMarkdown(markdown, longestPiece - inFile.length);
  const file = markdownFile('verdict', markdown);
  const text = textPart(`${beginning}${inFile}`, mark);
  return { mark, components: [container([text]), filePart(file.name)], file, instead: pieces };
}

/** How a turn ended that nobody answered. */
export function endMessage(turnId: string, end: TurnEnd): CouncilMessage {
  const mark = markOf(turnId, 'end');
  const [piece = ''] = splitMarkdown(endMarkdown(end), longestPiece);
  return { mark, components: [container([textPart(piece, mark)])] };
}
