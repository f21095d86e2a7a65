/** Writes one text onto a page while it grows. */

import type { Page } from './page.ts';
import { plainText } from './plain-text.ts';
import { proseLines, wholeWords } from './prose.ts';

/** Above the text when it begins anew. */
export const restartNotice = '(starts again)';

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
    return this.#printed.every((line, place) => lines[place] === line);
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
