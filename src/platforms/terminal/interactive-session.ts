/**
 * A conversation with a person at a keyboard. What is typed while a turn runs waits for it, in order.
 * Ctrl-C stops the turn, or empties the line, or (twice) leaves; Ctrl-D leaves.
 */

import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
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

/** What can be completed. */
interface Completable {
  readonly commands: readonly { readonly name: string }[];
  /** Names by which a sage can be addressed at the beginning of a question. */
  readonly sages: readonly string[];
}

/** What a person leaves for: to be gone, or to set models up and come back. */
export type Wish = 'end' | 'setup';

export interface InteractiveSessionOptions extends Completable {
  readonly input: KeyboardInput;
  readonly output: Writable;
  readonly page: LivePage;
  readonly conversation: Conversation;
  readonly history: History;
  /** `setup` alone on a line leaves for the set-up. */
  readonly canSetUp: boolean;
  /** The person has left; the screen is tidy. */
  readonly onLeave: (wish: Wish) => void;
}

export class InteractiveSession {
  readonly #options: InteractiveSessionOptions;
  readonly #editor: LineEditor;
  #waiting: string[] = [];
  /** Says what can be done; empty: nothing. */
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
      complete: (text) => completions(text, options),
      onChange: (choices) => this.#changed(choices),
      onLine: (line) => this.#submit(line),
      onInterrupt: () => this.interrupt(),
      onClear: () => options.page.clear(),
      onEnd: () => this.leave(),
    });
    this.#showInput();
  }

  /** Stops the turn that runs; where none runs, or it is being stopped already, leaves the second time. */
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

  /** Gives the terminal back. What runs or waits is left, and that is said. */
  leave(wish: Wish = 'end'): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const { page, output, onLeave } = this.#options;
    const unasked = this.#waiting.length;
    if (unasked > 0) page.print(['', page.palette.quiet(`${unasked} typed ahead, but not asked.`)]);
    this.#editor.close();
    page.close();
    output.write(markPastes.off);
    onLeave(wish);
  }

  /** Does what a line says, as if it had been typed. */
  submit(line: string): void {
    this.#waiting.push(line);
    void this.#work();
  }

  #submit(line: string): void {
    const text = line.replaceAll(lineBreakMark, '\n').trim();
    if (text === '') return;
    this.#keep(line);
    const word = bareWord(text);
    if (word === 'leave') this.leave();
    else if (this.#options.canSetUp && setUpWord.test(text)) this.leave('setup');
    else if (word === 'stop' && this.#options.conversation.isTurnRunning) this.interrupt();
    else this.submit(text);
  }

  /** Takes what waits, one after another. Never rejects: a conversation says what goes wrong. */
  async #work(): Promise<void> {
    this.#showInput();
    if (this.#isBusy) return;
    this.#isBusy = true;
    let line = this.#waiting.shift();
    while (line !== undefined && !this.#hasLeft) {
      this.#showInput();
      await this.#options.conversation.take(line);
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
    this.#options.history.add(line).catch((error: unknown) => {
      this.#canKeepHistory = false;
      this.#warn('Your input is not saved for next time', error);
    });
  }

  #warn(what: string, error: unknown): void {
    const { page } = this.#options;
    page.print(['', ...noticeLines(`${what}: ${plainReason(error)}`, 'warning', page)]);
  }
}

/** @returns The whole lines that Tab could make of the text, in the order of the lists. */
function completions(text: string, { commands, sages }: Completable): readonly string[] {
  if (text === '') return [];
  const slash = /^\/(council +)?(\S*)$/.exec(text);
  if (slash) {
    const [, council = '', begun = ''] = slash;
    const words = [...commands.map(({ name }) => name), ...leaveWords];
    return words.filter((word) => word.startsWith(begun)).map((word) => `/${council}${word} `);
  }
  const begun = text.toLowerCase();
  return sages.filter((name) => name.toLowerCase().startsWith(begun)).map((name) => `${name}: `);
}

/** How many lines are offered; the file is cut back to them when it has twice as many. */
const mostLines = 1000;

interface History {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Keeps one more line. Throws the system's error when the file can't be written. */
  add(line: string): Promise<unknown>;
}

/**
 * @param path - Made when the first line is added, readable for its owner alone; without one
 *   nothing is kept.
 * @throws The system's error when the file is there and can't be read.
 */
export async function openHistory(path: string | undefined): Promise<History> {
  if (path === undefined) return { lines: [], async add() {} };
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const all = text.split('\n').filter((line) => line !== '');
  const lines = all.slice(-mostLines);
  if (all.length > 2 * mostLines) await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  let last: Promise<unknown> | undefined;
  return {
    lines: lines.toReversed(),
    add(line) {
      last ??= mkdir(dirname(path), { recursive: true, mode: 0o700 });
      last = last.then(() => appendFile(path, `${line}\n`, { mode: 0o600 }));
      return last;
    },
  };
}
