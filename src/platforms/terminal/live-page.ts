/**
 * A page on a terminal. Finished lines scroll away upward and are never touched again; below them is
 * a block that is drawn anew whenever it has changed: the line that still grows, the status, and what
 * the person types. Each drawing is one write, so nothing flickers.
 */

import type { Writable } from 'node:stream';
import { fitLine, widthOf } from '../chat/text/text-width.ts';
import type { Page, Palette, StatusForms } from './page.ts';

const drawDelayMs = 30;
const tickMs = 250;
/** Longer lines are tiring to read. */
const maxTextColumns = 96;

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearRight = '\u001b[K';
/** At the top of the screen some terminals take this for a wish to keep the screen among what has scrolled away. */
const clearBelow = '\u001b[J';
const clearScreen = '\u001b[2J\u001b[H';
const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const right = (columns: number) => (columns > 0 ? `\u001b[${columns}C` : '');

/** A stream with a size, as `process.stdout` is on a terminal. */
export interface TerminalOutput extends Writable {
  readonly columns?: number;
  readonly rows?: number;
}

/** Lines below the text, and where the cursor stands in them. */
export interface Block {
  readonly lines: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

/** Lays out what the person types, for so many columns and, where it can, at most so many rows. */
export type InputForm = (columns: number, maxRows: number) => Block;

const emptyBlock: Block = { lines: [], cursorRow: 0, cursorColumn: 0 };

export class LivePage implements Page {
  readonly isLive = true;
  readonly palette: Palette;
  readonly #output: TerminalOutput;
  #drawn = emptyBlock;
  #printed: string[] = [];
  #tail = '';
  #status: StatusForms | undefined;
  #input: InputForm | undefined;
  #drawTimer: NodeJS.Timeout | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #onResize = () => this.#redraw();

  constructor(output: TerminalOutput, palette: Palette) {
    this.#output = output;
    this.palette = palette;
    output.on('resize', this.#onResize);
  }

  get width(): number {
    return Math.min(this.#columns, maxTextColumns);
  }

  /** One less than there are: a full line would leave the cursor between two rows. */
  get #columns(): number {
    return Math.max(20, (this.#output.columns ?? 80) - 1);
  }

  print(lines: readonly string[]): void {
    this.#printed.push(...lines);
    this.#drawSoon();
  }

  setTail(line: string): void {
    this.#tail = line;
    this.#drawSoon();
  }

  setStatus(status: StatusForms | undefined): void {
    this.#status = status;
    clearInterval(this.#tickTimer);
    if (this.#isClosed) return;
    this.#tickTimer = status && setInterval(() => this.#redraw(), tickMs).unref();
    this.#drawSoon();
  }

  /** Shows what a person types, and what belongs to it; drawn at once, so that typing feels immediate. */
  setInput(input: InputForm | undefined): void {
    this.#input = input;
    this.#redraw();
  }

  /** Empties the screen but for the block. */
  clear(): void {
    this.#output.write(clearScreen);
    this.#drawn = emptyBlock;
    this.#redraw();
  }

  /**
   * Draws what is still to be drawn, takes the block away and leaves the cursor below the text. From
   * then on the screen belongs to other programs, and nothing more is drawn.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#output.off('resize', this.#onResize);
    clearInterval(this.#tickTimer);
    if (this.#tail !== '') this.#printed.push(this.#tail);
    this.#tail = '';
    this.#status = undefined;
    this.#input = undefined;
    this.#redraw();
    this.#isClosed = true;
  }

  #drawSoon(): void {
    if (!this.#isClosed) this.#drawTimer ??= setTimeout(() => this.#redraw(), drawDelayMs);
  }

  #redraw(): void {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = undefined;
    if (this.#isClosed) return;
    const block = this.#block();
    const frame =
      up(this.#rowsAboveCursor()) +
      '\r' +
      [...this.#printed, ...block.lines].map((line) => `${line}${clearRight}`).join('\r\n') +
      (block.lines.length === 0 && this.#printed.length > 0 ? '\r\n' : '') +
      clearBelow +
      up(block.lines.length - 1 - block.cursorRow) +
      `\r${right(block.cursorColumn)}`;
    this.#printed = [];
    this.#drawn = block;
    this.#output.write(hideCursor + frame + showCursor);
  }

  #block(): Block {
    const columns = this.#columns;
    const above: string[] = [];
    if (this.#tail !== '') above.push(fitLine(this.#tail, columns));
    const forms = this.#status?.() ?? [];
    const status = forms.find((form) => widthOf(form) <= columns) ?? forms.at(-1);
    if (status !== undefined || this.#input) above.push('');
    if (status !== undefined) above.push(fitLine(status, columns));
    if (!this.#input) {
      return above.length === 0
        ? emptyBlock
        : { lines: [...above, ''], cursorRow: above.length, cursorColumn: 0 };
    }
    const maxRows = Math.max(1, (this.#output.rows ?? 24) - above.length - 2);
    const input = this.#input(columns, maxRows);
    return {
      lines: [...above, ...input.lines],
      cursorRow: above.length + input.cursorRow,
      cursorColumn: input.cursorColumn,
    };
  }

  /** A terminal that has become narrower has broken the drawn lines into more rows. */
  #rowsAboveCursor(): number {
    const columns = Math.max(1, this.#output.columns ?? 80);
    const above = this.#drawn.lines
      .slice(0, this.#drawn.cursorRow)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return above + Math.floor(this.#drawn.cursorColumn / columns);
  }
}
