/** Messages of the app: said once, changed, and found again. */

import type { types } from '@slack/bolt';
import type { FilesUploadV2Arguments } from '@slack/web-api';
import { z } from 'zod';
import { backOff, untilAnswered } from '../../chat/pacing/back-off.ts';
import type { SlackPlace } from '../place.ts';
import type { SlackApi } from './slack-api.ts';

export type Block = types.KnownBlock | ChartBlock;

/**
 * A bar chart of Slack's own, which the library's types lack.
 * @see https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
 */
export interface ChartBlock {
  readonly type: 'data_visualization';
  /** At most 50 characters. */
  readonly title: string;
  readonly chart: {
    readonly type: 'bar';
    /** At most 6, each with one value for each category. */
    readonly series: readonly {
      readonly name: string;
      readonly data: readonly { readonly label: string; readonly value: number }[];
    }[];
    readonly axis_config: {
      /** At most 20, each of at most 20 characters. */
      readonly categories: readonly string[];
    };
  };
}

/** What a message shows. */
export interface MessageBody {
  /** For notifications and readers without blocks; escaped, at most 4,000 characters. */
  readonly text: string;
  /** At most 50, and at most 12,000 characters of Markdown in all. */
  readonly blocks: readonly Block[];
}

/** By which a message is found again. Everybody in the conversation can read it. */
export interface MessageMark {
  readonly turnId: string;
  /** e.g. `progress`, `answer taleb`, `verdict 2`. */
  readonly part: string;
}

/** Under which name a message is said, instead of the app's own. */
export interface SpeakingAs {
  readonly username: string;
  readonly icon_url?: string;
  /** Short name of an emoji between colons. */
  readonly icon_emoji?: string;
}

const eventType = 'council_turn';

export function metadataOf({ turnId, part }: MessageMark) {
  return { event_type: eventType, event_payload: { turn_id: turnId, part } };
}

/** Nothing that is said pings, and no link is shown at large. */
const quiet = { unfurl_links: false, unfurl_media: false, link_names: false } as const;

/** A message to be posted. */
export interface Post extends MessageBody {
  readonly mark: MessageMark;
  readonly speakingAs?: SpeakingAs;
}

export const postedSchema = z.object({ ts: z.string() });

/** Where something can be said: in a thread, or without one in the conversation itself. */
export type Spot = Omit<SlackPlace, 'thread'> & { readonly thread?: string };

/**
 * Says something, once; without a mark, e.g. a command's answer, it is never looked for again.
 *
 * @returns The message's `ts`. Rejects as {@link SlackApi.call} does.
 */
export async function post(
  api: SlackApi,
  { team, channel, thread }: Spot,
  { text, blocks, mark, speakingAs }: MessageBody & Partial<Post>,
): Promise<string> {
  const args = { channel, thread_ts: thread, text, blocks, ...quiet, ...speakingAs };
  const metadata = mark && metadataOf(mark);
  return postedSchema.parse(await api.call(team, 'chat.postMessage', { ...args, metadata })).ts;
}

/**
 * Posts, once. Where no answer comes it looks for the message before it tries again, because Slack
 * itself knows no repetition.
 *
 * @param waitsMs - Before each look.
 * @param find - Looks for the message with this mark; gives its `ts`.
 * @param signal - Ends the waits.
 * @returns The message's `ts`. Rejects as {@link SlackApi.call} does.
 */
