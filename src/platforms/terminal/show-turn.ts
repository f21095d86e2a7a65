/** Shows turns on a page, one after another, and tells how they ended. */

import type { TurnEnd, TurnEvent } from '../../council/events.ts';
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
  statusLine,
  verdictDetailLines,
} from './turn-lines.ts';

/** Prints the events of one turn. */
class TurnWriter {
  readonly #page: Page;
  readonly #sages: SeatedSages;
  readonly #startedAt = Date.now();
  #progress = notBegun;
  readonly #reviews: Review[] = [];
  #seated: Seated | undefined;
  #verdict: GrowingText | undefined;

  constructor(page: Page) {
    this.#page = page;
    this.#sages = new SeatedSages(page);
    page.setStatus(() => {
      const passedMs = Date.now() - this.#startedAt;
      return statusLine(this.#progress, passedMs, this.#sages);
    });
  }

  /** How the turn ended. */
  get end(): TurnEnd | undefined {
    return this.#progress.end;
  }

  write(event: TurnEvent): void {
    this.#progress = advance(this.#progress, event);
    for (const seat of this.#progress.seats) this.#sages.seat(seat);
    switch (event.type) {
      case 'seated':
        this.#seated = event.seated;
        break;
      case 'stage_started':
        if (event.stage === 'reviews' || event.stage === 'verdict') this.#sages.close();
        break;
      case 'answer_grew':
        this.#sages.grow(event.sage, event.answer);
        break;
      case 'answered':
        this.#sages.end(event.answer);
        break;
      case 'reviewed':
        this.#reviews.push(event.review);
        break;
      case 'docketed':
        this.#print({ docket: event.docket, answers: countOf(this.#progress, 'answered') });
        break;
      case 'rebutted':
        this.#print(event);
        break;
      case 'ranked':
        this.#sages.close();
        this.#page.print(rankingLines(event, this.#reviews, this.#sages, this.#page));
        break;
      case 'verdict_grew':
        this.#explainSeats();
        if (this.#page.isLive) this.#verdict ??= this.#begin('Verdict');
        this.#verdict?.grow(event.verdict);
        break;
      case 'concluded':
        this.#explainSeats();
        this.#conclude(event.verdict);
        break;
      case 'ended':
        this.#explainSeats();
        this.#verdict?.finish();
        this.#page.print(endLines(this.#progress, this.#sages, this.#page));
        break;
    }
  }

  /** Prints unfinished text and removes the status. */
  close(): void {
    this.#sages.close();
    this.#verdict?.finish();
    this.#page.setStatus(undefined);
  }

  #print(said: RoundSaid): void {
    this.#sages.close();
    this.#page.print(roundLines(said, this.#sages, this.#page));
  }

  /** Once, below the answers and the ranking. */
  #explainSeats(): void {
    this.#sages.close();
    if (this.#seated) this.#page.print(seatedLines(this.#seated, this.end, this.#page));
    this.#seated = undefined;
  }

  #begin(title: string): GrowingText {
    this.#page.print(headingLines(title, this.#page));
    return new GrowingText(this.#page);
  }

  #conclude(verdict: Verdict): void {
    const isSynthesis = verdict.kind === 'synthesis';
    const notice = verdict.notice ? noticeLines(verdict.notice, 'warning', this.#page) : [];
    if (!isSynthesis) this.#verdict?.finish();
    const text = (isSynthesis && this.#verdict) || this.#begin(verdictTitle(verdict));
    if (!isSynthesis) this.#page.print([...notice, '']);
    text.finish(verdict.verdict);
    this.#verdict = undefined;
    const { ranked } = this.#progress;
    this.#page.print(verdictDetailLines(verdict, ranked, this.#sages, this.#page));
    if (isSynthesis && notice.length > 0) this.#page.print(['', ...notice]);
  }
}

/**
 * @returns How the turn ended; `undefined` if the events stopped without an end. Throws the errors of `events`,
 *   after tidying the page.
 */
export async function showTurn(
  events: AsyncIterable<TurnEvent>,
  page: Page,
): Promise<TurnEnd | undefined> {
  const writer = new TurnWriter(page);
  try {
    for await (const event of events) writer.write(event);
  } finally {
    writer.close();
  }
  return writer.end;
}

/** How a turn ended; `undefined` if it broke off. */
export type Shown = TurnEnd | undefined;

type ShownTurn = Pick<PresentedTurn, 'request' | 'isResumed'>;

export class Presentations {
  readonly #page: Page;
  readonly #ends = new Map<string, PromiseWithResolvers<Shown>>();
  readonly #typed = new Set<string>();
  #last: Promise<void> = Promise.resolve();
  #current: string | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Id of the turn that is being shown. */
  get current(): string | undefined {
    return this.#current;
  }

  /** Marks the question of an event as being on the page already. */
  markTyped(eventId: string): void {
    this.#typed.add(eventId);
  }

  /** How a turn ended, once it has been shown. */
  async endOf(turnId: string): Promise<Shown> {
    const end = await this.#endOf(turnId).promise;
    this.#ends.delete(turnId);
    return end;
  }

  /** Shows a turn after the previous ones, with its question if that is not on the page. */
  async show(turn: ShownTurn, events: AsyncIterable<TurnEvent>): Promise<void> {
    const previous = this.#last;
    const done = Promise.withResolvers<void>();
    this.#last = done.promise;
    await previous;
    const { turnId, eventId } = turn.request;
    this.#current = turnId;
    let shown: Shown;
    try {
      if (!this.#typed.has(eventId)) this.#page.print(this.#introduction(turn));
      shown = await showTurn(events, this.#page);
    } catch (error) {
      const why = `✗ This turn broke off: ${plainReason(error)}`;
      this.#page.print(noticeLines(why, 'bad', this.#page));
      throw error;
    } finally {
      this.#current = undefined;
      this.#endOf(turnId).resolve(shown);
      done.resolve();
    }
  }

  #endOf(turnId: string): PromiseWithResolvers<Shown> {
    const end = this.#ends.get(turnId) ?? Promise.withResolvers();
    this.#ends.set(turnId, end);
    return end;
  }

  #introduction({ request, isResumed }: ShownTurn): readonly string[] {
    const asked = askedBelow(request) ?? 'Asked elsewhere:';
    const origin = isResumed ? 'Interrupted earlier; resuming:' : plainName(asked);
    return [
      '',
      this.#page.palette.quiet(origin),
      ...questionLines(request.question, this.#page).slice(1),
    ];
  }
}
