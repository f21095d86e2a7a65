/** Handles the lines a person types: questions, commands, and requests for recordings. */

import { randomUUID } from 'node:crypto';
import type { Person, Place } from '../../../commands/command.ts';
import { askSchema, type Choice } from '../../domain/asking.ts';
import type { Heard } from '../../domain/heard.ts';
import { plainName } from '../../domain/source.ts';
import { channelOf, partsOf } from '../../domain/thread-id.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import { bareWord, isCommand, readSpokenLine } from '../chat/text/spoken-line.ts';
import { type Asked, type Ingress, type Question, questionIn, type Remark } from '../platform.ts';
import type { Page } from './page.ts';
import { noticeLines, prose, questionLines } from './prose.ts';
import {
  atReadingSpeed,
  type RecordedCouncil,
  type Recordings,
  recordingLines,
  recordingWanted,
} from './recorded-councils.ts';
import { fileSaver, replyLines } from './reply-lines.ts';
import type { Presentations, Shown } from './show-turn.ts';
import { localTimes } from './terminal-text.ts';

export type Answered =
  | { readonly status: 'shown'; readonly turnId: string; readonly end: Shown }
  | Exclude<Asked, { status: 'accepted' }>;

export interface ConversationOptions {
  readonly ingress: Ingress;
  readonly page: Page;
  readonly presentations: Presentations;
  readonly place: Place;
  readonly person: Person;
  readonly commands: readonly KnownCommand[];
  readonly recordings?: Recordings | undefined;
  /** Folder for files that commands return. */
  readonly filesFolder: string;
}

const receiptHint = '/receipt shows how this came about and what it cost.';
const recordedHint =
  '/reviews, /receipt and /export show how it came about; /recorded lists the others.';

export type Conversation = ReturnType<typeof conversationOf>;

