/** Shows what sages and the chair say while they say it, one after another. */

import type { SageAnswer, Seat } from '../../domain/turn.ts';
import type { Page } from './page.ts';
import { headingLines, noticeLines, proseLines, wholeWords } from './prose.ts';
import { plainName, plainText } from './terminal-text.ts';

/** What is known of a sage for showing it. */
export interface SeatedSage {
  /** With its emoji, where it has one. */
  readonly title: string;
  readonly name: string;
  /** Index among the seats. */
  readonly index: number;
}

/** A failed answer as a reason for people; the prefix is for programs. */
function reasonOf(answer: SageAnswer): string {
  const reason = plainText(answer.answer)
    .replace(/^Error:\s*/, '')
    .trim();
  return reason === '' ? (answer.reason ?? 'no reason is known').replaceAll('_', ' ') : reason;
}

/**
 * Gives the floor to one sage at a time. Several write at once; the first to begin is shown while
 * it writes, and what the others say meanwhile follows when it has ended: first those that have
 * finished, then those who are still writing.
 */
export class SeatedSages {
  readonly #page: Page;
  readonly #known = new Map<string, SeatedSage>();
  #floor: { readonly sage: string; readonly text: GrowingText } | undefined;
  /** Answers that are not on the page in full, by the sages' keys; a text is still growing. */
  readonly #unprinted = new Map<string, SageAnswer | string>();
  /** Why sages failed, each reason as it was shown. */
  readonly #shownReasons = new Set<string>();

  constructor(page: Page) {
    this.#page = page;
  }

  seat({ sage }: Seat): void {
    if (this.#known.has(sage.key)) return;
    const name = plainName(sage.name) || sage.key;
    const title = `${plainName(sage.emoji ?? '')} ${name}`.trim();
    this.#known.set(sage.key, { name, title, index: this.#known.size });
  }

  of(key: string): SeatedSage {
    const name = plainName(key);
    return this.#known.get(key) ?? { name, title: name, index: this.#known.size };
  }

  /** Whether a sage has failed for this reason, so that it was shown. */
  hasShown(reason: string): boolean {
    return this.#shownReasons.has(reason);
  }

  /** @param answer - The whole answer so far. */
  grow(sage: string, answer: string): void {
    if (!this.#page.isLive) return;
    this.#unprinted.set(sage, answer);
    this.#show();
  }

  end(answer: SageAnswer): void {
    // Behind those that have finished before.
    this.#unprinted.delete(answer.sage);
    this.#unprinted.set(answer.sage, answer);
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
      const heard = sage === undefined ? undefined : this.#unprinted.get(sage);
      if (sage === undefined || heard === undefined) return;
      this.#floor ??= this.#giveFloor(sage);
      const { text } = this.#floor;
      if (typeof heard === 'string' && !isOver) {
        text.grow(heard);
        return;
      }
      if (typeof heard === 'string') text.finish(heard);
      else this.#end(heard, text, isSpeaking);
      this.#unprinted.delete(sage);
      this.#floor = undefined;
    }
  }

  #next(): string | undefined {
    const waiting = [...this.#unprinted];
    const finished = waiting.find(([, heard]) => typeof heard !== 'string');
    return (finished ?? waiting[0])?.[0];
  }

  #giveFloor(sage: string) {
    const { title, index } = this.of(sage);
    this.#page.print(headingLines(title, this.#page, this.#page.palette.seat(index)));
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
      const line = this.hasShown(why) ? `✗ ${what}, for the same reason.` : `✗ ${what}: ${why}`;
      this.#shownReasons.add(why);
      this.#page.print(noticeLines(line, 'bad', this.#page));
    }
  }
}

/** Above the text when it begins anew. */
const restartNotice = '(starts again)';

/**
 * The lines that are complete go onto the page for good; the last one is its tail. A text that
 * turns out different from what is on the page already is written anew, under a notice.
 */
export class GrowingText {
  readonly #page: Page;
  /** Fixed, so that lines that are on the page stay the lines of this text when the window changes. */
  readonly #width: number;
  #text = '';
  #tail = '';
  #printed: readonly string[] = [];

  constructor(page: Page) {
    this.#page = page;
    this.#width = page.width;
  }

  /** @param text - The whole text so far, as the model wrote it. */
  grow(text: string): void {
    const shown = wholeWords(plainText(text));
    const lines = this.#lines(shown, true);
    if (shown.length < this.#text.length || !this.#continues(lines)) this.#restart();
    this.#text = shown;
    this.#write(lines, lines.length - 1);
  }

  /** Writes what is missing. Without a text, what is on the page is all there is. */
  finish(text?: string): void {
    if (text === undefined) {
      if (this.#tail !== '') this.#page.print([this.#tail]);
    } else {
      const lines = this.#lines(plainText(text).trimEnd());
      if (!this.#continues(lines)) this.#restart();
      this.#write(lines, lines.length);
    }
    this.#page.setTail('');
    this.#tail = '';
  }

  #lines(text: string, isGrowing = false): readonly string[] {
    return proseLines(text, { palette: this.#page.palette, width: this.#width, isGrowing });
  }

  #continues(lines: readonly string[]): boolean {
    return this.#printed.every((line, index) => lines[index] === line);
  }

  #restart(): void {
    if (this.#text.trim() === '') return;
    if (this.#tail !== '') this.#page.print([this.#tail]);
    this.#page.print([this.#page.palette.warning(restartNotice)]);
    this.#printed = [];
    this.#tail = '';
  }

  #write(lines: readonly string[], complete: number): void {
    if (complete > this.#printed.length) {
      this.#page.print(lines.slice(this.#printed.length, complete));
      this.#printed = lines.slice(0, complete);
    }
    this.#tail = lines.slice(this.#printed.length).join('');
    this.#page.setTail(this.#tail);
  }
}
