/** Writes a turn onto a page, from its first event to its last. */

import type { TurnEnd, TurnEvent } from '../../council/events.ts';
import type { Review, Seated, Verdict } from '../../domain/turn.ts';
import { countOf } from '../chat/show/progress-words.ts';
import { advance, notBegun } from '../chat/show/turn-progress.ts';
import type { RoundSaid } from '../chat/show/verdict-words.ts';
import { GrowingText } from './growing-text.ts';
import type { Page } from './page.ts';
import { Speakers } from './speakers.ts';
import {
  endLines,
  noticeLines,
  rankingLines,
  roundLines,
  seatedLines,
  verdictDetailLines,
  verdictHeadingLines,
} from './turn-lines.ts';
import { statusForms } from './turn-status.ts';

/** The page of one turn and what has been written on it so far. */
class TurnWriter {
  readonly #page: Page;
  readonly #speakers: Speakers;
  readonly #startedAt = Date.now();
  #progress = notBegun;
  readonly #reviews: Review[] = [];
  #seated: Seated | undefined;
  #verdict: GrowingText | undefined;

  constructor(page: Page) {
    this.#page = page;
    this.#speakers = new Speakers(page);
    page.setStatus(() => {
      const passedMs = Date.now() - this.#startedAt;
      return statusForms(this.#progress, passedMs, this.#speakers, page.palette);
    });
  }

  take(event: TurnEvent): void {
    this.#progress = advance(this.#progress, event);
    switch (event.type) {
      case 'seat_named':
        this.#speakers.seat(event.seat);
        break;
      case 'seated':
        this.#seated = event.seated;
        for (const seat of event.seated.seats) this.#speakers.seat(seat);
        break;
      case 'recalled':
        for (const seat of event.seated.seats) this.#speakers.seat(seat);
        break;
      case 'stage_started':
        if (event.stage === 'reviews' || event.stage === 'verdict') this.#speakers.close();
        break;
      case 'answer_grew':
        this.#speakers.grow(event.sage, event.answer);
        break;
      case 'answered':
        this.#speakers.end(event.answer);
        break;
      case 'reviewed':
        this.#reviews.push(event.review);
        break;
      case 'docketed': {
        const { docket } = event;
        const answers = countOf(this.#progress, 'answered');
        this.#print({ docket, answers });
        break;
      }
      case 'rebutted':
        this.#print(event);
        break;
      case 'ranked':
        this.#speakers.close();
        this.#page.print(rankingLines(event, this.#reviews, this.#speakers, this.#page));
        break;
      case 'verdict_grew':
        this.#explainSeats();
        if (this.#page.isLive) this.#growVerdict(event.verdict);
        break;
      case 'concluded':
        this.#explainSeats();
        this.#conclude(event.verdict);
        break;
      case 'ended':
        this.#explainSeats();
        this.#verdict?.finish();
        this.#page.print(endLines(event.end, this.#speakers, this.#page));
        break;
    }
  }

  /** Takes the status away, whatever has happened. */
  close(): void {
    this.#speakers.close();
    this.#verdict?.finish();
    this.#page.setStatus(undefined);
  }

  #print(said: RoundSaid): void {
    this.#speakers.close();
    this.#page.print(roundLines(said, this.#speakers, this.#page));
  }

  /** Once, below the answers and the ranking. */
  #explainSeats(): void {
    this.#speakers.close();
    if (this.#seated) this.#page.print(seatedLines(this.#seated, this.#speakers, this.#page));
    this.#seated = undefined;
  }

  #growVerdict(text: string): void {
    if (this.#verdict === undefined) {
      this.#page.print(verdictHeadingLines('synthesis', this.#page));
      this.#verdict = new GrowingText(this.#page);
    }
    this.#verdict.grow(text);
  }

  #conclude(verdict: Verdict): void {
    const isSynthesis = verdict.kind === 'synthesis';
    const notice = verdict.notice ? noticeLines(verdict.notice, this.#page) : [];
    let text = this.#verdict;
    if (text === undefined || !isSynthesis) {
      text?.finish();
      this.#page.print(verdictHeadingLines(verdict.kind, this.#page));
      if (!isSynthesis) this.#page.print([...notice, '']);
      text = new GrowingText(this.#page);
    }
    text.finish(verdict.verdict);
    this.#verdict = undefined;
    const { ranked } = this.#progress;
    this.#page.print(verdictDetailLines(verdict, ranked, this.#speakers, this.#page));
    if (isSynthesis && notice.length > 0) this.#page.print(['', ...notice]);
  }
}

/**
 * @returns How the turn ended; `undefined` when its events stopped before they said so. Throws what
 *   the events throw; the page is tidy then too.
 */
export async function showTurn(
  events: AsyncIterable<TurnEvent>,
  page: Page,
): Promise<TurnEnd | undefined> {
  const writer = new TurnWriter(page);
  let end: TurnEnd | undefined;
  try {
    for await (const event of events) {
      writer.take(event);
      if (event.type === 'ended') end = event.end;
    }
  } finally {
    writer.close();
  }
  return end;
}
