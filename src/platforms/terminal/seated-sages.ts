/** Prints the answers of the sages and the chair as they grow, one at a time. */

import type { TurnWords } from '../../domain/languages/english.ts';
import type { SageAnswer, Seat } from '../../domain/turn.ts';
import { wholeWords } from '../../domain/words.ts';
import type { Page } from './page.ts';
import { headingLines, noticeLines, type ProseLayout, proseLines, wholeLines } from './prose.ts';
import { plainName, plainText } from './terminal-text.ts';

/** How a sage is shown. */
export interface SeatedSage {
  /** The name, with the sage's emoji if there is one. */
  readonly title: string;
  readonly name: string;
  /** Index among the seats. */
  readonly index: number;
}

/**
 * Gives the floor to one sage at a time. Several write at once: the first to start is shown as it writes, and
 * the others follow when it has ended, finished ones first.
 */
export class SeatedSages {
  /** In the language of the turn. */
  readonly words: TurnWords;
  readonly #page: Page;
  readonly #known = new Map<string, SeatedSage>();
  #floor: { readonly sage: string; readonly text: GrowingText } | undefined;
  /** Answers not yet printed in full, by sage; a string is still growing. */
  readonly #unprinted = new Map<string, SageAnswer | string>();
  /** Reasons of failures that have been shown. */
  readonly #shownReasons = new Set<string>();

  constructor(page: Page, words: TurnWords) {
    this.#page = page;
    this.words = words;
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

  /** Whether a failure with this reason has been shown. */
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
    // Reinserted behind those that finished before.
    this.#unprinted.delete(answer.sage);
    this.#unprinted.set(answer.sage, answer);
    this.#show();
  }

  /** Prints all remaining answers in full. */
  close(): void {
    this.#show(true);
  }

  #show(isOver = false): void {
    for (;;) {
      const isSpeaking = this.#floor !== undefined;
      const sage = this.#floor?.sage ?? this.#next();
      const answer = sage === undefined ? undefined : this.#unprinted.get(sage);
      if (sage === undefined || answer === undefined) return;
      this.#floor ??= this.#giveFloor(sage);
      const { text } = this.#floor;
      if (typeof answer === 'string' && !isOver) {
        text.grow(answer);
        return;
      }
      if (typeof answer === 'string') text.finish(answer);
      else this.#end(answer, text, isSpeaking);
      this.#unprinted.delete(sage);
      this.#floor = undefined;
    }
  }

  #next(): string | undefined {
    const waiting = [...this.#unprinted];
    const finished = waiting.find(([, answer]) => typeof answer !== 'string');
    return (finished ?? waiting[0])?.[0];
  }

  #giveFloor(sage: string) {
    const { title, index } = this.of(sage);
    this.#page.print(headingLines(title, this.#page, this.#page.palette.seat(index)));
    return { sage, text: new GrowingText(this.#page) };
  }

  /** @param isSpeaking - Whether part of the answer may be printed already. */
  #end(answer: SageAnswer, text: GrowingText, isSpeaking: boolean): void {
    const { status } = answer;
    const isEmpty = status === 'failed' || answer.answer.trim() === '';
    text.finish(isEmpty ? undefined : answer.answer);
    if (status === 'stopped') {
      const where = isEmpty && !isSpeaking ? 'before it said anything' : 'here';
      this.#page.print(noticeLines(`(stopped ${where})`, 'warning', this.#page));
    } else if (status === 'failed') {
      const why = plainText(answer.answer)
        .replace(/^Error: /, '')
        .trim();
      const what = isSpeaking ? 'Did not finish' : 'Did not answer';
      const line = this.hasShown(why) ? `✗ ${what}, for the same reason.` : `✗ ${what}: ${why}`;
      this.#shownReasons.add(why);
      this.#page.print(noticeLines(line, 'bad', this.#page));
    }
  }
}

/** Printed before a text whose printed lines have changed. */
const restartNotice = '(starts again)';
/** A mark of Markdown whose word is still growing. */
const openingMark = /(?<!\S)[*_`[]+$/;

/**
 * Prints a growing text: whole lines permanently, the rest as the page's tail. If the text no longer continues the
 * printed lines, it is printed again under a notice.
 */
export class GrowingText {
  readonly #page: Page;
  /** Fixed, so that a resized window does not change the lines that are printed already. */
  readonly #layout: ProseLayout;
  #whole = '';
  #printed: readonly string[] = [];
  #tail: readonly string[] = [];

  constructor(page: Page) {
    this.#page = page;
    this.#layout = { palette: page.palette, width: page.width };
  }

  /** @param text - The whole text so far. */
  grow(text: string): void {
    const shown = plainText(text);
    const whole = wholeLines(shown);
    if (whole !== this.#whole) this.#print(whole);
    this.#whole = whole;
    const begun = wholeWords(shown).replace(openingMark, '');
    this.#tail = this.#rows(begun, { isGrowing: true }).slice(this.#printed.length);
    this.#page.setTail(this.#tail);
  }

  /** Prints the rest of the text. Without a text, ends with what is shown so far. */
  finish(text?: string): void {
    if (text === undefined) this.#page.print(this.#tail);
    else this.#print(withoutBlankEnd(plainText(text)));
    this.#tail = [];
    this.#page.setTail([]);
  }

  #print(text: string): void {
    const rows = this.#rows(text);
    if (this.#printed.some((row, index) => rows[index] !== row)) {
      this.#page.print([this.#page.palette.warning(restartNotice)]);
      this.#printed = [];
    }
    this.#page.print(rows.slice(this.#printed.length));
    this.#printed = rows;
  }

  #rows(text: string, more: Pick<ProseLayout, 'isGrowing'> = {}): readonly string[] {
    return text === '' ? [] : proseLines(text, { ...this.#layout, ...more });
  }
}

/** Leaves out blank lines at the end. The last line may be printed already, so its spaces stay. */
function withoutBlankEnd(text: string): string {
  const { length } = text.trimEnd();
  const lineEnd = length === 0 ? 0 : text.indexOf('\n', length);
  return lineEnd === -1 ? text : text.slice(0, lineEnd);
}