export function postOnce(
  api: SlackApi,
  spot: Spot,
  message: Post,
  waitsMs: readonly number[],
  find: (mark: MessageMark) => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<string> {
  return untilAnswered(() => post(api, spot, message), waitsMs, {
    wait: (waitMs) => backOff(waitMs, signal),
    look: () => find(message.mark),
  });
}

/** Shows a message to one person, until they reload. */
export async function postEphemeral(
  api: SlackApi,
  { team, channel, thread }: Spot,
  userId: string,
  { text, blocks }: MessageBody,
): Promise<void> {
  const args = { channel, thread_ts: thread, user: userId, text, blocks, link_names: false };
  await api.call(team, 'chat.postEphemeral', args);
}

/** Replaces all that a message shows; without a mark it keeps the one that it has. May be repeated. */
export async function updateMessage(
  api: SlackApi,
  { team, channel }: SlackPlace,
  ts: string,
  { text, blocks }: MessageBody,
  mark?: MessageMark,
): Promise<void> {
  const metadata = mark && metadataOf(mark);
  await api.call(team, 'chat.update', { channel, ts, text, blocks, link_names: false, metadata });
}

/** Address of a message, for people. */
export async function permalinkOf(
  api: SlackApi,
  { team, channel }: SlackPlace,
  ts: string,
): Promise<string> {
  const answer = await api.call(team, 'chat.getPermalink', { channel, message_ts: ts });
  return z.object({ permalink: z.string() }).parse(answer).permalink;
}

const messageSchema = z
  .object({
    ts: z.string(),
    text: z.string().default(''),
    bot_id: z.string().exactOptional(),
    username: z.string().optional(),
    metadata: z.unknown().optional(),
  })
  .transform(({ ts, text, bot_id, username, metadata }) => ({
    ...{ ts, text, username },
    botId: bot_id,
    mark: markSchema.safeParse(metadata).data,
  }));

/** A mark, as a message carries it. */
export const markSchema = z
  .object({
    event_type: z.literal(eventType),
    event_payload: z.object({ turn_id: z.string(), part: z.string() }),
  })
  .transform(
    ({ event_payload }): MessageMark => ({
      turnId: event_payload.turn_id,
      part: event_payload.part,
    }),
  );

/** A message, as far as it is needed to recognise it. */
export type SeenMessage = z.infer<typeof messageSchema>;

const pageSchema = z.object({
  messages: z.array(messageSchema),
  response_metadata: z.object({ next_cursor: z.string().default('') }).prefault({}),
});
const pageSize = 200;
/** A turn never posts as many; whatever else people say there must end somewhere. */
const maxPages = 5;

/**
 * What was said in a thread from a moment on, oldest first, at most 1,000 messages.
 *
 * @param since - `ts`, or seconds since 1970.
 */
export async function readReplies(
  api: SlackApi,
  { team, channel, thread }: SlackPlace,
  since: string,
): Promise<readonly SeenMessage[]> {
  const seen = await readPages(api, team, 'conversations.replies', { channel, ts: thread }, since);
  // The thread's first message comes with every page, however old it is.
  return [...new Map(seen.map((message) => [message.ts, message])).values()].toSorted(byAge);
}

async function readPages(
  api: SlackApi,
  team: string,
  method: 'conversations.replies' | 'conversations.history',
  where: Readonly<Record<string, string>>,
  since: string,
): Promise<readonly SeenMessage[]> {
  const seen: SeenMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const answer = await api.call(team, method, {
      ...{ ...where, oldest: since, inclusive: true, limit: pageSize, cursor },
      include_all_metadata: true,
    });
    const { messages, response_metadata } = pageSchema.parse(answer);
    seen.push(...messages);
    cursor = response_metadata.next_cursor;
    if (cursor === '') break;
  }
  return seen;
}

/**
 * Finds a message by its mark; needs the history of the conversation.
 *
 * @param since - `ts`, or seconds since 1970; nothing older is looked at.
 * @returns Its `ts`. Of a thread and of a channel 1,000 messages are looked at, of a channel the newest.
 */
export async function findMarked(
  api: SlackApi,
  { team, channel, thread }: Spot,
  mark: MessageMark,
  since: string,
): Promise<string | undefined> {
  const seen =
    thread === undefined
      ? await readPages(api, team, 'conversations.history', { channel }, since)
      : await readReplies(api, { team, channel, thread }, since);
  return seen.find((one) => one.mark?.turnId === mark.turnId && one.mark.part === mark.part)?.ts;
}

/** The part of a message that the app itself is about to delete. */
export const withdrawnPart = 'withdrawn';

function byAge(one: { readonly ts: string }, other: { readonly ts: string }): number {
  return one.ts < other.ts ? -1 : 1;
}

/** Files that the app gives people. */
export interface TextFile {
  readonly name: string;
  /** Not empty: Slack takes no empty file. */
  readonly content: string;
}

const openedSchema = z.object({ channel: z.object({ id: z.string() }) });

/**
 * Posts files as one message, which everybody in the conversation sees: Slack has none for one person.
 * Needs the scope `files:write`. Rejects as {@link SlackApi.call} does.
 */
export async function uploadFiles(
  api: SlackApi,
  { team, channel, thread }: Spot,
  files: readonly TextFile[],
): Promise<void> {
  const uploads = files.map(({ name, content }) => ({ filename: name, title: name, content }));
  const at = thread === undefined ? {} : { thread_ts: thread };
  const args = { channel_id: channel, ...at, file_uploads: uploads };
  await api.call(team, 'files.uploadV2', args satisfies FilesUploadV2Arguments);
}

/** The conversation of a person with the app alone. Needs the scope `im:write`. Rejects as {@link SlackApi.call} does. */
export async function openDirect(api: SlackApi, team: string, userId: string): Promise<string> {
  const opened = await api.call(team, 'conversations.open', { users: userId });
  return openedSchema.parse(opened).channel.id;
}
