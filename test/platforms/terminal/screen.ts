import { Writable } from 'node:stream';
import { graphemes, widthOf } from '../../../src/platforms/chat/text/text-width.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes that a terminal obeys
const token = /\u001b\[(\??)(\d*)([A-Za-z])|\r|\n|[^\u001b\r\n]+/g;

/**
 * A terminal of endless height that obeys what the page uses, and throws at any other control
 * character: what a person sees is `text`.
 */
export class Screen extends Writable {
  readonly isTTY = true;
  columns: number;
  rows = 24;
  /** How often a screen was erased from its very beginning on: tmux then keeps it among what has scrolled away. */
  timesKept = 0;
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    super({ decodeStrings: false });
    this.columns = columns;
  }

  /** The rows without spaces at their ends, and without empty ones at the bottom. */
  get text(): string {
    const rows = this.#lines.map((line) =>
      Array.from(line, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
    return rows.join('\n').trimEnd();
  }

  /** Where the next character would go. */
  get cursor(): { readonly row: number; readonly column: number } {
    return { row: this.#row, column: this.#column };
  }

  override _write(chunk: string, _encoding: string, done: (error?: Error) => void): void {
    try {
      let end = 0;
      for (const match of chunk.matchAll(token)) {
        if (match.index !== end) throw new Error(`Not obeyed: ${JSON.stringify(chunk.slice(end))}`);
        end = match.index + match[0].length;
        this.#obey(match[0], match[1] === '?', Number(match[2] || 1), match[3]);
      }
      if (end !== chunk.length) throw new Error(`Not obeyed: ${JSON.stringify(chunk.slice(end))}`);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #obey(text: string, isMode: boolean, count: number, letter: string | undefined): void {
    if (isMode || letter === 'm') return;
    if (text === '\r') this.#column = 0;
    else if (text === '\n') this.#down();
    else if (letter === 'A') this.#row -= count;
    else if (letter === 'C') this.#column += count;
    else if (letter === 'J') this.#clear(text.includes('2'));
    else if (letter === 'K') this.#cutLine();
    else if (letter === 'H') this.#row = this.#column = 0;
    else if (letter === undefined) this.#put(text);
    else throw new Error(`Not obeyed: ${JSON.stringify(text)}`);
    if (this.#row < 0) throw new Error('The cursor left the screen at its top.');
  }

  #down(): void {
    this.#row += 1;
    this.#lines[this.#row] ??= [];
  }

  #clear(isWhole: boolean): void {
    if (isWhole) this.#lines = [[]];
    else {
      if (this.#row === 0 && this.#column === 0 && this.text !== '') this.timesKept += 1;
      this.#lines.length = this.#row + 1;
      this.#cutLine();
    }
  }

  #cutLine(): void {
    const line = this.#lines[this.#row];
    if (line) line.length = Math.min(line.length, this.#column);
  }

  #put(text: string): void {
    for (const grapheme of graphemes(text)) {
      const width = widthOf(grapheme);
      if (this.#column + width > this.columns) {
        this.#column = 0;
        this.#down();
      }
      const line = this.#lines[this.#row];
      if (!line) throw new Error('There is no such row.');
      while (line.length < this.#column) line.push(' ');
      line[this.#column] = grapheme;
      if (width === 2) line[this.#column + 1] = '';
      this.#column += width;
    }
  }
}
