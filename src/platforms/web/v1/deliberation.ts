/** A turn as the output of a model: the deliberation as its reasoning, the verdict as its content. */

import type { TurnEnd, TurnEvent } from '../../../council/events.ts';
import type { TurnWords } from '../../../domain/languages/english.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { Review, SageAnswer, Seated, Verdict } from '../../../domain/turn.ts';
import { ballotInWords, type RoundNames, verdictTitle } from '../../../domain/turn-words.ts';
import { inlineMarkdown, listed, namesOf, oneLine } from '../../../domain/words.ts';
import { countOf, progressSentence, seatWords } from '../../chat/show/progress-words.ts';
import { advance, notBegun } from '../../chat/show/turn-progress.ts';
import {
  certaintyLines,
  rankingWords,
  roundMarkdown,
  verdictMarkdown,
} from '../../chat/show/verdict-words.ts';
import type { CountedTokens } from '../../platform.ts';
import { CodedError } from '../refusals.ts';

/** A piece of a reply: first reasoning, then content. */
export type Piece =
  /** A section of Markdown: a stage, an answer, a ballot, the ranking. `isContinued`: more of the section before. */
  | { readonly type: 'reasoning'; readonly text: string; readonly isContinued?: true }
  /** Markdown to append to the content. */
  | { readonly type: 'content'; readonly text: string };

/** A reply in progress, for either API. */
export interface Reply {
  /** Unique, without the prefix of the API; for a turn, the turn's id. */
  readonly id: string;
  /** As named in the request. */
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970; absent: now. */
  readonly endedAt?: number | undefined;
  /** Throws a {@link CodedError} if it ends without an answer. */
  readonly pieces: AsyncIterable<Piece> | Iterable<Piece>;
  /** Reads the used tokens; called once, after the last piece. */
  readonly usage: () => Promise<Usage>;
}

/** Waits for the whole reply. Throws like {@link Reply.pieces}. */
export async function wholeOf({ pieces }: Reply) {
  const reasoning: string[] = [];
  let content = '';
  for await (const piece of pieces) {
    if (piece.type === 'content') content += piece.text;
    else if (piece.isContinued) reasoning.push(`${reasoning.pop() ?? ''}${piece.text}`);
    else reasoning.push(piece.text);
  }
  return { reasoning, content };
}

/** Converts milliseconds to whole seconds, as in the API. */
export function inSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

export type Usage = ReturnType<typeof usageOf>;

/** The tokens of all calls of a turn together. The output includes the reasoning. */
export function usageOf(calls: readonly CountedTokens[]) {
  const sum = (tokens: (call: CountedTokens) => number) =>
    calls.reduce((total, call) => total + tokens(call), 0);
  return {
    input: sum(({ inputTokens }) => inputTokens),
    output: sum(({ outputTokens }) => outputTokens),
    reasoning: sum(({ reasoningTokens }) => reasoningTokens),
  };
}

type Pieces = readonly Piece[];

/**
 * Turns the events of a turn into pieces. Reasoning is each change of stage, each answer, ballot and rebuttal, and
 * the ranking. Of several sages that write at once, the first is streamed; the others follow whole when it has
 * finished. Content is the verdict as it grows, or the answer of a sage that was asked alone.
 *
 * @param words - In the language of the turn.
 * @returns Throws a {@link CodedError} if the events end without an answer, and the errors of `events`.
 */