export function conversationOf(options: ConversationOptions) {
  const { ingress, page, presentations, place, person, commands, recordings } = options;
  const { filesFolder } = options;
  let waitingFor: string | undefined;
  /** The place that commands apply to: that of the last turn shown. */
  let lastPlace = place;
  let playing: AbortController | undefined;

  /**
   * Prints the line and handles it, until everything is shown. Errors are printed on the page.
   *
   * @returns `false` if the line asked for a recording that does not exist.
   */
  async function handle(line: string): Promise<boolean> {
    page.print(questionLines(line, page));
    try {
      const wanted = recordings && recordingWanted(line, recordings);
      if (recordings && wanted !== undefined) return await showRecording(wanted, recordings);
      const isForUs = line.startsWith('/') || bareWord(line) || isCommand(line, commands);
      await (isForUs ? runCommand(line) : say(line));
    } catch (error) {
      warn(error instanceof Error ? error.message : 'That failed, for an unknown reason.');
    }
    return true;
  }

  function questionFrom(question: string, choice: Choice, attached: readonly string[]): Question {
    const eventId = randomUUID();
    return questionIn(place, {
      eventId,
      question,
      person,
      askedAt: Date.now(),
      ...choice,
      ...(attached.length > 0 && { heard: heardWith(attached, eventId, options) }),
    });
  }

  async function ask(question: Question): Promise<Answered> {
    presentations.markTyped(question.eventId);
    lastPlace = place;
    const asked = await ingress.ask(question);
    if (asked.status === 'refused') warn(asked.reason);
    if (asked.status !== 'accepted') return asked;
    const { turnId } = asked;
    waitingFor = turnId;
    const end = await presentations.endOf(turnId);
    waitingFor = undefined;
    return { status: 'shown', turnId, end };
  }

  /** Shows the rest of the playing recording at once. @returns `false` if none is playing or it was skipped already. */
  function skip(): boolean {
    if (playing === undefined || playing.signal.aborted) return false;
    playing.abort();
    return true;
  }

  /** @returns `false` if the number is of no recording. */
  async function showRecording(number: string, recorded: Recordings): Promise<boolean> {
    const index = Number(number) - 1;
    if (recorded.titles[index] !== undefined) {
      await play(await recorded.open(index));
      return true;
    }
    const isList = number === '';
    if (!isList) warn(`There is no recorded council ${number}. These are recorded:`);
    page.print(['', ...recordingLines(recorded, page)]);
    return isList;
  }

  async function play({ title, request, events }: RecordedCouncil): Promise<void> {
    const { threadId } = request;
    lastPlace = { ...partsOf(threadId), threadId, isPrivate: true };
    const mark = `Recorded council: ${title}${page.isLive ? ' · Any key skips.' : ''}`;
    page.print(['', ...noticeLines(mark, 'warning', page)]);
    page.print(questionLines(request.question, page));
    const control = new AbortController();
    // Nobody reads along in a pipe.
    if (!page.isLive) control.abort();
    playing = control;
    presentations.markTyped(request.eventId);
    try {
      const replayed = atReadingSpeed(events, control.signal);
      await presentations.show({ request, isResumed: false }, replayed);
    } finally {
      playing = undefined;
    }
    if (page.isLive) page.print(['', ...noticeLines(recordedHint, 'quiet', page)]);
  }

  /** Asks the line, unless it only thanks, agrees or greets. */
  async function say(line: string): Promise<void> {
    const remark: Remark = {
      text: line,
      where: 'direct message',
      namesCouncil: true,
      isForOthers: false,
    };
    const meant = await ingress.interpret(remark, place, async () => questionFrom(line, {}, []));
    if (meant === 'greeting') return runCommand('help');
    if (meant) return show(meant);
    const words = `That asks nothing, so no council was seated. To ask it all the same: /ask ${line}`;
    page.print(['', ...noticeLines(words, 'quiet', page)]);
  }

  async function show(question: Question): Promise<void> {
    const answered = await ask(question);
    if (!page.isLive || answered.status !== 'shown') return;
    page.print(['', ...noticeLines(receiptHint, 'quiet', page)]);
  }

  async function runCommand(line: string): Promise<void> {
    const at = lastPlace;
    const read = readSpokenLine(line, commands);
    if (read.status === 'mistaken') return warn(read.message);
    const { command, options: given } = read;
    const asked = command === 'ask' ? askSchema.safeParse(given).data : undefined;
    // The command would only confirm the question; asking directly waits for the answers.
    if (asked) return show(questionFrom(asked.question, asked.choice, []));
    const streams = page.isLive ? ({ takesStreams: true } as const) : {};
    const run = { place: at, person, command, options: given, ...streams };
    const reply = await ingress.command(run);
    page.print(['', ...(await replyLines(reply, page, fileSaver(filesFolder)))]);
    if (reply.asked?.isNew) await presentations.endOf(reply.asked.turnId);
  }

  function warn(message: string): void {
    const [what = '', ...details] = localTimes(message).split('\n\n');
    page.print(['', ...noticeLines(what, 'warning', page)]);
    for (const detail of details) page.print(['', ...prose(detail, page)]);
  }

  return {
    handle,
    skip,

    /**
     * Asks a question and waits until its turn has been shown. A refusal is printed on the page.
     *
     * @param attached - Paths of files.
     */
    ask: (question: string, choice: Choice, attached: readonly string[] = []) =>
      ask(questionFrom(question, choice, attached)),

    /** Stops the turn that is being shown, or else the one that was asked. @returns `false` if there is none. */
    async stop(): Promise<boolean> {
      if (skip()) return true;
      const turnId = presentations.current ?? waitingFor;
      return turnId === undefined ? false : ingress.stop(turnId, place);
    },

    get isTurnRunning() {
      return (presentations.current ?? waitingFor) !== undefined;
    },

    /** Whether a number alone on a line plays a recording. */
    isOffering: recordings?.isNumberEnough ?? false,

    get isPlaying() {
      return playing !== undefined;
    },
  };
}

/** The files attached to a question, as a message that the council reads. */
function heardWith(
  paths: readonly string[],
  id: string,
  { person, place }: Pick<ConversationOptions, 'person' | 'place'>,
): Heard {
  const sources = paths.map((path) => {
    const file = { kind: 'file', name: plainName(path, 'a file'), address: path } as const;
    return { status: 'pointed', ...file } as const;
  });
  const author = { id: person.id, name: person.name };
  const message = { id, author, at: Date.now(), text: '', isMeant: true, sources } as const;
  return { place: channelOf(place.threadId), of: 'replies', messages: [message], leftOut: 0 };
}
