/**
 * A page on a terminal. Printed lines scroll up and are never redrawn. Below them is a block that is redrawn
 * on every change: the growing lines, the status and the input. Each redraw is a single write, to avoid flicker.
 */

import type { Writable } from 'node:stream';
import { fitLine, widthOf } from '../chat/text/text-width.ts';
import type { Page, Palette, Status } from './page.ts';

const drawDelayMs = 30;
const tickMs = 250;
/** Longer lines are tiring to read. */
const maxTextColumns = 96;

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearRight = '\u001b[K';
/** At the top of the screen, some terminals respond by copying the screen to their scrollback. */
const clearBelow = '\u001b[J';
const clearScreen = '\u001b[2J\u001b[H';
const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const right = (columns: number) => (columns > 0 ? `\u001b[${columns}C` : '');

/** An output stream, with a size if it is a terminal. */
export interface TerminalOutput extends Writable {
  readonly columns?: number;
  readonly rows?: number;
  readonly isTTY?: boolean;
}

/** Lines below the text, with the cursor's position in them. */
export interface Block {
  readonly lines: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

/** Lays out the input for a width and, where possible, at most `maxRows` rows. */
export type InputForm = (columns: number, maxRows: number) => Block;

const emptyBlock: Block = { lines: [], cursorRow: 0, cursorColumn: 0 };
/** The row of the cursor below the status. */
const noInput: Block = { lines: [''], cursorRow: 0, cursorColumn: 0 };

export class LivePage implements Page {
  readonly isLive = true;
  readonly printsStages = false;
  readonly palette: Palette;
  readonly #output: TerminalOutput;
  #drawn = emptyBlock;
  #printed: string[] = [];
  #tail: readonly string[] = [];
  #status: Status | undefined;
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

  get takesCommands(): boolean {
    return this.#input !== undefined;
  }

  get width(): number {
    return Math.min(this.#columns, maxTextColumns);
  }

  /** One less than the terminal has: after a full line, the cursor's row would be ambiguous. */
  get #columns(): number {
    return Math.max(20, (this.#output.columns ?? 80) - 1);
  }

  print(lines: readonly string[]): void {
    this.#printed.push(...lines);
    this.#drawSoon();
  }

  setTail(lines: readonly string[]): void {
    this.#tail = lines;
    this.#drawSoon();
  }

  setStatus(status: Status | undefined): void {
    this.#status = status;
    clearInterval(this.#tickTimer);
    if (this.#isClosed) return;
    this.#tickTimer = status && setInterval(() => this.#redraw(), tickMs).unref();
    this.#drawSoon();
  }

  /** Shows the input. Draws immediately, so that typing feels responsive. */
  setInput(input: InputForm | undefined): void {
    this.#input = input;
    this.#redraw();
  }

  /** Clears the screen, except the block. */
  clear(): void {
    this.#output.write(clearScreen);
    this.#drawn = emptyBlock;
    this.#redraw();
  }

  /**
   * Draws pending lines, removes the block and leaves the cursor below the text. Nothing is drawn afterwards,
   * as other programs use the screen then.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#output.off('resize', this.#onResize);
    clearInterval(this.#tickTimer);
    this.#printed.push(...this.#tail);
    this.#tail = [];
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

  /** Of a tail that is too long for the screen, the last lines are drawn. */
  #block(): Block {
    const columns = this.#columns;
    const rows = this.#output.rows ?? 24;
    const status = this.#status?.();
    const below = status === undefined ? [] : [this.palette.quiet(fitLine(status, columns))];
    if (status !== undefined || this.#input) below.unshift('');
    const maxRows = Math.max(1, rows - below.length - 3);
    const input = this.#input?.(columns, maxRows) ?? noInput;
    const tailRows = Math.max(1, rows - below.length - input.lines.length - 1);
    const tail = this.#tail.slice(-tailRows).map((line) => fitLine(line, columns));
    const above = [...tail, ...below];
    if (above.length === 0 && !this.#input) return emptyBlock;
    return {
      lines: [...above, ...input.lines],
      cursorRow: above.length + input.cursorRow,
      cursorColumn: input.cursorColumn,
    };
  }

  /** Counts rows, not lines: a terminal that became narrower has wrapped the drawn lines. */
  #rowsAboveCursor(): number {
    const columns = Math.max(1, this.#output.columns ?? 80);
    const above = this.#drawn.lines
      .slice(0, this.#drawn.cursorRow)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return above + Math.floor(this.#drawn.cursorColumn / columns);
  }
}
