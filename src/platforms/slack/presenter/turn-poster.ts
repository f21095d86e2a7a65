/** Posts the messages of one turn in order and once each, and finds those that are already in the thread. */

import type { Pacer } from '../../chat/pacing/pacer.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import {
  type MessageBody,
  postOnce,
  readSince,
  type SeenMessage,
  type SpeakingAs,
} from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Recipient } from '../api/streams.ts';
import type { SlackPlace } from '../place.ts';
import { isRefusal } from '../slack-error.ts';
import { type Drawing, drawnOrInText, withoutBlocks } from './blocks.ts';

/** A message of the app whose stream has not ended: it has no mark yet. Without `username` it is the app's own. */
export type UnfinishedMessage = Pick<SeenMessage, 'ts' | 'username' | 'text'>;

/** The messages of a turn that are already in its thread. */
export interface TurnRecord {
  /** `ts` of complete messages, by part. */
  readonly parts: ReadonlyMap<string, string>;
  /** Those after the turn's first message, oldest first. */
  readonly unfinished: readonly UnfinishedMessage[];
  /** No later turn of the thread has begun. */
  readonly isLast: boolean;
}

const emptyRecord: TurnRecord = { parts: new Map(), unfinished: [], isLast: true };

/** The mark of a turn's first message. */
export const firstPart = 'progress';
/** The mark of the post of a question that was asked by command. */
export const questionPart = 'question';
/** The mark of a verdict that was posted to the channel. */
export const postedPart = 'posted';

/** Generous, because clocks differ and marks identify the messages anyway. */
const marginMs = 600_000;

/** A time before all messages of a turn, in seconds since 1970. */
export function sinceAsked(askedAt: number): string {
  return ((askedAt - marginMs) / 1000).toFixed(6);
}

/** Everything that the parts of one turn's canvas share. */
export interface TurnContext extends Drawing {
  readonly place: SlackPlace;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** Identifies the app's own messages. */
  readonly botId: string;
  /** Whether sages may post under their own names. */
  readonly hasPersonas: boolean;
  /** The person who asked; absent in direct messages. */
  readonly recipient: Recipient | undefined;
  readonly api: SlackApi;
  /** Retries; for calls that are safe to repeat. */
  readonly patientApi: SlackApi;
  /** Also waits out Slack's rate limits; for lookups. */
  readonly lookingApi: SlackApi;
  readonly pacer: Pacer;
  readonly posts: TurnPosts;
  /** Waits before each look for an unanswered post. */
  readonly retryWaitsMs: readonly number[];
  /** Ends all posts and edits. */
  readonly signal: AbortSignal;
}

export type TurnPoster = ReturnType<typeof turnPoster>;

export function turnPoster(context: TurnContext) {
  const { api, lookingApi, pacer, posts, place } = context;
  const { turnId, log, retryWaitsMs, signal } = context;
  const { channel } = place;
  let record = emptyRecord;

  /** Reads the turn's messages in the thread; empty if the app may not read it. */
  async function read(): Promise<TurnRecord> {
    try {
      return await readTurn(lookingApi, context);
    } catch (error) {
      if (!isRefusal(error, 'missing_scope')) throw error;
      log.warn({ turnId, error }, 'the thread can’t be read, so something may be posted twice');
      return emptyRecord;
    }
  }

  /** Posts a part that does not exist yet. If Slack rejects its form, it is sent in plainer ones. */
  async function send(part: string, body: MessageBody, speakingAs?: SpeakingAs): Promise<string> {
    const post = { ...body, mark: { turnId, part }, ...(speakingAs ? { speakingAs } : {}) };
    const find = async () => (await read()).parts.get(part);
    const destination = { thread: `${channel} ${place.thread}`, channel };
    return drawnOrInText(body.blocks, context, (blocks) => {
      const shown = { ...post, ...(blocks.length > 0 ? { blocks } : withoutBlocks(body)) };
      const sendOnce = () => postOnce(api, place, shown, retryWaitsMs, find, signal);
      return pacer.post(destination, sendOnce, signal);
    });
  }

  /** `ts` of a part that an earlier process has posted. */
  const known = (part: string) => record.parts.get(part);

  return {
    /** Whether Slack allows streams here: assumed until it rejects one. */
    mayGrow: true,
    read,
    send,
    known,

    /** Finds what an earlier process has posted of this turn. */
    async recall(): Promise<void> {
      record = await read();
    },

    /** Finds a message that an earlier process has started and not ended. */
    unfinished: (isIt: (message: UnfinishedMessage) => boolean) => record.unfinished.find(isIt),

    /**
     * Posts a part of the turn unless it exists.
     *
     * @returns Its `ts`; `undefined` if nothing can be posted here. Rejects if Slack refuses this message,
     *   or does not answer for long.
     */
    async post(part: string, body: MessageBody, speakingAs?: SpeakingAs) {
      return known(part) ?? (await posts.unlessLost(() => send(part, body, speakingAs)));
    },
  };
}

/** Reads the messages of a turn in its thread. Rejects as {@link SlackApi.call} does. */
export async function readTurn(
  api: SlackApi,
  { turnId, place, askedAt, botId }: Pick<TurnContext, 'turnId' | 'place' | 'askedAt' | 'botId'>,
): Promise<TurnRecord> {
  const said = await readSince(api, place, sinceAsked(askedAt));
  const own = said.filter((message) => message.botId === botId);
  const parts = new Map(
    own.flatMap(({ ts, mark }) => (mark?.turnId === turnId ? [[mark.part, ts] as const] : [])),
  );
  const first = parts.get(firstPart);
  // An unmarked message belongs to the turn whose first message is the latest before it, even if that turn was asked later.
  const beginnings = own.filter(({ mark }) => mark?.part === firstPart);
  const beginningOf = (ts: string) => beginnings.findLast((one) => one.ts < ts)?.ts;
  return {
    parts,
    unfinished: own.filter(
      ({ ts, mark }) => !mark && first !== undefined && beginningOf(ts) === first,
    ),
    isLast: beginnings.at(-1)?.ts === first,
  };
}
