/**
 * The input line: Node's `readline` with its keys, history and completion, but without its drawing, which
 * the page does.
 */

import { createInterface, emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import { widthOf } from '../chat/text/text-width.ts';
import type { Block } from './live-page.ts';
import type { Palette } from './page.ts';
import { plainText, unpainted, wrap } from './terminal-text.ts';

/** Replaces line breaks in pasted text, because the editor has a single line. */
export const lineBreakMark = '\u2424';

/** Switches the terminal's bracketed paste mode on and off. */
export const markPastes = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const;

/** An input stream, with raw mode if it is a terminal. */
export interface KeyboardInput extends NodeJS.ReadableStream {
  setRawMode?: (isRaw: boolean) => unknown;
}

export interface LineEditorOptions {
  readonly input: KeyboardInput;
  /** Newest first. Typed lines are added. */
  readonly history: string[];
  /** Returns completions for the text before the cursor. */
  readonly complete: (text: string) => readonly string[];
  /** Called when the line or the cursor has changed; `choices` are the candidates if Tab found several. */
  readonly onChange: (choices: readonly string[]) => void;
  readonly onLine: (line: string) => void;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
  /** Ctrl-L. */
  readonly onClear: () => void;
  /** Ctrl-D on an empty line, or the end of the input. */
  readonly onEnd: () => void;
}

export type LineEditor = ReturnType<typeof createLineEditor>;

export function createLineEditor(options: LineEditorOptions) {
  const { input } = options;
  let choices: readonly string[] = [];
  /** The part of an unfinished paste that has arrived. */
  let pasted: string | undefined;
  let isClosed = false;
  const editor = createInterface({
    // Never written to: keys are passed to the editor one by one, and pastes as a whole.
    input: new PassThrough(),
    terminal: true,
    history: options.history,
    removeHistoryDuplicates: true,
    completer(text: string): [string[], string] {
      const found = [...options.complete(text)];
      choices = found.length > 1 ? found : [];
      return [found, text];
    },
  });
  const onKey = (typed: string | undefined, key: Key) => {
    const isPasteEnd = key.name === 'paste-end';
    if (key.name === 'paste-start') pasted = '';
    else if (pasted !== undefined && !isPasteEnd) pasted += key.sequence ?? '';
    else if (key.ctrl && key.name === 'l') options.onClear();
    else {
      if (isPasteEnd) editor.write(asOneLine(pasted ?? ''));
      else editor.write(typed, key);
      pasted = undefined;
      if (!isClosed && !(key.ctrl && key.name === 'c')) options.onChange(choices);
      choices = [];
    }
  };
  emitKeypressEvents(input, editor);
  input.on('keypress', onKey);
  input.on('end', options.onEnd);
  input.setRawMode?.(true);
  input.resume();
  editor.on('line', options.onLine);
  editor.on('SIGINT', options.onInterrupt);
  // Ctrl-Z would suspend only this process, while its parent (npm) still waits for it.
  editor.on('SIGTSTP', () => {});
  editor.on('close', () => {
    if (!isClosed) options.onEnd();
  });
  return {
    get text() {
      return editor.line;
    },
    /** Index in the text, in UTF-16 units. */
    get cursor() {
      return editor.cursor;
    },
    erase() {
      editor.write(null, { ctrl: true, name: 'e' });
      editor.write(null, { ctrl: true, name: 'u' });
    },
    /** Releases the keyboard. Does not call `onEnd`. */
    close() {
      if (isClosed) return;
      isClosed = true;
      editor.close();
      input.off('keypress', onKey);
      input.off('end', options.onEnd);
      input.setRawMode?.(false);
      // Reading from the keyboard would keep the process alive.
      input.pause();
    },
  };
}

function asOneLine(pasted: string): string {
  const text = plainText(pasted.replace(/\r\n?/g, '\n')).replaceAll('\t', '  ');
  return text.replace(/\n+$/, '').replaceAll('\n', lineBreakMark);
}

const prompt = '› ';
const margin = ' '.repeat(prompt.length);
/** Stands where the cursor is. It has no width, and no text contains it. */
const cursorMark = '\u0000';

/**
 * Lays out the input line with its cursor.
 *
 * @param placeholder - Shown while the line is empty.
 * @param columns - At least 4.
 * @param maxRows - At least 1. If the text is longer, the rows around the cursor are shown.
 */
export function layOutInput(
  { text, cursor }: Pick<LineEditor, 'text' | 'cursor'>,
  placeholder: string,
  palette: Palette,
  columns: number,
  maxRows: number,
): Block {
  const parts = [text.slice(0, cursor), text.slice(cursor)].map((part) =>
    plainText(part.replaceAll('\t', ' ')),
  );
  const isShort = placeholder.length <= columns - prompt.length;
  const hint = text === '' && isShort ? placeholder : '';
  // At the end of the text, the cursor itself takes a column.
  const end = cursor < text.length || hint !== '' ? '' : ' ';
  const lines = (parts.join(cursorMark) + end).split(lineBreakMark);
  const rows = lines.flatMap((line, index) => {
    const mark = { text: index < lines.length - 1 ? '↵' : hint, paint: palette.quiet };
    const first = index === 0 ? palette.strong(prompt) : margin;
    const layout = { width: columns, first, next: margin, isVerbatim: true };
    return wrap([{ text: line, paint: unpainted }, mark], layout);
  });
  const cursorRow = rows.findIndex((row) => row.includes(cursorMark));
  const [before = ''] = rows[cursorRow]?.split(cursorMark) ?? [];
  const first = Math.max(0, Math.min(cursorRow - maxRows + 1, rows.length - maxRows));
  return {
    lines: rows.slice(first, first + maxRows).map((row) => row.replace(cursorMark, '')),
    cursorRow: cursorRow - first,
    cursorColumn: widthOf(before),
  };
}
