/** The council in a terminal, or in a pipe: a conversation, or one question from the command line. */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Person, Place } from '../../../commands/command.ts';
import type { Choice } from '../../domain/asking.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import { bareWord } from '../chat/text/spoken-line.ts';
import type { Ingress, Platform } from '../platform.ts';
import { type Answered, Conversation } from './conversation.ts';
import { InteractiveSession, openHistory, type Wish } from './interactive-session.ts';
import type { KeyboardInput } from './line-editor.ts';
import { LivePage, type TerminalOutput } from './live-page.ts';
import { createPlainPage, isReaderGone, paletteFor } from './page.ts';
import { plainReason } from './plain-text.ts';
import { noticeLines, prose } from './prose.ts';
import { offerLines, type Recordings } from './recorded-councils.ts';
import { fileSaver, replyLines } from './reply-lines.ts';
import { Presentations } from './show-turn.ts';

export type { Wish } from './interactive-session.ts';

interface PageOptions {
  readonly output: TerminalOutput;
  /** See `wantsColour`. */
  readonly colour: boolean;
  /** Width of what goes into a pipe; absent: lines stay as long as they are. */
  readonly columns?: number | undefined;
  /** Name of the conversation; the same name goes on with it. */
  readonly thread: string;
  readonly person: Person;
  /** Where files that commands give are saved. */
  readonly filesFolder: string;
}

export interface TerminalOptions extends PageOptions {
  readonly input: Readable & KeyboardInput;
  /** Input and output are both terminals: there is a person who types and watches. */
  readonly interactive: boolean;
  /** Markdown, one line each, shown at the start. */
  readonly welcome: readonly string[];
  readonly commands: readonly KnownCommand[];
  /** Absent: none can be played. */
  readonly recordings?: Recordings;
  /** `setup` alone on a line leaves for the set-up. */
  readonly canSetUp?: boolean;
  /** The line that is taken first; in a pipe it is the only one. */
  readonly first?: string;
  /** Names of the sages, for completing the one that is addressed. */
  readonly sages: readonly string[];
  /** File that keeps what was typed; absent: nothing is kept. Only read where `interactive`. */
  readonly historyPath?: string;
}

export interface Terminal extends Platform {
  /** Resolves when the input has ended and is answered, or the person has left, with what for; rejects when nothing can be written. */
  readonly finished: Promise<Wish>;
  /** Does what Ctrl-C does, for a signal that came another way. */
  interrupt(): void;
}

export interface OneShotOptions extends PageOptions {
  /** `live` on a terminal, `plain` in a pipe, `silent` when something else is printed in the end. */
  readonly shown: 'live' | 'plain' | 'silent';
  readonly question: string;
  readonly choice: Choice;
  /** Paths of files that it is about; absent: none. */
  readonly attached?: readonly string[];
}

export interface OneShot extends Platform {
  /** Resolves when the turn has been shown or was refused; rejects when asking or writing fails. */
  readonly finished: Promise<Answered>;
  /** Stops the turn; what was said stays. `false` when none runs (any more). */
  interrupt(): Promise<boolean>;
}

/** Below the recordings, where nothing else can be shown yet. */
const setUpHint =
  'Type `setup` to set a model up: it finds a local one or takes a key. Or ask anything now, and see who would sit. `/help` lists the commands; Ctrl-D quits.';

/** The place of a conversation in this terminal. */
export function terminalPlace(thread: string): Place {
  return {
    platform: 'terminal',
    workspace: 'local',
    channel: 'chat',
    threadId: `terminal:local:chat:${thread}`,
    isPrivate: true,
  };
}