export async function* deliberation(
  events: AsyncIterable<TurnEvent> | Iterable<TurnEvent>,
  words: TurnWords,
): AsyncGenerator<Piece, void, undefined> {
  let progress = notBegun;
  const content = new Growth();
  const first = { sage: '', text: new Growth(), isOver: false };
  /** Answers that were completed while the first sage was still writing. */
  const waiting: SageAnswer[] = [];
  const reviews: Review[] = [];
  const nameOf = (sage: string) =>
    inlineMarkdown(namesOf(progress.seats.map((seat) => seat.sage))(sage));
  const names = { nameOf, inert: oneLine, words };
  const isAlone = () => progress.seated?.how === 'addressed' && progress.seats.length === 1;
  const say = (text: string): Pieces => [{ type: 'content', text }];
  const think = (text: string): Pieces => [{ type: 'reasoning', text }];
  const thinkMore = (text: string): Pieces => [{ type: 'reasoning', text, isContinued: true }];
  const grow = (sage: string, answer: string): Pieces => {
    if (first.isOver || (first.sage !== '' && first.sage !== sage)) return [];
    const text = first.text.grown(answer);
    if (first.sage === sage) return thinkMore(text);
    first.sage = sage;
    return think(`${headingOf(sage, names)}${text}`);
  };
  const end = (answer: SageAnswer): Pieces => {
    const said = answerText(answer, names);
    if (first.isOver || first.sage === '') return think(said);
    if (first.sage !== answer.sage) {
      waiting.push(answer);
      return [];
    }
    const isWhole = answer.status === 'answered';
    const rest = isWhole ? first.text.finished(answer.answer) : `\n\n${said}`;
    return [...thinkMore(rest), ...endFirst()];
  };
  const endFirst = (): Pieces => {
    first.isOver = first.sage !== '';
    return waiting.splice(0).flatMap((answer) => think(answerText(answer, names)));
  };
  const piecesOf = (event: TurnEvent): Pieces => {
    switch (event.type) {
      case 'heard': {
        const { words: read, gap } = event.heard;
        return think([read && `Read: ${read}.`, gap].filter(Boolean).join(' '));
      }
      case 'stage_started':
        // The seated sages were listed right before.
        if (event.stage === 'sages') return [];
        return endFirst().concat(
          think(progressSentence(progress, ({ sage }) => nameOf(sage.key), words)),
        );
      case 'seated':
      case 'recalled':
        return think(seatedWords(event.seated, names));
      case 'answer_grew':
        return isAlone() ? say(content.grown(event.answer)) : grow(event.sage, event.answer);
      case 'answered': {
        const { answer } = event;
        if (isAlone() && answer.status === 'answered') return say(content.finished(answer.answer));
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
        return think(rankingText(event, reviews, names));
      case 'verdict_grew':
        return say(content.grown(event.verdict));
      case 'concluded':
        return say(content.finished(verdictText(event.verdict, progress.ranked, names)));
      case 'ended':
        return endFirst();
      default:
        return [];
    }
  };
  for await (const event of events) {
    progress = advance(progress, event);
    yield* piecesOf(event).filter(({ text }) => text !== '');
    if (event.type === 'ended') return assertAnswered(event.end);
  }
  throw new CodedError(502, 'council_failed', 'The council’s reply broke off.');
}

function assertAnswered({ outcome, explanation, toAsker = explanation }: TurnEnd): void {
  if (outcome === 'answered') return;
  const isStopped = outcome === 'stopped';
  const code = isStopped ? 'council_stopped' : 'council_failed';
  // Many programs ask again after a 5xx, which would undo the stop.
  throw new CodedError(isStopped ? 400 : 502, code, toAsker || 'The council could not answer.');
}

/** Computes the new part of a text that arrives whole each time. What was sent can't be taken back. */
class Growth {
  #sent = '';

  /** The new part; empty if the text started over. */
  grown(whole: string): string {
    const text = whole.trimEnd();
    if (text.length <= this.#sent.length || !text.startsWith(this.#sent)) return '';
    const rest = text.slice(this.#sent.length);
    this.#sent = text;
    return rest;
  }

  /** The rest of the final text; if it differs from what was sent, all of it, behind a rule. */
  finished(whole: string): string {
    const rest = this.grown(whole);
    return rest !== '' || this.#sent === whole.trimEnd() ? rest : `\n\n---\n\n${whole.trimEnd()}`;
  }
}

function seatedWords({ seats, dropped, note }: Seated, { nameOf }: RoundNames): string {
  return [
    `Seated: ${listed(seats.map(({ sage }) => nameOf(sage.key))) || 'no sage'}.`,
    ...(note === undefined ? [] : [oneLine(note)]),
    ...dropped.map(({ name, why }) => `Not seated: ${inlineMarkdown(name)} (${oneLine(why)}).`),
  ].join(' ');
}

function headingOf(sage: string, { nameOf }: RoundNames): string {
  return `### ${nameOf(sage)}\n\n`;
}

/** The answer under the sage's name, or why there is none. */
export function answerText(given: SageAnswer, names: RoundNames): string {
  const { sage, status: doing, answer: explanation, reason } = given;
  if (doing === 'answered') return `${headingOf(sage, names)}${explanation.trim()}`;
  const ended = doing === 'failed' ? { doing, reason, explanation } : { doing };
  return `${names.nameOf(sage)} ${seatWords(ended, names.words)}.`;
}

function rankingText(ranked: Ranked, reviews: readonly Review[], names: RoundNames): string {
  const { title, rows, notes } = rankingWords(ranked, reviews, names);
  const places = rows.map(({ position, name, score, words }) => {
    return `${position}. ${name}${words} · ${Math.round(score * 100)} %`;
  });
  return [`### ${title}`, places.join('\n'), notes.join(' ')].join('\n\n');
}

/** Begins with the text of the verdict, so that it can be streamed as it grows. */
export function verdictText(
  verdict: Verdict,
  ranked: Ranked | undefined,
  names: RoundNames,
): string {
  const { words } = names;
  const { notice, ...own } = verdict;
  const notices = notice === undefined ? [] : [`> ${oneLine(notice)}`];
  const inert = (text: string) => text;
  const certainty = certaintyLines(verdict, ranked, oneLine, words).map((line) => `*${line}*`);
  const isSynthesis = verdict.kind === 'synthesis';
  return [
    ...(isSynthesis ? [] : [`**${verdictTitle(verdict, words)}**`, ...notices]),
    verdictMarkdown(own, { ...names, inert, inertBody: inert }),
    ...certainty,
    ...(isSynthesis ? notices : []),
  ].join('\n\n');
}
