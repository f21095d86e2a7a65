/** Makes one line of what is pasted, so that a pasted question of many lines is one question. */

import { Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { lineBreakMark } from './input-layout.ts';
import { plainText } from './plain-text.ts';

/** Asks the terminal to mark what is pasted, and not to any more. */
export const markPastes = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const;

const begin = '\u001b[200~';
const end = '\u001b[201~';

/** A source that can be told not to wait for whole lines, as a terminal can. */
export interface KeyboardInput extends NodeJS.ReadableStream {
  setRawMode?: (isRaw: boolean) => unknown;
}

/** How much of the text's end may be the beginning of a mark that arrives in two parts. */
function heldBack(text: string, mark: string): number {
  for (let length = mark.length - 1; length > 1; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}

function asOneLine(pasted: string): string {
  const text = plainText(pasted.replace(/\r\n?/g, '\n')).replaceAll('\t', '  ');
  return text.replace(/\n+$/, '').replaceAll('\n', lineBreakMark);
}

/** Passes key presses on as they come, and a paste as a whole, its line breaks as {@link lineBreakMark}. */
export class PasteFilter extends Transform {
  readonly #keyboard: KeyboardInput;
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  #isPasting = false;

  constructor(keyboard: KeyboardInput) {
    super();
    this.#keyboard = keyboard;
    keyboard.pipe(this);
  }

  setRawMode(isRaw: boolean): this {
    this.#keyboard.setRawMode?.(isRaw);
    return this;
  }

  /** Reads no more from the keyboard, so that it keeps no process alive. */
  release(): void {
    this.#keyboard.unpipe(this);
    this.#keyboard.pause();
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#text += this.#decoder.write(chunk);
    let mark = this.#isPasting ? end : begin;
    let place = this.#text.indexOf(mark);
    while (place !== -1) {
      this.#pass(this.#text.slice(0, place));
      this.#text = this.#text.slice(place + mark.length);
      this.#isPasting = !this.#isPasting;
      mark = this.#isPasting ? end : begin;
      place = this.#text.indexOf(mark);
    }
    if (!this.#isPasting) {
      const ready = this.#text.length - heldBack(this.#text, begin);
      this.#pass(this.#text.slice(0, ready));
      this.#text = this.#text.slice(ready);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#pass(this.#text);
    done();
  }

  #pass(text: string): void {
    const passed = this.#isPasting ? asOneLine(text) : text;
    if (passed !== '') this.push(passed);
  }
}
