/** Shows turns on one page, one after another, and tells who waits for one when it has been shown. */

import type { TurnEnd, TurnEvent } from '../../council/events.ts';
import { askedBelow } from '../chat/show/verdict-offers.ts';
import type { PresentedTurn } from '../platform.ts';
import type { Page } from './page.ts';
import { plainName, plainReason } from './plain-text.ts';
import { noticeLines, questionLines } from './prose.ts';
import { showTurn } from './show-turn.ts';

/** How a turn ended; `undefined` when it broke off without saying so. */
export type Shown = TurnEnd | undefined;

/** No event has such an id. */
const anyEvent = '';

/** A turn, as far as a page must know it. */
type ShownTurn = Pick<PresentedTurn, 'request' | 'isResumed'>;

export class Presentations {
  readonly #page: Page;
  readonly #expected = new Map<string, PromiseWithResolvers<Shown>>();
  #last: Promise<void> = Promise.resolve();
  #current: string | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Id of the turn that is being shown. */
  get current(): string | undefined {
    return this.#current;
  }

  /** To be called before the question is asked: its turn may begin before the asking has returned. */
  expect(eventId: string): { readonly shown: Promise<Shown>; cancel(): void } {
    const waiter = Promise.withResolvers<Shown>();
    this.#expected.set(eventId, waiter);
    return { shown: waiter.promise, cancel: () => this.#expected.delete(eventId) };
  }

  /** The same for a turn whose event is not known, e.g. one that a command asks: the next that no other question expects. */
  expectNext(): { readonly shown: Promise<Shown>; cancel(): void } {
    return this.expect(anyEvent);
  }

  /** Waits until those before it have been shown. A turn that no one waits for tells its question first. */
  async show(turn: ShownTurn, events: AsyncIterable<TurnEvent>): Promise<void> {
    const before = this.#last;
    const done = Promise.withResolvers<void>();
    this.#last = done.promise;
    await before;
    const { eventId, follows } = turn.request;
    const expected = this.#expected.has(eventId) ? eventId : anyEvent;
    const waiter = this.#expected.get(expected);
    this.#expected.delete(expected);
    this.#current = turn.request.turnId;
    let shown: Shown;
    try {
      if (!waiter || follows) this.#page.print(this.#introduction(turn));
      shown = await showTurn(events, this.#page);
    } catch (error) {
      const why = `✗ This turn broke off: ${plainReason(error)}`;
      this.#page.print(noticeLines(why, 'bad', this.#page));
      throw error;
    } finally {
      this.#current = undefined;
      waiter?.resolve(shown);
      done.resolve();
    }
  }

  #introduction({ request, isResumed }: ShownTurn): readonly string[] {
    const asked = askedBelow(request) ?? 'Asked elsewhere:';
    const origin = isResumed ? 'Broken off before; it goes on:' : plainName(asked);
    return [
      '',
      this.#page.palette.quiet(origin),
      ...questionLines(request.question, this.#page).slice(1),
    ];
  }
}
