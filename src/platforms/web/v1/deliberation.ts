/** A turn as a chat program reads it: what a model would think first, then what it says. */

import type { TurnEnd, TurnEvent } from '../../../council/events.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { Review, SageAnswer, Seated, Verdict } from '../../../domain/turn.ts';
import { ballotInWords, verdictTitle } from '../../../domain/turn-words.ts';
import { inlineMarkdown, listed, namesOf, oneLine } from '../../../domain/words.ts';
import { countOf, failureWords, progressSentence } from '../../chat/show/progress-words.ts';
import { advance, notBegun } from '../../chat/show/turn-progress.ts';
import {
  certaintyLines,
  rankingWords,
  roundMarkdown,
  verdictMarkdown,
} from '../../chat/show/verdict-words.ts';

/** A part of a reply, in order: thoughts, what is said, the end. */
export type Piece =
  /** A section of Markdown: a stage, an answer, a ballot, the ranking; or more of the section before. */
  | { readonly type: 'thought'; readonly text: string; readonly goesOn?: true }
  /** Markdown that follows what was said before. */
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'ended'; readonly end: TurnEnd };

type Pieces = readonly Piece[];

/**
 * Tells a turn in pieces. The deliberation is thought: each change of stage, each answer, ballot and rebuttal,
 * the ranking. Of several sages that write at once, the first is told as it writes, the others whole once it has
 * ended. The verdict is said as it grows; of a sage that was asked alone, its answer.
 *
 * @returns Ends with `ended`, unless the events stop before. Throws what they throw.
 */
export async function* deliberation(
  events: AsyncIterable<TurnEvent> | Iterable<TurnEvent>,
): AsyncGenerator<Piece, void, undefined> {
  let progress = notBegun;
  const said = new Growth();
  const first = { sage: '', text: new Growth(), isOver: false };
  /** What has ended while the first was still writing. */
  let waiting: SageAnswer[] = [];
  const reviews: Review[] = [];
  const nameOf = (sage: string) =>
    inlineMarkdown(namesOf(progress.seats.map((seat) => seat.sage))(sage));
  const names = { nameOf, inert: oneLine };
  const isAlone = () => progress.seated?.how === 'addressed' && progress.seats.length === 1;
  const say = (text: string): Pieces => (text === '' ? [] : [{ type: 'said', text }]);
  const think = (text: string): Pieces => (text === '' ? [] : [{ type: 'thought', text }]);
  const goOn = (text: string): Pieces =>
    text === '' ? [] : [{ type: 'thought', text, goesOn: true }];
  const grow = (sage: string, answer: string): Pieces => {
    if (first.isOver) return [];
    if (first.sage === '') {
      first.sage = sage;
      return think(`${headingOf(sage, nameOf)}${first.text.grown(answer)}`);
    }
    return first.sage === sage ? goOn(first.text.grown(answer)) : [];
  };
  const end = (answer: SageAnswer): Pieces => {
    if (first.isOver || first.sage === '') return think(answerWords(answer, nameOf));
    if (first.sage === answer.sage) return [...goOn(lastOf(answer)), ...endFirst()];
    waiting.push(answer);
    return [];
  };
  const lastOf = (answer: SageAnswer): string => {
    if (answer.status === 'answered') return first.text.finished(answer.answer);
    return `\n\n${answerWords(answer, nameOf)}`;
  };
  const endFirst = (): Pieces => {
    first.isOver = first.sage !== '';
    const ended = waiting;
    waiting = [];
    return ended.flatMap((answer) => think(answerWords(answer, nameOf)));
  };
  const told = (event: TurnEvent): Pieces => {
    switch (event.type) {
      case 'heard': {
        const { words, gap } = event.heard;
        return think([words && `Read: ${words}.`, gap].filter(Boolean).join(' '));
      }
      case 'stage_started':
        // Who sits was told right before.
        if (event.stage === 'sages') return [];
        return [
          ...endFirst(),
          ...think(progressSentence(progress, ({ sage }) => nameOf(sage.key))),
        ];
      case 'seated':
      case 'recalled':
        return think(seatedWords(event.seated, nameOf));
      case 'answer_grew':
        return isAlone() ? say(said.grown(event.answer)) : grow(event.sage, event.answer);
      case 'answered': {
        const { answer } = event;
        if (isAlone() && answer.status === 'answered') return say(said.finished(answer.answer));
        return end(answer);
      }
      case 'reviewed': {
        const { review } = event;
        reviews.push(review);
        return think(`**${nameOf(review.reviewer)}** ranks: ${ballotInWords(review, nameOf)}`);
      }
      case 'docketed': {
        const answers = countOf(progress, 'answered');
        return think(roundMarkdown({ docket: event.docket, answers }, names));
      }
      case 'rebutted':
        return think(roundMarkdown(event, names));
      case 'ranked':
        return think(rankingText(event, reviews, nameOf));
      case 'verdict_grew':
        return say(said.grown(event.verdict));
      case 'concluded':
        return say(said.finished(verdictText(event.verdict, progress.ranked, nameOf)));
      case 'ended':
        return [...endFirst(), { type: 'ended', end: event.end }];
      default:
        return [];
    }
  };
  for await (const event of events) {
    progress = advance(progress, event);
    yield* told(event);
  }
}

/** A text that is told whole each time, and passed on by what is new of it: nothing can be taken back. */
class Growth {
  #told = '';

  /** What is new; empty where the text was begun anew. */
  grown(whole: string): string {
    const text = whole.trimEnd();
    if (text.length <= this.#told.length || !text.startsWith(this.#told)) return '';
    const rest = text.slice(this.#told.length);
    this.#told = text;
    return rest;
  }

  /** What is left of the final text: all of it, behind a line, where another was begun. */
  finished(whole: string): string {
    const rest = this.grown(whole);
    return rest !== '' || this.#told === whole.trimEnd() ? rest : `\n\n---\n\n${whole.trimEnd()}`;
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

function headingOf(sage: string, nameOf: NameOf): string {
  return `### ${nameOf(sage)}\n\n`;
}

function answerWords({ sage, status, answer, reason }: SageAnswer, nameOf: NameOf): string {
  const name = nameOf(sage);
  if (status === 'answered') return `${headingOf(sage, nameOf)}${answer.trim()}`;
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
