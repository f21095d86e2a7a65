/** The council in a terminal, or in a pipe. */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Person, Place } from '../../../commands/command.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import { bareWord } from '../chat/text/spoken-line.ts';
import type { Platform } from '../platform.ts';
import { Conversation } from './conversation.ts';
import { InteractiveSession, openHistory, type Wish } from './interactive-session.ts';
import type { KeyboardInput } from './line-editor.ts';
import { LivePage, type TerminalOutput } from './live-page.ts';
import { createPlainPage, isReaderGone, type Page, paletteFor } from './page.ts';
import { plainReason, plainText } from './plain-text.ts';
import { Presentations } from './presentations.ts';
import { proseLines } from './prose.ts';
import { offerLines, type Recordings } from './recorded-councils.ts';
import { replyLines } from './reply-lines.ts';
import { fileSaver } from './save-file.ts';

export type { Wish } from './interactive-session.ts';

export interface TerminalOptions {
  readonly input: Readable & KeyboardInput;
  readonly output: TerminalOutput;
  /** Input and output are both terminals: there is a person who types and watches. */
  readonly interactive: boolean;
  /** See `wantsColour`. */
  readonly colour: boolean;
  /** Width of what goes into a pipe; absent: lines stay as long as they are. */
  readonly columns?: number | undefined;
  /** Name of the conversation; the same name goes on with it. */
  readonly thread: string;
  readonly person: Person;
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
  /** Where files that commands give are saved. */
  readonly filesFolder: string;
}

export interface Terminal extends Platform {
  /** Resolves when the input has ended and is answered, or the person has left, with what for; rejects when nothing can be written. */
  readonly finished: Promise<Wish>;
  /** Does what Ctrl-C does, for a signal that came another way. */
  interrupt(): void;
}

/** Below the recordings, where nothing else can be shown yet. */
const setUpHint =
  'Type `setup` to set a model up: it finds a local one or takes a key. Or ask anything now, and see who would sit. `/help` tells more; Ctrl-D leaves.';

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

/** What each platform on one page does alike, whichever way its questions come in. */
export function onPage(
  page: Page,
  presentations: Presentations,
  filesFolder: string,
): Omit<Platform, 'start' | 'stop'> {
  return {
    name: 'terminal',
    present: (turn, events) => presentations.show(turn, events),
    // What was printed is out of reach, and the person at the terminal alone sees it.
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
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { input, output, filesFolder, interactive } = options;
  const palette = paletteFor(options.colour);
  const livePage = interactive ? new LivePage(output, palette) : undefined;
  const page = livePage ?? createPlainPage(output, palette, options.columns);
  const presentations = new Presentations(page);
  const finished = Promise.withResolvers<Wish>();
  const ending = new AbortController();
  let session: InteractiveSession | undefined;

  output.on('error', (error) => {
    ending.abort();
    if (isReaderGone(error)) finished.resolve('end');
    else finished.reject(error);
  });

  return {
    ...onPage(page, presentations, filesFolder),
    finished: finished.promise,
    async start(ingress) {
      const place = terminalPlace(options.thread);
      const { person, commands, sages, recordings, first } = options;
      const conversation = new Conversation({
        ...{ ingress, page, presentations, place, person, commands, filesFolder, recordings },
      });
      const markdown = (line: string) =>
        proseLines(plainText(line), { palette, width: page.width });
      page.print(options.welcome.flatMap(markdown));
      if (livePage && recordings?.isNumberEnough) {
        page.print(['', ...offerLines(recordings, page), '']);
        page.print(markdown(setUpHint));
      }
      if (!livePage) {
        const lines = first === undefined ? input : Readable.from([first]);
        answerLines(lines, conversation, ending.signal).then(
          () => finished.resolve('end'),
          finished.reject,
        );
        return;
      }
      const history = await openHistory(options.historyPath).catch((error: unknown) => {
        page.print([palette.warning(`What you typed before can't be read: ${plainReason(error)}`)]);
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
  const lines = createInterface({ input, crlfDelay: Infinity, terminal: false });
  const stop = () => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (signal.aborted || bareWord(text) === 'leave') break;
      if (text !== '') await conversation.take(text);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    lines.close();
  }
}
