/** One question from the command line, and one object for programs. */

import type { Writable } from 'node:stream';
import type { Person } from '../../../commands/command.ts';
import type { Choice } from '../../domain/asking.ts';
import type { Platform } from '../platform.ts';
import { type Answered, Conversation } from './conversation.ts';
import { LivePage, type TerminalOutput } from './live-page.ts';
import { createPlainPage, isReaderGone, paletteFor } from './page.ts';
import { Presentations } from './presentations.ts';
import { onPage, terminalPlace } from './terminal.ts';

export interface OneShotOptions {
  readonly output: TerminalOutput;
  /** `live` on a terminal, `plain` in a pipe, `silent` when something else is printed in the end. */
  readonly shown: 'live' | 'plain' | 'silent';
  /** See `wantsColour`. */
  readonly colour: boolean;
  /** Width of what goes into a pipe; absent: lines stay as long as they are. */
  readonly columns?: number | undefined;
  readonly thread: string;
  readonly person: Person;
  readonly question: string;
  readonly choice: Choice;
  /** Paths of files that it is about; absent: none. */
  readonly attached?: readonly string[];
  /** Where files that commands give are saved. */
  readonly filesFolder: string;
}

export interface OneShot extends Platform {
  /** Resolves when the turn has been shown or was refused; rejects when asking or writing fails. */
  readonly finished: Promise<Answered>;
  /** Stops the turn; what was said stays. `false` when none runs (any more). */
  interrupt(): Promise<boolean>;
}

/** Asks one question as soon as it is started. */
export function createOneShot(options: OneShotOptions): OneShot {
  const { output, person, filesFolder } = options;
  const palette = paletteFor(options.colour);
  const livePage = options.shown === 'live' ? new LivePage(output, palette) : undefined;
  const written = options.shown === 'plain' ? output : undefined;
  const page = livePage ?? createPlainPage(written, palette, options.columns);
  const presentations = new Presentations(page);
  const finished = Promise.withResolvers<Answered>();
  let conversation: Conversation | undefined;

  output.on('error', (error) => {
    if (!isReaderGone(error)) finished.reject(error);
    // The reader has gone: answers that are not there yet need not be paid for.
    else conversation?.stop().catch(finished.reject);
  });

  return {
    ...onPage(page, presentations, filesFolder),
    finished: finished.promise,
    async start(ingress) {
      const place = terminalPlace(options.thread);
      conversation = new Conversation({
        ...{ ingress, page, presentations, place, person, commands: [], filesFolder },
      });
      conversation
        .ask(options.question, options.choice, options.attached)
        .finally(() => livePage?.close())
        .then(finished.resolve, finished.reject);
    },
    async stop() {
      livePage?.close();
    },
    async interrupt() {
      return (await conversation?.stop()) ?? false;
    },
  };
}

/**
 * Writes one JSON object and a line feed. Characters that a terminal would obey are escaped, so that
 * it can be looked at as well as parsed.
 */
export function writeJson(output: Writable, value: unknown): void {
  const json = JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  output.write(`${json}\n`);
}
