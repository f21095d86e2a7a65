/** Posts the messages of one turn, one after another, each of them once; what is in the thread already is found again. */

import type { Log } from '../../../domain/log.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import {
  type MessageBody,
  type MessageMark,
  type Post,
  postOnce,
  readReplies,
  type SeenMessage,
  type SpeakingAs,
} from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Recipient } from '../api/streams.ts';
import type { SlackPlace } from '../place.ts';
import { isRefusal } from '../slack-error.ts';
import { withoutBlocks, withoutCharts } from './blocks.ts';

/** A message of the app that was begun and not ended: it carries no mark yet. Without a name it is the app's own. */
export type UnfinishedMessage = Pick<SeenMessage, 'ts' | 'username' | 'text'>;

/** What of a turn is in its thread already. */
export interface TurnRecord {
  /** `ts` of what was said whole, by part. */
  readonly parts: ReadonlyMap<string, string>;
  /** Said after the turn's first message, oldest first. */
  readonly begun: readonly UnfinishedMessage[];
}

const emptyRecord: TurnRecord = { parts: new Map(), begun: [] };

/** The message that a turn begins with. */
export const firstPart = 'progress';
/** The post that shows what was asked by command. */
export const questionPart = 'question';
/** The post that shows a verdict in the channel of its thread. */
export const postedPart = 'posted';

/** Clocks differ, and a turn's messages are known by their marks anyway. */
const marginMs = 600_000;

/** From when on the messages of a turn are looked for, in seconds since 1970; nothing of it is older. */
export function sinceAsked(askedAt: number): string {
  return ((askedAt - marginMs) / 1000).toFixed(6);
}

/** What one turn is shown with. */
export interface TurnContext {
  readonly turnId: string;
  readonly place: SlackPlace;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** By which the app's own messages are known. */
  readonly botId: string;
  /** Sages may speak under their own names. */
  readonly hasPersonas: boolean;
  /** Slack turned out not to let them. */
  readonly onNoPersonas: () => void;
  /** Who is answered; absent in direct messages. */
  readonly recipient: Recipient | undefined;
  readonly api: SlackApi;
  /** Repeats what may be carried out twice. */
  readonly patientApi: SlackApi;
  /** For looking something up: waits out Slack's limits as well. */
  readonly lookingApi: SlackApi;
  readonly pacer: Pacer;
  readonly posts: TurnPosts;
  readonly log: Log;
  /** Waits before each look whether a post that nothing was answered to is there. */
  readonly retryWaitsMs: readonly number[];
  /** Nothing is posted any more, and messages that grow stay as they are. */
  readonly signal: AbortSignal;
}

export class TurnPoster {
  readonly #context: TurnContext;
  #record: TurnRecord = emptyRecord;
  /** Whether Slack lets messages grow here, as far as is known. */
  mayGrow = true;

  constructor(context: TurnContext) {
    this.#context = context;
  }

  /** Looks what an earlier process has posted of this turn already. */
  async recall(): Promise<void> {
    this.#record = await this.read();
  }

  /** Reads the thread once; nothing is in it where the app may not look. */
  async read(): Promise<TurnRecord> {
    const { lookingApi, place, turnId, askedAt, botId, log } = this.#context;
    try {
      const said = await readReplies(lookingApi, place, sinceAsked(askedAt));
      return recordOf(
        turnId,
        said.filter((message) => message.botId === botId),
      );
    } catch (error) {
      if (!isRefusal(error, 'missing_scope')) throw error;
      log.warn({ turnId, error }, 'the thread can’t be read, so something may be posted twice');
      return emptyRecord;
    }
  }

  /** `ts` of a part that was there when the turn was taken up. */
  known(part: string): string | undefined {
    return this.#record.parts.get(part);
  }

  /** What was begun and not ended when the turn was taken up. */
  begun(isIt: (message: UnfinishedMessage) => boolean): UnfinishedMessage | undefined {
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
    if (known !== undefined) return known;
    return this.#context.posts.unlessLost(() => this.send(part, body, speakingAs));
  }

  /**
   * Posts a part that is not there yet, and said plainly where Slack does not take its form.
   *
   * @param plainer - Makes what is tried before that; absent: nothing is.
   */
  async send(
    part: string,
    body: MessageBody,
    speakingAs?: SpeakingAs,
    plainer?: () => MessageBody,
  ): Promise<string> {
    const { api, pacer, place, turnId, log, retryWaitsMs, signal } = this.#context;
    const mark = { turnId, part };
    const post = { ...body, mark, ...(speakingAs ? { speakingAs } : {}) };
    const find = async ({ part: wanted }: MessageMark) => (await this.read()).parts.get(wanted);
    const sendOnce = (shown: Post) =>
      pacer.post(
        this.destination,
        () => postOnce(api, place, shown, retryWaitsMs, find, signal),
        signal,
      );
    try {
      return await sendOnce(post);
    } catch (error) {
      if (!refusesForm(error)) throw error;
      log.warn({ turnId, part, error }, 'a message was refused; it is sent in a plainer form');
      if (plainer) return this.send(part, plainer(), speakingAs);
      const blocks = withoutCharts(body.blocks);
      if (blocks) return this.send(part, { ...body, blocks }, speakingAs);
      return sendOnce({ ...post, ...withoutBlocks(body) });
    }
  }

  get destination() {
    const { channel, thread } = this.#context.place;
    return { thread: `${channel} ${thread}`, channel };
  }
}

/** Slack takes no message of this form, whatever is said in it. */
export function refusesForm(error: unknown): boolean {
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

/** @param own - What the app has said in the thread since the turn was asked, oldest first. */
function recordOf(turnId: string, own: readonly SeenMessage[]): TurnRecord {
  const parts = new Map(
    own.flatMap(({ ts, mark }) => (mark?.turnId === turnId ? [[mark.part, ts] as const] : [])),
  );
  const first = parts.get(firstPart);
  // What carries no mark is of the turn whose first message came last, be it a later turn's that was run before.
  const beginnings = own.filter(({ mark }) => mark?.part === firstPart);
  const beginningOf = (ts: string) => beginnings.findLast((one) => one.ts < ts)?.ts;
  return {
    parts,
    begun: own.filter(({ ts, mark }) => !mark && first !== undefined && beginningOf(ts) === first),
  };
}
