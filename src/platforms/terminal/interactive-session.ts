/**
 * A conversation with a person at a keyboard. Lines typed while a turn runs are queued.
 * Ctrl-C stops the turn, else clears the line, else (pressed twice) quits; Ctrl-D quits.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { bareWord, leaveWords } from '../chat/text/spoken-line.ts';
import { fitLine } from '../chat/text/text-width.ts';
import type { Conversation } from './conversation.ts';
import {
  createLineEditor,
  type KeyboardInput,
  type LineEditor,
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
const leaveHint = 'Ctrl-C again quits.';
const stoppingHint = 'Stopping the turn. Ctrl-C again quits.';

/** Why a conversation ended: for good, for the set-up (after which it resumes), or because its first line failed. */
export type ExitReason = 'end' | 'setup' | 'failed';

export interface InteractiveSessionOptions {
  readonly input: KeyboardInput;
  readonly output: Writable;
  readonly page: LivePage;
  readonly conversation: Conversation;
  readonly history: History;
  /** Tab completes their names. */
  readonly commands: readonly { readonly name: string }[];
  /** Called when the person has left and the screen is restored. */
  readonly onLeave: (reason: ExitReason) => void;
}

export class InteractiveSession {
  readonly #options: InteractiveSessionOptions;
  readonly #editor: LineEditor;
  #waiting: string[] = [];
  /** Shown above the input; may be empty. */
  #hint = '';
  #isBusy = false;
  #isStopping = false;
  #mayLeave = false;
  #hasLeft = false;
  #canKeepHistory = true;

  constructor(options: InteractiveSessionOptions) {
    this.#options = options;
    options.output.write(markPastes.on);
    this.#editor = createLineEditor({
      input: options.input,
      history: options.history.lines,
      complete: (text) => completions(text, options.commands),
      onChange: (choices) => this.#changed(choices),
      onLine: (line) => this.#enter(line),
      onInterrupt: () => this.interrupt(),
      onClear: () => options.page.clear(),
      onEnd: () => this.leave(),
    });
    this.#showInput();
  }

  /** Handles Ctrl-C: stops the running turn, clears the line, or quits the second time. */
  interrupt(): void {
    const { conversation } = this.#options;
    if (this.#isStopping || this.#mayLeave) {
      this.leave();
    } else if (conversation.isTurnRunning) {
      this.#isStopping = true;
      this.#hint = stoppingHint;
      conversation.stop().catch((error: unknown) => this.#warn('The turn was not stopped', error));
    } else if (this.#editor.text !== '') {
      this.#editor.erase();
    } else {
      this.#mayLeave = true;
      this.#hint = leaveHint;
    }
    this.#showInput();
  }

  /** Restores the terminal. Warns about queued lines, which are dropped. */
  leave(reason: ExitReason = 'end'): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const { page, output, onLeave } = this.#options;
    const dropped = this.#waiting.length;
    if (dropped > 0) page.print(['', page.palette.quiet(`${dropped} typed ahead, but not asked.`)]);
    this.#editor.close();
    page.close();
    output.write(markPastes.off);
    onLeave(reason);
  }

  /** Handles a line as if it had been typed. */
  submit(line: string): void {
    this.#waiting.push(line);
    void this.#work();
  }

  #enter(line: string): void {
    const text = line.replaceAll(lineBreakMark, '\n').trim();
    if (text === '') return;
    this.#keep(line);
    const word = bareWord(text);
    if (word === 'leave') this.leave();
    else if (setUpWord.test(text)) this.leave('setup');
    else if (word === 'stop' && this.#options.conversation.isTurnRunning) this.interrupt();
    else this.submit(text);
  }

  /** Handles the queued lines one after another. Never rejects: the conversation prints errors. */
  async #work(): Promise<void> {
    this.#showInput();
    if (this.#isBusy) return;
    this.#isBusy = true;
    let line = this.#waiting.shift();
    while (line !== undefined && !this.#hasLeft) {
      this.#showInput();
      await this.#options.conversation.handle(line);
      this.#isStopping = false;
      this.#hint = '';
      line = this.#waiting.shift();
    }
    this.#isBusy = false;
    this.#showInput();
  }

  #changed(choices: readonly string[]): void {
    if (this.#options.conversation.skip()) this.#editor.erase();
    if (!this.#isStopping) {
      this.#mayLeave = false;
      this.#hint = choices.map((choice) => choice.trim()).join('   ');
    }
    this.#showInput();
  }

  #showInput(): void {
    if (this.#hasLeft) return;
    const { page, conversation } = this.#options;
    page.setInput((columns, maxRows) => {
      const running = conversation.isPlaying ? placeholders.playing : placeholders.running;
      const idle = conversation.isOffering ? placeholders.offering : placeholders.idle;
      const placeholder = this.#isBusy ? running : idle;
      const waiting = this.#waiting.map((line) => `  then: ${plainName(line)}`);
      const above = [...waiting, ...(this.#hint === '' ? [] : [this.#hint])];
      const rows = Math.max(1, maxRows - above.length);
      const input = layOutInput(this.#editor, placeholder, page.palette, columns, rows);
      const quiet = above.map((line) => page.palette.quiet(fitLine(line, columns)));
      const cursorRow = quiet.length + input.cursorRow;
      return { ...input, cursorRow, lines: [...quiet, ...input.lines] };
    });
  }

  #keep(line: string): void {
    if (!this.#canKeepHistory) return;
    try {
      this.#options.history.add(line);
    } catch (error) {
      this.#canKeepHistory = false;
      this.#warn('Your input is not saved for next time', error);
    }
  }

  #warn(what: string, error: unknown): void {
    const { page } = this.#options;
    page.print(['', ...noticeLines(`${what}: ${plainReason(error)}`, 'warning', page)]);
  }
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

interface History {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Appends a line. Throws the system's error if the file can't be written. */
  add(line: string): void;
}

/**
 * @param path - Created with the first line, readable by its owner only.
 * @throws The system's error if the file exists and can't be read.
 */
export function openHistory(path: string): History {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const all = text.split('\n').filter((line) => line !== '');
  const lines = all.slice(-mostLines);
  const mode = 0o600;
  if (all.length > 2 * mostLines) writeFileSync(path, `${lines.join('\n')}\n`, { mode });
  return {
    lines: lines.toReversed(),
    add(line) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      appendFileSync(path, `${line}\n`, { mode });
    },
  };
}
