/**
 * Edits the line that a person types: Node's own editor with its keys, history and completion, but
 * without its drawing. Where the line is shown is for the page to decide.
 */

import { createInterface } from 'node:readline';
import { Transform, type TransformCallback, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { lineBreakMark } from './input-layout.ts';
import { plainText } from './plain-text.ts';

export interface LineEditorOptions {
  readonly input: KeyboardInput;
  /** Newest first. */
  readonly history: readonly string[];
  /** What the text up to the cursor could become. */
  readonly complete: (text: string) => readonly string[];
  /** The line or the place in it has changed; `choices` are what Tab could not decide between. */
  readonly onChange: (choices: readonly string[]) => void;
  readonly onLine: (line: string) => void;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
  /** Ctrl-L. */
  readonly onClear: () => void;
  /** Ctrl-D on an empty line, or nothing more can be typed. */
  readonly onEnd: () => void;
}

export interface LineEditor {
  readonly text: string;
  /** Place in the text, in UTF-16 units. */
  readonly cursor: number;
  erase(): void;
  /** Gives the keyboard back. Does not call `onEnd`. */
  close(): void;
}

/** Keeps nothing of what is written. */
function nowhere(): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
}

export function createLineEditor(options: LineEditorOptions): LineEditor {
  let choices: readonly string[] = [];
  let isClosed = false;
  const keys = new PasteFilter(options.input);
  const editor = createInterface({
    input: keys,
    output: nowhere(),
    terminal: true,
    history: [...options.history],
    removeHistoryDuplicates: true,
    completer(text: string): [string[], string] {
      const found = [...options.complete(text)];
      choices = found.length > 1 ? found : [];
      return [found, text];
    },
  });
  keys.on('keypress', (_text: string | undefined, key: { ctrl?: boolean; name?: string }) => {
    if (isClosed) return;
    if (key.ctrl && key.name === 'l') options.onClear();
    else if (!(key.ctrl && key.name === 'c')) options.onChange(choices);
    choices = [];
  });
  editor.on('line', options.onLine);
  editor.on('SIGINT', options.onInterrupt);
  // The shell would take over the screen while the parent of this process still waits for it.
  editor.on('SIGTSTP', () => {});
  editor.on('close', () => {
    if (!isClosed) options.onEnd();
  });
  return {
    get text() {
      return editor.line;
    },
    get cursor() {
      return editor.cursor;
    },
    erase() {
      editor.write(null, { ctrl: true, name: 'e' });
      editor.write(null, { ctrl: true, name: 'u' });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      editor.close();
      keys.release();
    },
  };
}

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
class PasteFilter extends Transform {
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
