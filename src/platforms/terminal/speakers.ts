/**
 * Gives the floor to one sage at a time. Several write at once; the first to begin is shown while
 * it writes, and what the others say meanwhile follows when it has ended: first those that have
 * finished, then those who are still writing.
 */

import type { SageAnswer, Seat } from '../../domain/turn.ts';
import { GrowingText } from './growing-text.ts';
import type { Page } from './page.ts';
import { plainName, plainText } from './plain-text.ts';
import { headingLines, noticeLines } from './prose.ts';

/** What is known of a sage for showing it. */
export interface Speaker {
  /** With its emoji, where it has one. */
  readonly title: string;
  readonly name: string;
  /** Place among the seats, from 0 on. */
  readonly place: number;
}

/** A failed answer as a reason for people; the prefix is for programs. */
function reasonOf(answer: SageAnswer): string {
  const reason = plainText(answer.answer)
    .replace(/^Error:\s*/, '')
    .trim();
  return reason === '' ? (answer.reason ?? 'no reason is known').replaceAll('_', ' ') : reason;
}

export class Speakers {
  readonly #page: Page;
  readonly #known = new Map<string, Speaker>();
  #floor: { readonly sage: string; readonly text: GrowingText } | undefined;
  /** What the page does not have whole, by the sages' keys: an answer, or its text so far. */
  readonly #heard = new Map<string, SageAnswer | string>();
  /** Why sages failed, each reason as it was shown. */
  readonly #told = new Set<string>();

  constructor(page: Page) {
    this.#page = page;
  }

  seat({ sage }: Seat): void {
    if (this.#known.has(sage.key)) return;
    const name = plainName(sage.name) || sage.key;
    const title = `${plainName(sage.emoji ?? '')} ${name}`.trim();
    this.#known.set(sage.key, { name, title, place: this.#known.size });
  }

  of(key: string): Speaker {
    const name = plainName(key);
    return this.#known.get(key) ?? { name, title: name, place: this.#known.size };
  }

  /** Whether a sage has failed for this reason, so that it was shown. */
  hasTold(reason: string): boolean {
    return this.#told.has(reason);
  }

  /** @param answer - The whole answer so far. */
  grow(sage: string, answer: string): void {
    if (!this.#page.isLive) return;
    this.#heard.set(sage, answer);
    this.#show();
  }

  end(answer: SageAnswer): void {
    // Behind those that have finished before.
    this.#heard.delete(answer.sage);
    this.#heard.set(answer.sage, answer);
    this.#show();
  }

  /** All have spoken: shows what is left, whole. */
  close(): void {
    this.#show(true);
  }

  #show(isOver = false): void {
    for (;;) {
      const isSpeaking = this.#floor !== undefined;
      const sage = this.#floor?.sage ?? this.#next();
      const heard = sage === undefined ? undefined : this.#heard.get(sage);
      if (sage === undefined || heard === undefined) return;
      this.#floor ??= this.#giveFloor(sage);
      const { text } = this.#floor;
      if (typeof heard === 'string' && !isOver) {
        text.grow(heard);
        return;
      }
      if (typeof heard === 'string') text.finish(heard);
      else this.#end(heard, text, isSpeaking);
      this.#heard.delete(sage);
      this.#floor = undefined;
    }
  }

  #next(): string | undefined {
    const waiting = [...this.#heard];
    const finished = waiting.find(([, heard]) => typeof heard !== 'string');
    return (finished ?? waiting[0])?.[0];
  }

  #giveFloor(sage: string) {
    const { title, place } = this.of(sage);
    this.#page.print(headingLines(title, this.#page, this.#page.palette.seat(place)));
    return { sage, text: new GrowingText(this.#page) };
  }

  /** @param isSpeaking - Some of it may be on the page. */
  #end(answer: SageAnswer, text: GrowingText, isSpeaking: boolean): void {
    const { status } = answer;
    const isEmpty = status === 'failed' || answer.answer.trim() === '';
    text.finish(isEmpty ? undefined : answer.answer);
    if (status === 'stopped') {
      const where = isEmpty && !isSpeaking ? 'before it said anything' : 'here';
      this.#page.print(noticeLines(`(stopped ${where})`, 'warning', this.#page));
    } else if (status === 'failed') {
      const why = reasonOf(answer);
      const what = isSpeaking ? 'Did not finish' : 'Did not answer';
      const line = this.hasTold(why) ? `✗ ${what}, for the same reason.` : `✗ ${what}: ${why}`;
      this.#told.add(why);
      this.#page.print(noticeLines(line, 'bad', this.#page));
    }
  }
}
