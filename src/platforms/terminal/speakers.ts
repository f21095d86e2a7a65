/**
 * Gives the floor to one sage at a time. Several write at once; the first to begin is shown while
 * it writes, and what the others say meanwhile follows when it has ended: first those that have
 * finished, then those who are still writing.
 */

import type { SageAnswer, Seat } from '../../domain/turn.ts';
import { GrowingText } from './growing-text.ts';
import type { Page } from './page.ts';
import { plainName, plainText } from './plain-text.ts';
import { paintedProse } from './prose.ts';

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
  #speaking: { readonly sage: string; readonly text: GrowingText } | undefined;
  /** What is being written while another sage has the floor, in the order they began. */
  readonly #growing = new Map<string, string>();
  #finished: SageAnswer[] = [];
  /** Why sages failed, each reason as it was shown. */
  readonly #told = new Set<string>();

  constructor(page: Page) {
    this.#page = page;
  }

  seat({ sage }: Seat): void {
    if (this.#known.has(sage.key)) return;
    const name = plainName(sage.name) || sage.key;
    const emoji = plainName(sage.emoji ?? '');
    const title = emoji === '' ? name : `${emoji} ${name}`;
    this.#known.set(sage.key, { name, title, place: this.#known.size });
  }

  of(key: string): Speaker {
    const name = plainName(key);
    return this.#known.get(key) ?? { name, title: name, place: this.#known.size };
  }

  /** @param answer - The whole answer so far. */
  grow(sage: string, answer: string): void {
    if (!this.#page.isLive) return;
    if (this.#speaking === undefined) this.#giveFloor(sage);
    if (this.#speaking?.sage === sage) this.#speaking.text.grow(answer);
    else this.#growing.set(sage, answer);
  }

  end(answer: SageAnswer): void {
    this.#growing.delete(answer.sage);
    if (this.#speaking !== undefined && this.#speaking.sage !== answer.sage) {
      this.#finished.push(answer);
      return;
    }
    this.#show(answer);
    for (const finished of this.#finished.splice(0)) this.#show(finished);
    const [next] = this.#growing;
    if (next === undefined) return;
    const [sage, text] = next;
    this.#growing.delete(sage);
    this.grow(sage, text);
  }

  /** All have spoken: shows what is left, whole. */
  close(): void {
    this.#leaveFloor();
    for (const finished of this.#finished.splice(0)) this.#show(finished);
    for (const [sage, text] of this.#growing) {
      this.#giveFloor(sage);
      this.#speaking?.text.finish(text);
      this.#speaking = undefined;
    }
    this.#growing.clear();
  }

  #giveFloor(sage: string): void {
    this.#printHeading(sage);
    this.#speaking = { sage, text: new GrowingText(this.#page) };
  }

  #leaveFloor(): void {
    this.#speaking?.text.finish();
    this.#speaking = undefined;
  }

  /** Whether a sage has failed for this reason, so that it was shown. */
  hasTold(reason: string): boolean {
    return this.#told.has(reason);
  }

  #printHeading(sage: string): void {
    const { title, place } = this.of(sage);
    const { palette } = this.#page;
    const heading = palette.isColoured ? palette.seat(place)(title) : `## ${title}`;
    this.#page.print(['', heading, ...(palette.isColoured ? [] : [''])]);
  }

  #show(answer: SageAnswer): void {
    const { palette } = this.#page;
    const isSpeaking = this.#speaking !== undefined;
    if (!isSpeaking) this.#printHeading(answer.sage);
    const text = this.#speaking?.text ?? new GrowingText(this.#page);
    this.#speaking = undefined;
    if (answer.status === 'answered') {
      text.finish(answer.answer);
    } else if (answer.status === 'stopped') {
      const isEmpty = answer.answer.trim() === '';
      text.finish(isEmpty ? undefined : answer.answer);
      const where = isEmpty && !isSpeaking ? 'before it said anything' : 'here';
      this.#page.print([palette.warning(`(stopped ${where})`)]);
    } else {
      text.finish();
      const why = reasonOf(answer);
      const what = isSpeaking ? 'Did not finish' : 'Did not answer';
      const line = this.hasTold(why) ? `✗ ${what}, for the same reason.` : `✗ ${what}: ${why}`;
      this.#told.add(why);
      this.#page.print(paintedProse(line, palette.bad, this.#page.width));
    }
  }
}
