/** What one sage says in a turn: streamed under its own name where that goes, else said whole. */

import { backOff } from '../../chat/pacing/back-off.ts';
import { numberedLabel, type Persona } from '../../chat/show/personas.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import type { MessageBody } from '../api/messages.ts';
import { startStream } from '../api/streams.ts';
import { isRefusal, SlackUnanswered } from '../slack-error.ts';
import { escapeSlackText, inertSlackMarkdown, slackNotice } from '../slack-text.ts';
import { markdownBlock, mostMarkdownChars } from './blocks.ts';
import { GrowingMessage, settledMarkdown } from './growing-message.ts';
import { beginsWithLabel, belowLabel, speakingAs } from './persona.ts';
import type { BegunMessage, TurnPoster, TurnSurroundings } from './turn-poster.ts';

const longestNotice = 300;
/** Something can be shown of the answer. */
const wholeWord = /\S\s/;
const wholeLine = /\S.*\n/;
/** What stands behind a label from the second piece on. */
const longestNumber = 10;

export class SageSpeech {
  readonly #sage: string;
  readonly #persona: Persona;
  readonly #around: TurnSurroundings;
  readonly #poster: TurnPoster;
  readonly #isUnwanted = new AbortController();
  #answer = '';
  #message: GrowingMessage | undefined;
  #starting: Promise<void> | undefined;
  /** Nobody knows whether its message is there. */
  #doubt: Error | undefined;
  #isEnded = false;

  /** @param sage - Its key. */
  constructor(sage: string, persona: Persona, around: TurnSurroundings, poster: TurnPoster) {
    this.#sage = sage;
    this.#persona = persona;
    this.#around = around;
    this.#poster = poster;
    const begun = this.#isWhole ? undefined : poster.begun((one) => this.#isOwn(one));
    if (begun) this.#message = this.#growing(begun.ts, undefined);
  }

