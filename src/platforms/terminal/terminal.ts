/** The council in a terminal or a pipe: a conversation, or one question from the command line. */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Person, Place } from '../../../commands/command.ts';
import type { Choice } from '../../domain/asking.ts';
import { partsOf } from '../../domain/thread-id.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import { bareWord } from '../chat/text/spoken-line.ts';
import type { Ingress, Platform } from '../platform.ts';
import {
  type Answered,
  type Conversation,
  type ConversationOptions,
  conversationOf,
} from './conversation.ts';
import {
  type ExitReason,
  type InteractiveSession,
  interactiveSession,
} from './interactive-session.ts';
import type { KeyboardInput } from './line-editor.ts';
import { LivePage, type TerminalOutput } from './live-page.ts';
import { createPlainPage, isReaderGone, paletteFor } from './page.ts';
import { prose } from './prose.ts';
import { type Recordings, recordingLines } from './recorded-councils.ts';
import { presentationsOn } from './show-turn.ts';

interface PageOptions {
  readonly output: TerminalOutput;
  /** See `wantsColour`. */
  readonly colour: boolean;
  /** Width for piped output. Without it, lines are not wrapped. */
  readonly columns?: number | undefined;
  /** Name of the conversation to start or continue. */
  readonly thread: string;
  readonly person: Person;
  /** Folder for files that commands return. */
  readonly filesFolder: string;
}

export interface TerminalOptions extends PageOptions {
  readonly input: Readable & KeyboardInput;
  /** Whether a person types and watches: input and output are both terminals. */
  readonly interactive: boolean;
  /** Markdown, one line each, shown at the start. */
  readonly welcome: readonly string[];
  readonly commands: readonly KnownCommand[];
  readonly recordings?: Recordings;
  /** Handled before any other line; in a pipe, it is the only line. */
  readonly first?: string;
  /** File for the input history, used if `interactive`. */
  readonly historyPath: string;
}

export interface Terminal extends Platform {
  /** Resolves when the input has ended and is answered, or the person has left; rejects if output fails. */
  readonly finished: Promise<ExitReason>;
  /** Handles a `SIGINT` like Ctrl-C. */
  interrupt(): void;
}

export interface OneShotOptions extends PageOptions {
  /** `live` on a terminal, `plain` in a pipe, `silent` if the caller prints the result. */
  readonly shown: 'live' | 'plain' | 'silent';
  readonly question: string;
  readonly choice: Choice;
  /** Paths of attached files. */
  readonly attached?: readonly string[];
}

export interface OneShot extends Platform {
  /** Resolves when the turn has been shown or was refused; rejects if asking or writing fails. */
  readonly finished: Promise<Answered>;
  /** Stops the turn; text shown so far stays. @returns `false` if no turn is running. */
  interrupt(): Promise<boolean>;
}

/** Shown below the recordings if no model is set up. */
const setUpHint =
  'Type `setup` to set a model up: it finds a local one or takes a key. Or ask anything now, and see who would sit. `/help` lists the commands; Ctrl-D quits.';

export function terminalPlace(thread: string): Place {
  const threadId = `terminal:local:chat:${thread}`;
  return { ...partsOf(threadId), threadId, isPrivate: true };
}

/** Opens a page on the output, with the parts of the platform that both kinds of terminal share. */
function openPage(options: PageOptions, shown: OneShotOptions['shown']) {
  const { output, filesFolder } = options;
  const palette = paletteFor(options.colour);
  const livePage = shown === 'live' ? new LivePage(output, palette) : undefined;
  const written = shown === 'plain' ? output : undefined;
  const page = livePage ?? createPlainPage(written, palette, options.columns, output.isTTY);
  const presentations = presentationsOn(page);
  const platform: Omit<Platform, 'start' | 'stop'> = {
    name: 'terminal',
    // Printed text can't be changed, and only the person at the terminal sees it.
    async present(turn, events) {
      if (!turn.isAlreadyShown) await presentations.show(turn, events);
    },
    retract: async () => undefined,
    redraw: async () => undefined,
    post: async () => undefined,
    unpost: async () => undefined,
    hear: async () => undefined,
    // The person may read any file they name on their own command line.
    openFile: async (_place, path) => ({ status: 'open', stream: createReadStream(path) }),
    isIn: async () => true,
    linkTo: () => undefined,
  };
  return {
    livePage,
    page,
    platform,
    converse(ingress: Ingress, more: Pick<ConversationOptions, 'commands' | 'recordings'>) {
      const { person, thread } = options;
      const place = terminalPlace(thread);
      return conversationOf({
        ingress,
        page,
        presentations,
        place,
        person,
        filesFolder,
        ...more,
      });
    },
  };
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { input, output, interactive, commands, recordings, first } = options;
  const { livePage, page, platform, converse } = openPage(options, interactive ? 'live' : 'plain');
  const finished = Promise.withResolvers<ExitReason>();
  const ending = new AbortController();
  let session: InteractiveSession | undefined;

  for (const stream of [input, output]) {
    stream.on('error', (error) => {
      ending.abort();
      if (isReaderGone(error)) finished.resolve('end');
      else finished.reject(error);
    });
  }

  return {
    ...platform,
    finished: finished.promise,
    async start(ingress) {
      const conversation = converse(ingress, { commands, recordings });
      page.print(options.welcome.flatMap((line) => prose(line, page)));
      if (!livePage) {
        const lines = first === undefined ? input : Readable.from([first]);
        answerLines(lines, conversation, ending.signal).then(
          (isDone) => finished.resolve(isDone || first === undefined ? 'end' : 'failed'),
          finished.reject,
        );
        return;
      }
      if (recordings?.isNumberEnough) {
        page.print(['', ...recordingLines(recordings, page), '', ...prose(setUpHint, page)]);
      }
      session = interactiveSession({
        input,
        output,
        page: livePage,
        conversation,
        commands,
        historyPath: options.historyPath,
        onLeave: finished.resolve,
      });
      if (first !== undefined) session.submit(first);
    },
    async stop() {
      ending.abort();
      session?.leave();
      livePage?.close();
      finished.resolve('end');
    },
    interrupt() {
      if (session) session.interrupt();
      else void this.stop();
    },
  };
}

/** Asks one question when it is started. */
export function createOneShot(options: OneShotOptions): OneShot {
  const { livePage, platform, converse } = openPage(options, options.shown);
  const finished = Promise.withResolvers<Answered>();
  let conversation: Conversation | undefined;

  options.output.on('error', (error) => {
    if (!isReaderGone(error)) finished.reject(error);
    // The reader has gone, so don't pay for further answers.
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
 * Handles one line after another, skipping empty ones.
 *
 * @param signal - Aborting it ends the reading; the current line is still answered.
 * @returns After the end of the input, whether every line could be handled.
 */
async function answerLines(
  input: Readable,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<boolean> {
  const lines = createInterface({ input, crlfDelay: Infinity, terminal: false, signal });
  let isDone = true;
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (signal.aborted || bareWord(text) === 'leave') break;
      if (text !== '') isDone = (await conversation.handle(text)) && isDone;
    }
  } finally {
    lines.close();
  }
  return isDone;
}
