/** What one voice says in a turn, a sage or the chair: streamed where that goes, else said whole. */

import { wholeWords } from '../../../domain/words.ts';
import { backOff } from '../../chat/pacing/back-off.ts';
import type { MessageBody, SpeakingAs } from '../api/messages.ts';
import { startStream } from '../api/streams.ts';
import { isRefusal, SlackUnanswered } from '../slack-error.ts';
import { type Block, markdownBlock } from './blocks.ts';
import { GrowingMessage } from './growing-message.ts';
import type { BegunMessage, TurnPoster, TurnSurroundings } from './turn-poster.ts';

/** Who speaks, and how what it says is shown. */
export interface Voice {
  /** By which its first message is found again; the others are numbered. */
  readonly part: string;
  /** Absent: it speaks as the app. */
  readonly speakingAs: SpeakingAs | undefined;
  /** Stands above a message that Slack takes under no name but the app's. */
  readonly label: string;
  /** What is shown of a text so far, inert; empty: nothing yet. */
  settled(text: string): string;
  /** The whole of it in pieces that each fit into a message, with own words below the last. */
  pieces(text: string, note?: string): readonly string[];
  /** What notifications show of a piece, escaped. */
  notice(piece: string): string;
  /** Whether a message that was begun is this voice's. */
  isOwn(message: BegunMessage): boolean;
}

export class StreamedText {
  readonly #voice: Voice;
  readonly #around: TurnSurroundings;
  readonly #poster: TurnPoster;
  readonly #isUnwanted = new AbortController();
  #text = '';
  /** Blocks below the last of what it says. */
  #below: readonly Block[] = [];
  #message: GrowingMessage | undefined;
  #starting: Promise<void> | undefined;
  /** It is unknown whether its message is there. */
  #doubt: Error | undefined;
  #isEnded = false;

  constructor(voice: Voice, around: TurnSurroundings, poster: TurnPoster) {
    this.#voice = voice;
    this.#around = around;
    this.#poster = poster;
    const whole = poster.known(this.#part(0));
    const begun = whole === undefined ? poster.begun((one) => voice.isOwn(one))?.ts : undefined;
    // As it grew it may have been overwritten.
    const open = around.posts.isAlreadyShown ? whole : begun;
    if (open !== undefined) this.#message = this.#growing(open, undefined);
  }

  /** @param text - All of it so far. */
  grow(text: string): void {
    if (this.#isEnded || this.#isWhole || !this.#poster.mayGrow) return;
    this.#text = text;
    if (this.#message) this.#message.show(text);
    else if (this.#voice.settled(text) !== '') this.#starting ??= this.#start();
  }

  /**
   * Shows all of it.
   *
   * @param pieces - As the voice parts it; nothing is said without any.
   * @param below - Blocks of our own below the last.
   * @returns The first message's `ts`; `undefined` when nothing can be posted. Rejects as Slack does.
   */
  async end(
    [first = '', ...rest]: readonly string[],
    below: readonly Block[] = [],
  ): Promise<string | undefined> {
    this.#isEnded = true;
    // A message that has not been begun yet comes whole now, sooner than it could grow.
    this.#isUnwanted.abort();
    await this.#starting;
    if (this.#doubt) throw this.#doubt;
    this.#below = rest.length === 0 ? below : [];
    const isShown = this.#message && (await this.#finish(this.#message, first));
    const ts = isShown ? this.#message?.ts : await this.#say(first, 0);
    for (const [index, piece] of rest.entries()) {
      this.#below = index === rest.length - 1 ? below : [];
      await this.#say(piece, index + 1);
    }
    return ts;
  }

  /** @returns Whether it shows this; `false` where Slack takes no more of it, whatever it shows. */
  async #finish(message: GrowingMessage, markdown: string): Promise<boolean> {
    const { log, turnId } = this.#around;
    try {
      await message.finish(markdown, this.#below);
      return true;
    } catch (error) {
      if (!isRefusal(error, ...refusedEdits)) throw error;
      log.info(
        { turnId, error },
        'an answer is posted again, because its message can’t be finished',
      );
      return false;
    }
  }

  /**
   * Ends what has begun, with these words below it; nothing is shown of what has not.
   *
   * @param said - What there is of the answer; absent: as far as it grew.
   */
  async breakOff(note: string, said = wholeWords(this.#text)): Promise<void> {
    if (this.#isEnded || this.#isWhole) return;
    this.#isUnwanted.abort();
    await this.#starting;
    if (this.#message) await this.end(this.#voice.pieces(said, note));
  }

  /** Begins the message as soon as the limits allow. */
  async #start(): Promise<void> {
    const { api, pacer, place, recipient } = this.#around;
    const destination = {
      thread: `${this.#poster.destination.thread} ${this.#voice.part}`,
      channel: place.channel,
    };
    let said = '';
    const begin = () => {
      said = this.#voice.settled(this.#text);
      return startStream(api, place, said, { ...recipient, ...this.#voice.speakingAs });
    };
    try {
      const ts = await pacer.post(destination, begin, this.#isUnwanted.signal, 'stream_start');
      this.#message = this.#growing(ts, said);
      if (!this.#isEnded) this.#message.show(this.#text);
    } catch (error) {
      if (this.#isUnwanted.signal.aborted && error === this.#isUnwanted.signal.reason) return;
      await this.#notStarted(error);
    }
  }

  async #notStarted(error: unknown): Promise<void> {
    const { log, turnId, signal } = this.#around;
    // No more is asked; what has begun is found when the turn is resumed.
    if (signal.aborted) return this.#leaveInDoubt(error);
    if (error instanceof SlackUnanswered) return this.#lookForStart();
    this.#poster.mayGrow = false;
    log.info({ turnId, error }, 'answers are shown whole, because Slack allows no streams here');
  }

  /** A message whose beginning nothing was answered to may be there; then it is ended, and not said twice. */
  async #lookForStart(): Promise<void> {
    const { retryWaitsMs, signal } = this.#around;
    try {
      await backOff(retryWaitsMs[0] ?? 0, signal);
      const there = (await this.#poster.read()).begun.find((one) => this.#voice.isOwn(one));
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
      settled: (text) => this.#voice.settled(text),
      bodyOf: (markdown, below) => this.#bodyOf(markdown, below),
    });
  }

  async #say(piece: string, index: number): Promise<string | undefined> {
    if (piece === '') return undefined;
    const { speakingAs, label } = this.#voice;
    const poster = this.#poster;
    try {
      return await poster.post(this.#part(index), this.#bodyOf(piece), speakingAs);
    } catch (error) {
      if (!speakingAs || !isRefusal(error, ...refusedNames)) throw error;
      if (isRefusal(error, 'missing_scope')) this.#around.onNoPersonas();
      return poster.post(this.#part(index), this.#bodyOf(`${label}\n\n${piece}`));
    }
  }

  #bodyOf(markdown: string, below = this.#below): MessageBody {
    const blocks = [markdownBlock(markdown), ...below];
    return { text: this.#voice.notice(markdown), blocks };
  }

  get #isWhole(): boolean {
    return this.#poster.known(this.#part(0)) !== undefined;
  }

  #part(index: number): string {
    const { part } = this.#voice;
    return index === 0 ? part : `${part} ${index + 1}`;
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