  /** @param answer - All of it so far. */
  grow(answer: string): void {
    const { hasPersonas } = this.#around;
    if (this.#isEnded || this.#isWhole || !this.#poster.mayGrow) return;
    this.#answer = answer;
    if (this.#message) this.#message.show(answer);
    else if ((hasPersonas ? wholeWord : wholeLine).test(answer)) this.#starting ??= this.#start();
  }

  /** What is shown of an answer so far. */
  #settled(answer: string): string {
    const settled = settledMarkdown(answer, this.#around.hasPersonas ? 'word' : 'line');
    return this.#labelled(settled, whole)[0] ?? '';
  }

  /**
   * Shows all of it.
   *
   * @param note - Own words below it, as Markdown.
   * @returns Resolves when it is there; rejects as Slack does.
   */
  async end(answer: string, note?: string): Promise<void> {
    this.#isEnded = true;
    // A message that has not been begun yet comes whole now, sooner than it could grow.
    this.#isUnwanted.abort();
    await this.#starting;
    if (this.#doubt) throw this.#doubt;
    const [first = '', ...rest] = this.#pieces(inertSlackMarkdown(answer), note);
    if (!(this.#message && (await this.#finish(this.#message, first)))) await this.#say(first, 0);
    for (const [index, piece] of rest.entries()) await this.#say(piece, index + 1);
  }

  /** @returns Whether it shows this; `false` where Slack takes no more of it, whatever it shows. */
  async #finish(message: GrowingMessage, markdown: string): Promise<boolean> {
    const { log, turnId } = this.#around;
    try {
      await message.finish(markdown);
      return true;
    } catch (error) {
      if (!isRefusal(error, ...refusedEdits)) throw error;
      log.info({ turnId, error }, 'an answer is said anew, because its message can’t be ended');
      return false;
    }
  }

  /**
   * Ends what has begun, with these words below it; nothing is shown of what has not.
   *
   * @param said - What there is of the answer; absent: as far as it grew.
   */
  async breakOff(note: string, said = this.#answer): Promise<void> {
    if (this.#isEnded || this.#isWhole) return;
    this.#isUnwanted.abort();
    await this.#starting;
    if (this.#message) await this.end(said, note);
  }

  /** Begins the message as soon as the limits allow. */
  async #start(): Promise<void> {
    const { api, pacer, place, recipient } = this.#around;
    const destination = {
      thread: `${this.#poster.destination.thread} ${this.#sage}`,
      channel: place.channel,
    };
    let said = '';
    const begin = () => {
      said = this.#settled(this.#answer);
      const more = {
        ...recipient,
        ...(this.#around.hasPersonas ? speakingAs(this.#persona) : {}),
      };
      return startStream(api, place, said, more);
    };
    try {
      const ts = await pacer.post(destination, begin, this.#isUnwanted.signal, 'stream_start');
      this.#message = this.#growing(ts, said);
      if (!this.#isEnded) this.#message.show(this.#answer);
    } catch (error) {
      if (this.#isUnwanted.signal.aborted && error === this.#isUnwanted.signal.reason) return;
      await this.#notStarted(error);
    }
  }

  async #notStarted(error: unknown): Promise<void> {
    const { log, turnId, signal } = this.#around;
    // Nobody is asked any more; what has begun is found when the turn is resumed.
    if (signal.aborted) return this.#leaveInDoubt(error);
    if (error instanceof SlackUnanswered) return this.#lookForStart();
    this.#poster.letNoneGrow();
    log.info({ turnId, error }, 'answers are shown whole, because Slack lets none grow here');
  }

  /** A message whose beginning nothing was answered to may be there; then it is ended, and not said twice. */
  async #lookForStart(): Promise<void> {
    const { retryWaitsMs, signal } = this.#around;
    try {
      await backOff(retryWaitsMs[0] ?? 0, signal);
      const there = (await this.#poster.read()).begun.find((one) => this.#isOwn(one));
      if (there) this.#message = this.#growing(there.ts, undefined);
    } catch (error) {
      this.#leaveInDoubt(error);
    }
  }

  #leaveInDoubt(error: unknown): void {
    this.#doubt = error instanceof Error ? error : new Error('unknown');
  }

  #growing(ts: string, said: string | undefined): GrowingMessage {
    return new GrowingMessage(this.#around, {
      ...{ ts, said },
      mark: { turnId: this.#around.turnId, part: this.#part(0) },
      settled: (answer) => this.#settled(answer),
      bodyOf: (markdown) => this.#bodyOf(markdown),
    });
  }

  async #say(piece: string, index: number): Promise<void> {
    if (piece === '') return;
    const poster = this.#poster;
    const persona = this.#around.hasPersonas ? speakingAs(this.#persona) : undefined;
    try {
      await poster.post(this.#part(index), this.#bodyOf(piece), persona);
    } catch (error) {
      if (!persona || !isRefusal(error, ...refusedNames)) throw error;
      if (isRefusal(error, 'missing_scope')) this.#around.onNoPersonas();
      await poster.post(this.#part(index), this.#bodyOf(`${this.#persona.label}\n\n${piece}`));
    }
  }

  #bodyOf(markdown: string): MessageBody {
    const notice = slackNotice(markdown, longestNotice);
    return {
      text: `${escapeSlackText(this.#persona.name)}: ${notice}`,
      blocks: [markdownBlock(markdown)],
    };
  }

  /** All of it in pieces that each fit into a message, the note below the last. */
  #pieces(inert: string, note = ''): readonly string[] {
    if (inert.trim() === '') return note === '' ? [] : this.#labelled(note, whole);
    const below = note === '' ? '' : `\n\n${note}`;
    const pieces = this.#labelled(inert, (text, room) => splitMarkdown(text, room - below.length));
    const last = pieces.length - 1;
    return pieces.map((piece, index) => (index === last ? `${piece}${below}` : piece));
  }

  /** With the label where the sage has no name of its own. */
  #labelled(inert: string, split: Split): readonly string[] {
    const text = inert.trimStart();
    return this.#around.hasPersonas
      ? split(text, mostMarkdownChars)
      : withLabel(belowLabel(text), this.#persona, split);
  }

  get #isWhole(): boolean {
    return this.#poster.known(this.#part(0)) !== undefined;
  }

  #part(index: number): string {
    return index === 0 ? `answer ${this.#sage}` : `answer ${this.#sage} ${index + 1}`;
  }

  #isOwn(message: BegunMessage): boolean {
    return message.username === undefined
      ? beginsWithLabel(message.text, this.#persona)
      : message.username === speakingAs(this.#persona).username;
  }
}

/** Slack takes the name or the picture of no message. */
const refusedNames = [
  'missing_scope',
  'invalid_arguments',
  'invalid_arg_name',
  'reserved_username',
  'restricted_username',
] as const;

/** Slack takes no change of the message: workspaces may allow edits for some minutes, or none at all. */
const refusedEdits = ['edit_window_closed', 'cant_update_message'] as const;

/** Splits Markdown into pieces of so many characters at most. */
type Split = (text: string, room: number) => readonly string[];

/** A text that fits is left as it is, white space and open code included, because it goes on growing. */
function whole(text: string, room: number): readonly string[] {
  return text.length <= room ? [text] : splitMarkdown(text, room);
}

function withLabel(text: string, persona: Persona, split: Split): readonly string[] {
  const pieces = split(text, mostMarkdownChars - persona.label.length - longestNumber);
  return pieces.map((piece, index) => `${numberedLabel(persona, index)}\n\n${piece}`);
}
