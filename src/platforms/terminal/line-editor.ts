/**
 * Edits the line that a person types: Node's own editor with its keys, history and completion, but
 * without its drawing. Where the line is shown is for the page to decide.
 */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type KeyboardInput, PasteFilter } from './paste-filter.ts';

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
  // The shell would take over the screen while whoever started this process goes on waiting for it.
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
