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

export class Conversation {
  readonly #options: ConversationOptions;
  #asked: string | undefined;
  /** The place that commands apply to: that of the last turn shown. */
  #place: Place;
  #playing: AbortController | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#place = options.place;
  }

  /**
   * Prints the line and handles it, until everything is shown. Errors are printed on the page.
   *
   * @returns `false` if the line asked for a recording that does not exist.
   */
  async handle(line: string): Promise<boolean> {
    const { page, recordings, commands } = this.#options;
    page.print(questionLines(line, page));
    try {
      const wanted = recordings && recordingWanted(line, recordings);
      if (recordings && wanted !== undefined) {
        return await this.#showRecording(wanted, recordings);
      }
      const isForUs = line.startsWith('/') || bareWord(line) || isCommand(line, commands);
      await (isForUs ? this.#command(line) : this.#say(line));
    } catch (error) {
      this.#warn(error instanceof Error ? error.message : 'That failed, for an unknown reason.');
    }
    return true;
  }

  /**
   * Asks a question and waits until its turn has been shown. A refusal is printed on the page.
   *
   * @param attached - Paths of files.
   */
  ask(question: string, choice: Choice, attached: readonly string[] = []): Promise<Answered> {
    return this.#ask(this.#questionIn(question, choice, attached));
  }

  #questionIn(question: string, choice: Choice, attached: readonly string[]): Question {
    const { place, person } = this.#options;
    const eventId = randomUUID();
    return questionIn(place, {
      ...{ eventId, question, person, askedAt: Date.now(), ...choice },
      ...(attached.length > 0 && { heard: heardWith(attached, eventId, this.#options) }),
    });
  }

  async #ask(question: Question): Promise<Answered> {
    const { ingress, presentations, place } = this.#options;
    presentations.markTyped(question.eventId);
    this.#place = place;
    const asked = await ingress.ask(question);
    if (asked.status === 'refused') this.#warn(asked.reason);
    if (asked.status !== 'accepted') return asked;
    const { turnId } = asked;
    this.#asked = turnId;
    const end = await presentations.endOf(turnId);
    this.#asked = undefined;
    return { status: 'shown', turnId, end };
  }

  /** Stops the turn that is being shown, or else the one that was asked. @returns `false` if there is none. */
  async stop(): Promise<boolean> {
    if (this.skip()) return true;
    const turnId = this.#options.presentations.current ?? this.#asked;
    const { ingress, place } = this.#options;
    return turnId === undefined ? false : ingress.stop(turnId, place);
  }

  get isTurnRunning(): boolean {
    return (this.#options.presentations.current ?? this.#asked) !== undefined;
  }

  /** Whether a number alone on a line plays a recording. */
  get isOffering(): boolean {
    return this.#options.recordings?.isNumberEnough ?? false;
  }

  get isPlaying(): boolean {
    return this.#playing !== undefined;
  }

  /** Shows the rest of the playing recording at once. @returns `false` if none is playing or it was skipped already. */
  skip(): boolean {
    if (this.#playing === undefined || this.#playing.signal.aborted) return false;
    this.#playing.abort();
    return true;
  }

  /** @returns `false` if the number is of no recording. */
  async #showRecording(number: string, recordings: Recordings): Promise<boolean> {
    const { page } = this.#options;
    const index = Number(number) - 1;
    if (recordings.titles[index] !== undefined) {
      await this.#play(await recordings.open(index));
      return true;
    }
    const isList = number === '';
    if (!isList) this.#warn(`There is no recorded council ${number}. These are recorded:`);
    page.print(['', ...recordingLines(recordings, page)]);
    return isList;
  }

  async #play({ title, request, events }: RecordedCouncil): Promise<void> {
    const { page, presentations } = this.#options;
    const { threadId } = request;
    this.#place = { ...partsOf(threadId), threadId, isPrivate: true };
    const mark = `Recorded council: ${title}${page.isLive ? ' · Any key skips.' : ''}`;
    page.print(['', ...noticeLines(mark, 'warning', page)]);
    page.print(questionLines(request.question, page));
    const playing = new AbortController();
    // Nobody reads along in a pipe.
    if (!page.isLive) playing.abort();
    this.#playing = playing;
    presentations.markTyped(request.eventId);
    try {
      const replayed = atReadingSpeed(events, playing.signal);
      await presentations.show({ request, isResumed: false }, replayed);
    } finally {
      this.#playing = undefined;
    }
    if (page.isLive) page.print(['', ...noticeLines(recordedHint, 'quiet', page)]);
  }

  /** Asks the line, unless it only thanks, agrees or greets. */
  async #say(line: string): Promise<void> {
    const { ingress, page, place } = this.#options;
    const remark: Remark = {
      ...{ text: line, where: 'direct message', namesCouncil: true, isForOthers: false },
    };
    const read = async () => this.#questionIn(line, {}, []);
    const meant = await ingress.interpret(remark, place, read);
    if (meant === 'greeting') return this.#command('help');
    if (meant) return this.#show(meant);
    const words = `That asks nothing, so no council was seated. To ask it all the same: /ask ${line}`;
    page.print(['', ...noticeLines(words, 'quiet', page)]);
  }

  async #show(question: Question): Promise<void> {
    const { page } = this.#options;
    const answered = await this.#ask(question);
    if (!page.isLive || answered.status !== 'shown') return;
    page.print(['', ...noticeLines(receiptHint, 'quiet', page)]);
  }

  async #command(line: string): Promise<void> {
    const { commands, ingress, page, person, filesFolder, presentations } = this.#options;
    const place = this.#place;
    const read = readSpokenLine(line, commands);
    if (read.status === 'mistaken') {
      this.#warn(read.message);
      return;
    }
    const { command, options } = read;
    const asked = command === 'ask' ? askSchema.safeParse(options).data : undefined;
    // The command would only confirm the question; asking directly waits for the answers.
    if (asked) return this.#show(this.#questionIn(asked.question, asked.choice, []));
    const streams = page.isLive ? ({ takesStreams: true } as const) : {};
    const reply = await ingress.command({ place, person, command, options, ...streams });
    page.print(['', ...(await replyLines(reply, page, fileSaver(filesFolder)))]);
    if (reply.asked?.isNew) await presentations.endOf(reply.asked.turnId);
  }

  #warn(message: string): void {
    const { page } = this.#options;
    const [what = '', ...details] = localTimes(message).split('\n\n');
    page.print(['', ...noticeLines(what, 'warning', page)]);
    for (const detail of details) page.print(['', ...prose(detail, page)]);
  }
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
