/** Does what a person says on one line, a question or a command, and returns when it is done. */

import { randomUUID } from 'node:crypto';
import type { Person, Place } from '../../../commands/command.ts';
import { askSchema, type Choice } from '../../domain/asking.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import { bareWord, readSpokenLine } from '../chat/text/spoken-line.ts';
import { type Asked, type Ingress, questionIn } from '../platform.ts';
import type { Page } from './page.ts';
import { plainText } from './plain-text.ts';
import type { Presentations, Shown } from './presentations.ts';
import { paintedProse, questionLines } from './prose.ts';
import { replyLines } from './reply-lines.ts';
import { saveFile } from './save-file.ts';

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
  /** Where files that commands give are saved. */
  readonly filesFolder: string;
}

const receiptHint = '/council receipt shows how this came about and what it cost.';

export class Conversation {
  readonly #options: ConversationOptions;
  #asked: string | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Repeats the line on the page and does what it says. What goes wrong is said on the page. */
  async take(line: string): Promise<void> {
    const { page } = this.#options;
    page.print(questionLines(line, page));
    try {
      if (line.startsWith('/') || bareWord(line)) await this.#command(line);
      else await this.#question(line, {});
    } catch (error) {
      this.#complain(
        error instanceof Error ? error.message : 'That failed, for an unknown reason.',
      );
    }
  }

  /** Asks and waits until the turn has been shown. A refusal is said on the page, too. */
  async ask(question: string, choice: Choice): Promise<Answered> {
    const { ingress, presentations, place, person } = this.#options;
    const eventId = randomUUID();
    const expected = presentations.expect(eventId);
    try {
      const asked = await ingress.ask(
        questionIn(place, { eventId, question, person, askedAt: Date.now(), ...choice }),
      );
      if (asked.status === 'refused') this.#complain(asked.reason);
      if (asked.status !== 'accepted') return asked;
      this.#asked = asked.turnId;
      return { status: 'shown', turnId: asked.turnId, end: await expected.shown };
    } finally {
      this.#asked = undefined;
      expected.cancel();
    }
  }

  /** Stops the turn that is being shown, else the one that was asked; `false` when there is none. */
  async stop(): Promise<boolean> {
    const turnId = this.#options.presentations.current ?? this.#asked;
    const { ingress, place } = this.#options;
    return turnId === undefined ? false : ingress.stop(turnId, place);
  }

  get isTurnRunning(): boolean {
    return (this.#options.presentations.current ?? this.#asked) !== undefined;
  }

  async #question(question: string, choice: Choice): Promise<void> {
    const { page } = this.#options;
    const answered = await this.ask(question, choice);
    if (!page.isLive || answered.status !== 'shown') return;
    page.print(['', ...paintedProse(receiptHint, page.palette.quiet, page.width)]);
  }

  async #command(line: string): Promise<void> {
    const { commands, ingress, page, place, person, filesFolder } = this.#options;
    const read = readSpokenLine(line, commands);
    if (read.status === 'mistaken') {
      this.#complain(read.message);
      return;
    }
    const { command, options } = read;
    const asked = command === 'ask' ? askSchema.safeParse(options).data : undefined;
    // A command would answer that the question was taken; here its answers are what is waited for.
    if (asked) return this.#question(asked.question, asked.choice);
    const reply = await ingress.command({ place, person, command, options });
    const lines = await replyLines(reply, page, (name, content) =>
      saveFile(filesFolder, name, content),
    );
    page.print(['', ...lines]);
  }

  #complain(message: string): void {
    const { page } = this.#options;
    page.print(['', ...paintedProse(plainText(message), page.palette.warning, page.width)]);
  }
}
