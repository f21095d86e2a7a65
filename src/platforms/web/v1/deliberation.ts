/** A turn as a chat program reads it: what a model would think first, then what it says. */

import type { TurnEnd, TurnEvent } from '../../../council/events.ts';
import { ballotInWords } from '../../../domain/ballot-words.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { Review, SageAnswer, Seated, Verdict } from '../../../domain/turn.ts';
import { inlineMarkdown, listed, namesOf, oneLine } from '../../../domain/words.ts';
import { countOf, failureWords, progressSentence } from '../../chat/show/progress-words.ts';
import { roundMarkdown } from '../../chat/show/round-markdown.ts';
import { advance, notBegun } from '../../chat/show/turn-progress.ts';
import {
  certaintyLines,
  rankingWords,
  verdictMarkdown,
  verdictTitle,
} from '../../chat/show/verdict-words.ts';

/** A part of a reply, in order: thoughts, what is said, the end. */
export type Piece =
  /** A whole section of Markdown: a stage, an answer, a ballot, the ranking. */
  | { readonly type: 'thought'; readonly text: string }
  /** Markdown that follows what was said before. */
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'ended'; readonly end: TurnEnd };

/**
 * Tells a turn in pieces. The deliberation is thought: each change of stage, each answer, ballot and rebuttal,
 * the ranking. The verdict is said as it grows; of a sage that was asked alone, its answer.
 *
 * @returns Ends with `ended`, unless the events stop before. Throws what they throw.
 */
export async function* deliberation(
  events: AsyncIterable<TurnEvent>,
): AsyncGenerator<Piece, void, undefined> {
  let progress = notBegun;
  let said = '';
  const reviews: Review[] = [];
  const nameOf = (sage: string) =>
    inlineMarkdown(namesOf(progress.seats.map((seat) => seat.sage))(sage));
  const names = { nameOf, inert: oneLine };
  const isAlone = () => progress.seated?.how === 'addressed' && progress.seats.length === 1;
  /** What is new of a text that is told whole each time; nothing where it was begun anew. */
  const grown = (whole: string): readonly Piece[] => {
    const text = whole.trimEnd();
    if (text.length <= said.length || !text.startsWith(said)) return [];
    const rest = text.slice(said.length);
    said = text;
    return [{ type: 'said', text: rest }];
  };
  /** The final text, whatever has been said of it: what was said can't be taken back. */
  const finished = (whole: string): readonly Piece[] => {
    const rest = grown(whole);
    if (rest.length > 0 || said === whole.trimEnd()) return rest;
    return [{ type: 'said', text: `\n\n---\n\n${whole.trimEnd()}` }];
  };
  const thought = (text: string): readonly Piece[] =>
    text === '' ? [] : [{ type: 'thought', text }];
  const told = (event: TurnEvent): readonly Piece[] => {
    switch (event.type) {
      case 'heard':
        return thought(
          [event.heard.words && `Read: ${event.heard.words}.`, event.heard.gap]
            .filter(Boolean)
            .join(' '),
        );
      case 'stage_started':
        // Who sits was told right before.
        if (event.stage === 'sages') return [];
        return thought(progressSentence(progress, ({ sage }) => nameOf(sage.key)));
      case 'seated':
      case 'recalled':
        return thought(seatedWords(event.seated, nameOf));
      case 'answer_grew':
        return isAlone() ? grown(event.answer) : [];
      case 'answered':
        if (isAlone() && event.answer.status === 'answered') return finished(event.answer.answer);
        return thought(answerWords(event.answer, nameOf));
      case 'reviewed':
        reviews.push(event.review);
        return thought(
          `**${nameOf(event.review.reviewer)}** ranks: ${ballotInWords(event.review, nameOf)}`,
        );
      case 'docketed':
        return thought(
          roundMarkdown({ docket: event.docket, answers: countOf(progress, 'answered') }, names),
        );
      case 'rebutted':
        return thought(roundMarkdown(event, names));
      case 'ranked':
        return thought(rankingText(event, reviews, nameOf));
      case 'verdict_grew':
        return grown(event.verdict);
      case 'concluded':
        return finished(verdictText(event.verdict, progress.ranked, nameOf));
      case 'ended':
        return [{ type: 'ended', end: event.end }];
      default:
        return [];
    }
  };
  for await (const event of events) {
    progress = advance(progress, event);
    yield* told(event);
  }
}

type NameOf = (sage: string) => string;

function seatedWords({ seats, dropped, note }: Seated, nameOf: NameOf): string {
  return [
    `Seated: ${listed(seats.map(({ sage }) => nameOf(sage.key)))}.`,
    ...(note === undefined ? [] : [oneLine(note)]),
    ...dropped.map(({ name, why }) => `Not seated: ${inlineMarkdown(name)} (${oneLine(why)}).`),
  ].join(' ');
}

function answerWords({ sage, status, answer, reason }: SageAnswer, nameOf: NameOf): string {
  const name = nameOf(sage);
  if (status === 'answered') return `### ${name}\n\n${answer.trim()}`;
  if (status === 'stopped') return `${name} was stopped.`;
  return `${name} failed${reason === undefined ? '' : `: ${failureWords[reason]}`}.`;
}

function rankingText(ranked: Ranked, reviews: readonly Review[], nameOf: NameOf): string {
  const { title, rows, notes } = rankingWords(ranked, reviews, { nameOf, inert: oneLine });
  return [
    `### ${title}`,
    rows
      .map(
        ({ position, name, score, words }) =>
          `${position}. ${name}${words} · ${Math.round(score * 100)} %`,
      )
      .join('\n'),
    notes.join(' '),
  ].join('\n\n');
}

/** The verdict's own text comes first, so that it can be said as it grows. */
function verdictText(verdict: Verdict, ranked: Ranked | undefined, nameOf: NameOf): string {
  const { notice, ...own } = verdict;
  const notices = notice === undefined ? [] : [`> ${oneLine(notice)}`];
  const inert = (text: string) => text;
  const body = verdictMarkdown(own, { inert, inertBody: inert, nameOf });
  const certainty = certaintyLines(verdict, ranked, oneLine).map((line) => `*${line}*`);
  const isSynthesis = verdict.kind === 'synthesis';
  return [
    ...(isSynthesis ? [] : [`**${verdictTitle(verdict)}**`, ...notices]),
    body,
    ...certainty,
    ...(isSynthesis ? notices : []),
  ].join('\n\n');
}
