/** Shows turns on a page, one after another, and tells how they ended. */

import type { TurnEnd, TurnEvent } from '../../council/events.ts';
import type { TurnWords } from '../../domain/languages/english.ts';
import { turnWordsIn } from '../../domain/languages/languages.ts';
import type { Review, Seated, Verdict } from '../../domain/turn.ts';
import { verdictTitle } from '../../domain/turn-words.ts';
import { askedBelow } from '../chat/asking/turn-actions.ts';
import { countOf } from '../chat/show/progress-words.ts';
import { advance, notBegun } from '../chat/show/turn-progress.ts';
import type { RoundSaid } from '../chat/show/verdict-words.ts';
import type { PresentedTurn } from '../platform.ts';
import type { Page } from './page.ts';
import { headingLines, noticeLines, questionLines } from './prose.ts';
import { GrowingText, SeatedSages } from './seated-sages.ts';
import { plainName, plainReason } from './terminal-text.ts';
import {
  endLines,
  rankingLines,
  roundLines,
  seatedLines,
  stageSentence,
  statusLine,
  verdictDetailLines,
} from './turn-lines.ts';

/**
 * Prints the events of one turn.
 *
 * @param words - In the language of the turn.
 * @returns How the turn ended; `undefined` if the events stopped without an end. Throws the errors of `events`,
 *   after tidying the page.
 */
export async function showTurn(
  events: AsyncIterable<TurnEvent>,
  page: Page,
  words: TurnWords,
): Promise<TurnEnd | undefined> {
  const sages = new SeatedSages(page, words);
  const startedAt = Date.now();
  const reviews: Review[] = [];
  let progress = notBegun;
  let unexplained: Seated | undefined;
  let growing: GrowingText | undefined;

  function write(event: TurnEvent): void {
    progress = advance(progress, event);
    for (const seat of progress.seats) sages.seat(seat);
    switch (event.type) {
      case 'seated':
        unexplained = event.seated;
        break;
      case 'stage_started':
        if (event.stage === 'reviews' || event.stage === 'verdict') sages.close();
        if (page.printsStages)
          page.print(['', ...noticeLines(stageSentence(progress, sages), 'quiet', page)]);
        break;
      case 'answer_grew':
        sages.grow(event.sage, event.answer);
        break;
      case 'answered':
        sages.end(event.answer);
        break;
      case 'reviewed':
        reviews.push(event.review);
        break;
      case 'docketed':
        printRound({ docket: event.docket, answers: countOf(progress, 'answered') });
        break;
      case 'rebutted':
        printRound(event);
        break;
      case 'ranked':
        sages.close();
        page.print(rankingLines(event, reviews, sages, page));
        break;
      case 'verdict_grew':
        explainSeats();
        if (page.isLive) growing ??= begin(words.verdict);
        growing?.grow(event.verdict);
        break;
      case 'concluded':
        explainSeats();
        conclude(event.verdict);
        break;
      case 'ended':
        explainSeats();
        growing?.finish();
        page.print(endLines(progress, sages, page));
        break;
    }
  }

  function printRound(said: RoundSaid): void {
    sages.close();
    page.print(roundLines(said, sages, page));
  }

  /** Once, below the answers and the ranking. */
  function explainSeats(): void {
    sages.close();
    if (unexplained) page.print(seatedLines(unexplained, progress.end, sages, page));
    unexplained = undefined;
  }

  function begin(title: string): GrowingText {
    page.print(headingLines(title, page));
    return new GrowingText(page);
  }

  function conclude(verdict: Verdict): void {
    const isSynthesis = verdict.kind === 'synthesis';
    const notice = verdict.notice ? noticeLines(verdict.notice, 'warning', page) : [];
    if (!isSynthesis) growing?.finish();
    const text = (isSynthesis && growing) || begin(verdictTitle(verdict, words));
    if (!isSynthesis) page.print([...notice, '']);
    text.finish(verdict.verdict);
    growing = undefined;
    page.print(verdictDetailLines(verdict, progress.ranked, sages, page));
    if (isSynthesis && notice.length > 0) page.print(['', ...notice]);
  }

  page.setStatus(() => statusLine(progress, Date.now() - startedAt, sages));
  try {
    for await (const event of events) write(event);
  } finally {
    // Prints unfinished text and removes the status.
    sages.close();
    growing?.finish();
    page.setStatus(undefined);
  }
  return progress.end;
}

/** How a turn ended; `undefined` if it broke off. */
export type Shown = TurnEnd | undefined;

type ShownTurn = Pick<PresentedTurn, 'request' | 'isResumed'>;

export type Presentations = ReturnType<typeof presentationsOn>;

/** Shows turns on a page. */
export function presentationsOn(page: Page) {
  const ends = new Map<string, PromiseWithResolvers<Shown>>();
  const typed = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  let current: string | undefined;

  function resolversOf(turnId: string): PromiseWithResolvers<Shown> {
    const end = ends.get(turnId) ?? Promise.withResolvers();
    ends.set(turnId, end);
    return end;
  }

  function introduction({ request, isResumed }: ShownTurn): readonly string[] {
    const asked = askedBelow(request) ?? 'Asked elsewhere:';
    const origin = isResumed ? 'Interrupted earlier; resuming:' : plainName(asked);
    return ['', page.palette.quiet(origin), ...questionLines(request.question, page).slice(1)];
  }

  return {
    /** Id of the turn that is being shown. */
    get current() {
      return current;
    },

    /** Marks the question of an event as being on the page already. */
    markTyped: (eventId: string) => void typed.add(eventId),

    /** How a turn ended, once it has been shown. */
    async endOf(turnId: string): Promise<Shown> {
      const end = await resolversOf(turnId).promise;
      ends.delete(turnId);
      return end;
    },

    /** Shows a turn after the previous ones, with its question if that is not on the page. */
    async show(turn: ShownTurn, events: AsyncIterable<TurnEvent>): Promise<void> {
      const previous = last;
      const done = Promise.withResolvers<void>();
      last = done.promise;
      await previous;
      const { turnId, eventId, language } = turn.request;
      current = turnId;
      let shown: Shown;
      try {
        if (!typed.has(eventId)) page.print(introduction(turn));
        shown = await showTurn(events, page, turnWordsIn(language));
      } catch (error) {
        page.print(noticeLines(`✗ This turn broke off: ${plainReason(error)}`, 'bad', page));
        throw error;
      } finally {
        current = undefined;
        resolversOf(turnId).resolve(shown);
        done.resolve();
      }
    },
  };
}
