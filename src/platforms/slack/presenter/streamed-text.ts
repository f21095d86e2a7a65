/** The text of one voice in a turn, a sage or the chair: streamed where Slack allows it, otherwise posted whole. */

import { wholeWords } from '../../../domain/words.ts';
import { backOff } from '../../chat/pacing/back-off.ts';
import { UnansweredError } from '../../chat/pacing/platform-error.ts';
import { postedSchema } from '../api/messages.ts';
import { isRefusal } from '../slack-error.ts';
import type { Block } from './blocks.ts';
import { bodyIn, type GrowingMessage, growingMessage, type Voice } from './growing-message.ts';
import type { TurnContext, TurnPoster } from './turn-poster.ts';

export type StreamedText = ReturnType<typeof streamedText>;

export function streamedText(voice: Voice, context: TurnContext, poster: TurnPoster) {
  const { api, pacer, place, recipient, posts, turnId, log, retryWaitsMs, signal } = context;
  const { speakingAs, label } = voice;
  const startAbort = new AbortController();
  let latest = '';
  let message: GrowingMessage | undefined;
  let starting: Promise<void> | undefined;
  /** The error after which it is unknown whether its message exists. */
  let unknownStart: Error | undefined;
  let isEnded = false;

  const whole = poster.known(voice.part);
  const isWhole = whole !== undefined;
  // A complete message may have been overwritten as it grew, so a shown turn is drawn once more.
  const started = isWhole ? undefined : poster.unfinished((one) => voice.isOwn(one))?.ts;
  const known = posts.isAlreadyShown ? whole : started;
  if (known !== undefined) message = growingMessage(context, voice, known);

  /** Shows the text so far. */
  function grow(text: string): void {
    if (isEnded || isWhole || !poster.mayGrow) return;
    latest = text;
    if (message) message.show(text);
    else if (voice.settled(text) !== '') starting ??= start();
  }

  /**
   * Shows the whole text.
   *
   * @param pieces - From {@link Voice.pieces}; nothing is posted if there are none.
   * @param below - Blocks below the last piece.
   * @returns The first message's `ts`; `undefined` if nothing can be posted. Rejects with Slack's errors.
   */
  async function end(
    [first = '', ...rest]: readonly string[],
    below: readonly Block[] = [],
  ): Promise<string | undefined> {
    isEnded = true;
    // A stream that has not started yet is no longer needed: the text is posted whole.
    startAbort.abort();
    await starting;
    if (unknownStart) throw unknownStart;
    const belowPiece = (index: number) => (index === rest.length ? below : []);
    const isShown = message && (await finish(message, first, belowPiece(0)));
    const ts = isShown ? message?.ts : await say(first, 0, belowPiece(0));
    for (const [index, piece] of rest.entries()) {
      await say(piece, index + 1, belowPiece(index + 1));
    }
    return ts;
  }

  /** @returns `false` if Slack does not allow edits of the message any more. */
  async function finish(
    growing: GrowingMessage,
    markdown: string,
    below: readonly Block[],
  ): Promise<boolean> {
    try {
      await growing.finish(markdown, below);
      return true;
    } catch (error) {
      if (!isRefusal(error, ...refusedEdits)) throw error;
      const sentence = 'an answer is posted again, because its message can’t be finished';
      log.info({ turnId, error }, sentence);
      return false;
    }
  }

  /**
   * Ends a started message with a note below it; an answer that has not started is not posted.
   *
   * @param said - The text of the answer; absent: the text shown so far.
   */
  async function breakOff(note: string, said = wholeWords(latest)): Promise<void> {
    if (isEnded || isWhole) return;
    startAbort.abort();
    await starting;
    if (message) await end(voice.pieces(said, note));
  }

  /** Starts the message as soon as the limits allow. */
  async function start(): Promise<void> {
    const { team, channel, thread } = place;
    const destination = { thread: `${channel} ${thread} ${voice.part}`, channel };
    let said = '';
    const begin = async () => {
      said = voice.settled(latest);
      const args = { channel, thread_ts: thread, markdown_text: said };
      const voiced = { ...args, ...recipient, ...speakingAs };
      return postedSchema.parse(await api.call(team, 'chat.startStream', voiced)).ts;
    };
    try {
      const ts = await pacer.post(destination, begin, startAbort.signal, 'stream_start');
      message = growingMessage(context, voice, ts, said);
      if (!isEnded) message.show(latest);
    } catch (error) {
      if (startAbort.signal.aborted && error === startAbort.signal.reason) return;
      await notStarted(error);
    }
  }

  async function notStarted(error: unknown): Promise<void> {
    // The process is ending; a started message is found when the turn is resumed.
    if (signal.aborted) leaveInDoubt(error);
    // It may have succeeded: finds its message, so it is not posted twice.
    else if (error instanceof UnansweredError) await lookForStart().catch(leaveInDoubt);
    else {
      poster.mayGrow = false;
      log.info({ turnId, error }, 'answers are shown whole, because Slack allows no streams here');
    }
  }

  async function lookForStart(): Promise<void> {
    await backOff(retryWaitsMs[0] ?? 0, signal);
    const there = (await poster.read()).unfinished.find((one) => voice.isOwn(one));
    if (there) message = growingMessage(context, voice, there.ts);
  }

  function leaveInDoubt(error: unknown): void {
    unknownStart = error instanceof Error ? error : new Error('unknown');
  }

  async function say(piece: string, index: number, below: readonly Block[]) {
    if (piece === '') return undefined;
    const part = index === 0 ? voice.part : `${voice.part} ${index + 1}`;
    try {
      return await poster.post(part, bodyIn(voice, piece, below), speakingAs);
    } catch (error) {
      if (!speakingAs || !isRefusal(error, ...refusedNames)) throw error;
      return poster.post(part, bodyIn(voice, `${label}\n\n${piece}`, below));
    }
  }

  return { voice, grow, end, breakOff };
}

/** Slack's error codes if it rejects a message's name or picture. */
const refusedNames = [
  'missing_scope',
  'invalid_arguments',
  'invalid_arg_name',
  'reserved_username',
  'restricted_username',
] as const;

/** Slack's error codes if the workspace allows no edits, or only for some minutes, or if the place is closed, as a post then shows. */
const refusedEdits = [
  ...['edit_window_closed', 'cant_update_message'],
  ...['is_archived', 'is_inactive', 'not_in_channel', 'channel_not_found'],
];
