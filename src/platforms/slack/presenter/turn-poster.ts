/** Posts the messages of one turn, one after another, each of them once. */

import type { Log } from '../../../domain/log.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import {
  type MessageBody,
  type MessageMark,
  type Post,
  postOnce,
  type SpeakingAs,
} from '../api/messages.ts';
import { withEnd, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isAway, isRefusal, type SlackRefusal } from '../slack-error.ts';
import type { SlackPlace } from '../thread-id.ts';
import { withoutBlocks } from './blocks.ts';
import {
  type BegunMessage,
  emptyRecord,
  readTurn,
  sinceAsked,
  type TurnRecord,
} from './turn-record.ts';

export interface TurnPosterOptions {
  readonly api: SlackApi;
  /** Repeats what may be carried out twice. */
  readonly patientApi: SlackApi;
  readonly pacer: Pacer;
  readonly log: Log;
  readonly place: SlackPlace;
  readonly turnId: string;
  /** By which the app's own messages are known. */
  readonly botId: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** Waits before each look whether a post that nothing was answered to is there. */
  readonly retryWaitsMs: readonly number[];
  /** Nothing is posted any more. */
  readonly signal: AbortSignal;
}

export class TurnPoster {
  readonly #options: TurnPosterOptions;
  #away: Error | undefined;
  #record: TurnRecord = emptyRecord;
  #missed: Error | undefined;
  /** The channel or thread is gone or closed: nothing more can be posted. */
  #isLost = false;

  constructor(options: TurnPosterOptions) {
    this.#options = options;
  }

  /** Why a message of the turn is not there; absent: all are. */
  get missed(): Error | undefined {
    return this.#missed;
  }

  /** Looks what an earlier process has posted of this turn already. */
  async recall(): Promise<void> {
    this.#record = await this.read();
  }

  /** What is in the thread now; nothing, where the app may not look. */
  async read(): Promise<TurnRecord> {
    const { patientApi, place, turnId, askedAt, botId, log, signal } = this.#options;
    try {
      return await readTurn(
        withEnd(withRetryAfter(patientApi), signal),
        place,
        turnId,
        sinceAsked(askedAt),
        botId,
      );
    } catch (error) {
      if (!isRefusal(error, 'missing_scope')) throw error;
      log.warn({ turnId, error }, 'the thread can’t be read, so something may be said twice');
      return emptyRecord;
    }
  }

  /** `ts` of a part that was there when the turn was taken up. */
  known(part: string): string | undefined {
    return this.#record.parts.get(part);
  }

  /** What was begun and not ended when the turn was taken up. */
  begun(isIt: (message: BegunMessage) => boolean): BegunMessage | undefined {
    return this.#record.begun.find(isIt);
  }

  /**
   * Posts a part of the turn.
   *
   * @returns Its `ts`, also when it was there already; `undefined` when nothing can be posted.
   *   Rejects with what Slack refuses in the message itself, and when no answer came for long.
   */
  async post(
    part: string,
    body: MessageBody,
    speakingAs?: SpeakingAs,
  ): Promise<string | undefined> {
    const known = this.known(part);
    if (known !== undefined || this.#isLost) return known;
    const { api, pacer, place, turnId, log, retryWaitsMs, signal } = this.#options;
    const mark = { turnId, part };
    const post = { ...body, mark, ...(speakingAs ? { speakingAs } : {}) };
    const find = async ({ part: wanted }: MessageMark) => (await this.read()).parts.get(wanted);
    const send = (shown: Post) =>
      pacer.post(
        this.destination,
        () => postOnce(api, place, shown, retryWaitsMs, find, signal),
        signal,
      );
    try {
      return await send(post).catch((error: unknown) => {
        if (!refusesForm(error)) throw error;
        log.warn({ turnId, part, error }, 'a message was refused as it was; it is said plainly');
        return send({ ...post, ...withoutBlocks(body) });
      });
    } catch (error) {
      if (!isLost(error)) throw error;
      this.miss(error);
      this.#isLost = true;
      return undefined;
    }
  }

  /** Why something can't be posted now, and may be later; absent: nothing. */
  get away(): Error | undefined {
    return this.#away;
  }

  /** Something of the turn could not be shown; told in the log, and in the end to the people. */
  miss(error: unknown): void {
    const { turnId, log, signal } = this.#options;
    if (signal.aborted) return;
    if (isAway(error)) this.#away ??= error;
    log.warn({ turnId, error }, 'a message of the turn could not be shown');
    this.#missed ??= error instanceof Error ? error : new Error('unknown');
  }

  get destination() {
    const { channel, thread } = this.#options.place;
    return { thread: `${channel} ${thread}`, channel };
  }
}

/** Slack takes no message of this form, whatever is said in it. */
function refusesForm(error: unknown): boolean {
  return isRefusal(
    error,
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_blocks_too_long',
    'msg_too_long',
    'block_mismatch',
    'no_text',
  );
}

function isLost(error: unknown): error is SlackRefusal {
  return isRefusal(
    error,
    'channel_not_found',
    'is_archived',
    'not_in_channel',
    'thread_not_found',
    'message_not_found',
    'restricted_action',
    'restricted_action_thread_locked',
    'restricted_action_read_only_channel',
    'cannot_reply_to_message',
    'team_access_not_granted',
  );
}