/** A page on the output, and what a platform on it does whichever way its questions come in. */
function openPage(options: PageOptions, shown: OneShotOptions['shown']) {
  const { output, filesFolder } = options;
  const palette = paletteFor(options.colour);
  const livePage = shown === 'live' ? new LivePage(output, palette) : undefined;
  const written = shown === 'plain' ? output : undefined;
  const page = livePage ?? createPlainPage(written, palette, options.columns);
  const presentations = new Presentations(page);
  const platform: Omit<Platform, 'start' | 'stop'> = {
    name: 'terminal',
    // What was printed is out of reach, and the person at the terminal alone sees it.
    async present(turn, events) {
      if (!turn.isAlreadyShown) await presentations.show(turn, events);
    },
    retract: async () => undefined,
    redraw: async () => undefined,
    post: async () => undefined,
    unpost: async () => undefined,
    hear: async () => undefined,
    // What a person names on their own command line.
    openFile: async (_place, path) => ({ status: 'open', stream: createReadStream(path) }),
    isIn: async () => true,
    linkTo: () => undefined,
    sageChanged: () => undefined,
    async reply(_place, reply) {
      page.print(await replyLines(reply, page, fileSaver(filesFolder)));
    },
  };
  return {
    ...{ livePage, page, platform },
    converse(
      ingress: Ingress,
      more: { readonly commands: readonly KnownCommand[]; readonly recordings?: Recordings },
    ) {
      const { person, thread } = options;
      const place = terminalPlace(thread);
      return new Conversation({
        ...{ ingress, page, presentations, place, person, filesFolder, ...more },
      });
    },
  };
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { input, output, interactive, commands, sages, recordings, first } = options;
  const { livePage, page, platform, converse } = openPage(options, interactive ? 'live' : 'plain');
  const finished = Promise.withResolvers<Wish>();
  const ending = new AbortController();
  let session: InteractiveSession | undefined;

  output.on('error', (error) => {
    ending.abort();
    if (isReaderGone(error)) finished.resolve('end');
    else finished.reject(error);
  });

  return {
    ...platform,
    finished: finished.promise,
    async start(ingress) {
      const conversation = converse(ingress, { commands, ...(recordings ? { recordings } : {}) });
      page.print(options.welcome.flatMap((line) => prose(line, page)));
      if (!livePage) {
        const lines = first === undefined ? input : Readable.from([first]);
        answerLines(lines, conversation, ending.signal).then(
          () => finished.resolve('end'),
          finished.reject,
        );
        return;
      }
      if (recordings?.isNumberEnough) {
        page.print(['', ...offerLines(recordings, page), '', ...prose(setUpHint, page)]);
      }
      const history = await openHistory(options.historyPath).catch((error: unknown) => {
        const why = `Your input history can't be read: ${plainReason(error)}`;
        page.print(noticeLines(why, 'warning', page));
        return openHistory(undefined);
      });
      session = new InteractiveSession({
        ...{ input, output, page: livePage, conversation, history, commands, sages },
        canSetUp: options.canSetUp === true,
        onLeave: finished.resolve,
      });
      if (first !== undefined) session.submit(first);
    },
    async stop() {
      ending.abort();
      session?.leave();
      livePage?.close();
      if (!session) finished.resolve('end');
    },
    interrupt() {
      if (session) session.interrupt();
      else {
        ending.abort();
        finished.resolve('end');
      }
    },
  };
}

/** Asks one question as soon as it is started. */
export function createOneShot(options: OneShotOptions): OneShot {
  const { livePage, platform, converse } = openPage(options, options.shown);
  const finished = Promise.withResolvers<Answered>();
  let conversation: Conversation | undefined;

  options.output.on('error', (error) => {
    if (!isReaderGone(error)) finished.reject(error);
    // The reader has gone: answers that are not there yet need not be paid for.
    else conversation?.stop().catch(finished.reject);
  });

  return {
    ...platform,
    finished: finished.promise,
    async start(ingress) {
      conversation = converse(ingress, { commands: [] });
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
 * Takes one line after another, each when the one before is done; empty lines are passed over.
 *
 * @param signal - Aborted: reads no more. The line that is being answered is still answered.
 * @returns When the input has ended and everything has been answered.
 */
async function answerLines(
  input: Readable,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<void> {
  const lines = createInterface({ input, crlfDelay: Infinity, terminal: false, signal });
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (signal.aborted || bareWord(text) === 'leave') break;
      if (text !== '') await conversation.take(text);
    }
  } finally {
    lines.close();
  }
}
