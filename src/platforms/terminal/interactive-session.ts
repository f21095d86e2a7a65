/**
 * A conversation with a person at a keyboard. Lines typed while a turn runs are queued.
 * Ctrl-C stops the turn, else clears the line, else (pressed twice) quits; Ctrl-D quits.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { bareWord, leaveWords } from '../chat/text/spoken-line.ts';
import { fitLine } from '../chat/text/text-width.ts';
import type { Conversation } from './conversation.ts';
import {
  createLineEditor,
  type KeyboardInput,
  layOutInput,
  lineBreakMark,
  markPastes,
} from './line-editor.ts';
import type { LivePage } from './live-page.ts';
import { noticeLines } from './prose.ts';
import { plainName, plainReason } from './terminal-text.ts';

const placeholders = {
  idle: 'Ask the council, or /help',
  offering: 'A number, a question, or /help',
  playing: 'any key skips',
  running: 'type ahead, or stop with Ctrl-C',
} as const;
const setUpWord = /^\/?(?:council +)?setup$/;
const forgetsAll = /^\/?(?:council +)?memory +forget +(?:mine|me|myself|my \w+|channel) .*confirm/i;
const leaveHint = 'Ctrl-C again quits.';
const stoppingHint = 'Stopping the turn. Ctrl-C again quits.';

/** Why a conversation ended: for good, for the set-up (after which it resumes), or because its first line failed. */
export type ExitReason = 'end' | 'setup' | 'failed';

export interface InteractiveSessionOptions {
  readonly input: KeyboardInput;
  readonly output: Writable;
  readonly page: LivePage;
  readonly conversation: Conversation;
  /** File for the input history, created with the first line and readable by its owner only. */
  readonly historyPath: string;
  /** Tab completes their names. */
  readonly commands: readonly { readonly name: string }[];
  /** Called when the person has left and the screen is restored. */
  readonly onLeave: (reason: ExitReason) => void;
}

export type InteractiveSession = ReturnType<typeof interactiveSession>;

export function interactiveSession(options: InteractiveSessionOptions) {
  const { input, output, page, conversation, commands, onLeave } = options;
  const waiting: string[] = [];
  /** Shown above the input; may be empty. */
  let hint = '';
  let isBusy = false;
  let isStopping = false;
  let mayLeave = false;
  let hasLeft = false;
  let hasHistory = true;
  const history = withHistory(readHistory) ?? [];
  output.write(markPastes.on);
  const editor = createLineEditor({
    input,
    history,
    complete: (text) => completions(text, commands),
    onChange: change,
    onLine: enter,
    onInterrupt: interrupt,
    onClear: () => page.clear(),
    onEnd: () => leave(),
  });
  showInput();

  /** Handles Ctrl-C: stops the running turn, clears the line, or quits the second time. */
  function interrupt(): void {
    if (isStopping || mayLeave) {
      leave();
    } else if (conversation.isTurnRunning) {
      isStopping = true;
      hint = stoppingHint;
      conversation.stop().catch((error: unknown) => warn('The turn was not stopped', error));
    } else if (editor.text !== '') {
      editor.erase();
    } else {
      mayLeave = true;
      hint = leaveHint;
    }
    showInput();
  }

  /** Restores the terminal. Warns about queued lines, which are dropped. */
  function leave(reason: ExitReason = 'end'): void {
    if (hasLeft) return;
    hasLeft = true;
    const dropped = waiting.length;
    if (dropped > 0) page.print(['', page.palette.quiet(`${dropped} typed ahead, but not asked.`)]);
    editor.close();
    page.close();
    output.write(markPastes.off);
    onLeave(reason);
  }

  /** Handles a line as if it had been typed. */
  function submit(line: string): void {
    waiting.push(line);
    void work();
  }

  function enter(line: string): void {
    const text = line.replaceAll(lineBreakMark, '\n').trim();
    if (text === '') return;
    withHistory((path) => writeHistory(path, `${line}\n`, 'a'));
    const word = bareWord(text);
    if (word === 'leave') leave();
    else if (setUpWord.test(text)) leave('setup');
    else if (word === 'stop' && conversation.isTurnRunning) interrupt();
    else submit(text);
  }

  /** Handles the queued lines one after another. Never rejects: the conversation prints errors. */
  async function work(): Promise<void> {
    showInput();
    if (isBusy) return;
    isBusy = true;
    let line = waiting.shift();
    while (line !== undefined && !hasLeft) {
      showInput();
      await conversation.handle(line);
      if (forgetsAll.test(line)) {
        history.length = 0;
        withHistory((path) => writeHistory(path, ''));
      }
      isStopping = false;
      hint = '';
      line = waiting.shift();
    }
    isBusy = false;
    showInput();
  }

  function change(choices: readonly string[]): void {
    if (conversation.skip()) editor.erase();
    if (!isStopping) {
      mayLeave = false;
      hint = choices.map((choice) => choice.trim()).join('   ');
    }
    showInput();
  }

  function showInput(): void {
    if (hasLeft) return;
    page.setInput((columns, maxRows) => {
      const running = conversation.isPlaying ? placeholders.playing : placeholders.running;
      const idle = conversation.isOffering ? placeholders.offering : placeholders.idle;
      const placeholder = isBusy ? running : idle;
      const typedAhead = waiting.map((line) => `  then: ${plainName(line)}`);
      const above = [...typedAhead, ...(hint === '' ? [] : [hint])];
      const rows = Math.max(1, maxRows - above.length);
      const shown = layOutInput(editor, placeholder, page.palette, columns, rows);
      const quiet = above.map((line) => page.palette.quiet(fitLine(line, columns)));
      const cursorRow = quiet.length + shown.cursorRow;
      return { ...shown, cursorRow, lines: [...quiet, ...shown.lines] };
    });
  }

  /** A failure is told once; then there is no history. */
  function withHistory<Result>(use: (path: string) => Result): Result | undefined {
    if (!hasHistory) return undefined;
    try {
      return use(options.historyPath);
    } catch (error) {
      hasHistory = false;
      warn("Your input history can't be used", error);
      return undefined;
    }
  }

  function warn(what: string, error: unknown): void {
    page.print(['', ...noticeLines(`${what}: ${plainReason(error)}`, 'warning', page)]);
  }

  return { interrupt, leave, submit };
}

/** @returns The whole lines that Tab can complete the text to. */
function completions(
  text: string,
  commands: InteractiveSessionOptions['commands'],
): readonly string[] {
  const [, begin, begun = ''] = /^(\/(?:council +)?)(\S*)$/.exec(text) ?? [];
  if (begin === undefined) return [];
  const words = [...commands.map(({ name }) => name), ...leaveWords];
  return words.filter((word) => word.startsWith(begun)).map((word) => `${begin}${word} `);
}

/** How many lines of history are offered. The file is trimmed to them when it has twice as many. */
const mostLines = 1000;

/** Returns what was typed before, newest first. Throws the system's error, as {@link writeHistory} does. */
function readHistory(path: string): string[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const all = text.split('\n').filter((line) => line !== '');
  const lines = all.slice(-mostLines);
  if (all.length > 2 * mostLines) writeHistory(path, `${lines.join('\n')}\n`);
  return lines.toReversed();
}

/** Replaces the file, or appends to it with the flag `a`. */
function writeHistory(path: string, text: string, flag = 'w'): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { flag, mode: 0o600 });
}
