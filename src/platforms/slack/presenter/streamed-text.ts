/** The text of one voice in a turn, a sage or the chair: streamed where Slack allows it, otherwise posted whole. */

import { wholeWords } from '../../../domain/words.ts';
import { backOff } from '../../chat/pacing/back-off.ts';
import { UnansweredError } from '../../chat/pacing/platform-error.ts';
import { postedSchema } from '../api/messages.ts';
import { isRefusal } from '../slack-error.ts';
import type { Block } from './blocks.ts';
import { bodyIn, GrowingMessage, type Voice } from './growing-message.ts';
import type { TurnContext, TurnPoster } from './turn-poster.ts';

export class StreamedText {
  readonly #voice: Voice;
  readonly #context: TurnContext;
  readonly #poster: TurnPoster;
  readonly #startAbort = new AbortController();
  #text = '';
  #message: GrowingMessage | undefined;
  #starting: Promise<void> | undefined;
  /** The error after which it is unknown whether its message exists. */
  #unknownStart: Error | undefined;
  #isEnded = false;

  constructor(voice: Voice, context: TurnContext, poster: TurnPoster) {
    this.#voice = voice;
    this.#context = context;
    this.#poster = poster;
    const whole = poster.known(this.#part(0));
    const unfinished =
      whole === undefined ? poster.unfinished((one) => voice.isOwn(one))?.ts : undefined;
    // A complete message may have been overwritten as it grew, so a shown turn is drawn once more.
    const open = context.posts.isAlreadyShown ? whole : unfinished;
    if (open !== undefined) this.#message = new GrowingMessage(context, voice, open);
  }

  /** @param text - The whole text so far. */
  grow(text: string): void {
    if (this.#isEnded || this.#isWhole || !this.#poster.mayGrow) return;
    this.#text = text;
    if (this.#message) this.#message.show(text);
    else if (this.#voice.settled(text) !== '') this.#starting ??= this.#start();
  }

  /**
   * Shows the whole text.
   *
   * @param pieces - From {@link Voice.pieces}; nothing is posted if there are none.
   * @param below - Blocks below the last piece.
   * @returns The first message's `ts`; `undefined` if nothing can be posted. Rejects with Slack's errors.
   */
  async end(
    [first = '', ...rest]: readonly string[],
    below: readonly Block[] = [],
  ): Promise<string | undefined> {
    this.#isEnded = true;
    // A stream that has not started yet is no longer needed: the text is posted whole.
    this.#startAbort.abort();
    await this.#starting;
    if (this.#unknownStart) throw this.#unknownStart;
    const belowPiece = (index: number) => (index === rest.length ? below : []);
    const isShown = this.#message && (await this.#finish(this.#message, first, belowPiece(0)));
    const ts = isShown ? this.#message?.ts : await this.#say(first, 0, belowPiece(0));
    for (const [index, piece] of rest.entries()) {
      await this.#say(piece, index + 1, belowPiece(index + 1));
    }
    return ts;
  }

  /** @returns `false` if Slack does not allow edits of the message any more. */
  async #finish(
    message: GrowingMessage,
    markdown: string,
    below: readonly Block[],
  ): Promise<boolean> {
    const { log, turnId } = this.#context;
    try {
      await message.finish(markdown, below);
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
   * Ends a started message with a note below it; an answer that has not started is not posted.
   *
   * @param said - The text of the answer; absent: the text shown so far.
   */
  async breakOff(note: string, said = wholeWords(this.#text)): Promise<void> {
    if (this.#isEnded || this.#isWhole) return;
    this.#startAbort.abort();
    await this.#starting;
    if (this.#message) await this.end(this.#voice.pieces(said, note));
  }

  /** Starts the message as soon as the limits allow. */
  async #start(): Promise<void> {
    const { api, pacer, place, recipient } = this.#context;
    const { team, channel, thread } = place;
    const destination = { thread: `${channel} ${thread} ${this.#voice.part}`, channel };
    let said = '';
    const begin = async () => {
      said = this.#voice.settled(this.#text);
      const args = { channel, thread_ts: thread, markdown_text: said };
      const voiced = { ...args, ...recipient, ...this.#voice.speakingAs };
      return postedSchema.parse(await api.call(team, 'chat.startStream', voiced)).ts;
    };
    try {
      const ts = await pacer.post(destination, begin, this.#startAbort.signal, 'stream_start');
      this.#message = new GrowingMessage(this.#context, this.#voice, ts, said);
      if (!this.#isEnded) this.#message.show(this.#text);
    } catch (error) {
      if (this.#startAbort.signal.aborted && error === this.#startAbort.signal.reason) return;
      await this.#notStarted(error);
    }
  }

  async #notStarted(error: unknown): Promise<void> {
    const { log, turnId, signal } = this.#context;
    // The process is ending; a started message is found when the turn is resumed.
    if (signal.aborted) return this.#leaveInDoubt(error);
    if (error instanceof UnansweredError) return this.#lookForStart();
    this.#poster.mayGrow = false;
    log.info({ turnId, error }, 'answers are shown whole, because Slack allows no streams here');
  }

  /** An unanswered start may have succeeded: finds its message, so it is not posted twice. */
  async #lookForStart(): Promise<void> {
    const { retryWaitsMs, signal } = this.#context;
    try {
      await backOff(retryWaitsMs[0] ?? 0, signal);
      const there = (await this.#poster.read()).unfinished.find((one) => this.#voice.isOwn(one));
      if (there) this.#message = new GrowingMessage(this.#context, this.#voice, there.ts);
    } catch (error) {
      this.#leaveInDoubt(error);
    }
  }

  #leaveInDoubt(error: unknown): void {
    this.#unknownStart = error instanceof Error ? error : new Error('unknown');
  }

  async #say(piece: string, index: number, below: readonly Block[]): Promise<string | undefined> {
    if (piece === '') return undefined;
    const { speakingAs, label } = this.#voice;
    const poster = this.#poster;
    try {
      return await poster.post(this.#part(index), bodyIn(this.#voice, piece, below), speakingAs);
    } catch (error) {
      if (!speakingAs || !isRefusal(error, ...refusedNames)) throw error;
      if (isRefusal(error, 'missing_scope')) this.#context.onNoPersonas();
      return poster.post(this.#part(index), bodyIn(this.#voice, `${label}\n\n${piece}`, below));
    }
  }

  get #isWhole(): boolean {
    return this.#poster.known(this.#part(0)) !== undefined;
  }

  #part(index: number): string {
    const { part } = this.#voice;
    return index === 0 ? part : `${part} ${index + 1}`;
  }
}

/** Slack's error codes if it rejects a message's name or picture. */
const refusedNames = [
  'missing_scope',
  'invalid_arguments',
  'invalid_arg_name',
  'reserved_username',
  'restricted_username',
] as const;

/** Slack's error codes if the workspace allows no edits, or only for some minutes. */
const refusedEdits = ['edit_window_closed', 'cant_update_message'] as const;
