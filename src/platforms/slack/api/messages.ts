/** Posts, edits and finds the app's own messages. */

import type { types } from '@slack/bolt';
import type { FilesUploadV2Arguments } from '@slack/web-api';
import { z } from 'zod';
import { firstCharacters } from '../../../domain/words.ts';
import { backOff, untilAnswered } from '../../chat/pacing/back-off.ts';
import { isDirect, type Scene, type SlackPlace } from '../place.ts';
import { SlackRefusal } from '../slack-error.ts';
import type { SlackAnswer, SlackApi } from './slack-api.ts';

export type Block = types.KnownBlock | ChartBlock;

/**
 * Slack's bar chart block, which the library's types lack.
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

/** The content of a message. */
export interface MessageBody {
  /** For notifications and clients that don't show blocks; escaped, at most 4,000 characters. */
  readonly text: string;
  /** At most 50, and at most 12,000 characters of Markdown in all. */
  readonly blocks: readonly Block[];
}

/** Metadata that identifies a message. Everyone in the conversation can read it. */
export interface MessageMark {
  readonly turnId: string;
  /** e.g. `progress`, `answer taleb`, `verdict 2`. */
  readonly part: string;
}

/** The name and picture of a message in place of the app's own. */
export type SpeakingAs = { readonly username: string } & (
  | { readonly icon_url?: string; readonly icon_emoji?: never }
  /** Short name of an emoji, with its colons. */
  | { readonly icon_emoji?: string; readonly icon_url?: never }
);

const eventType = 'council_turn';

export function metadataOf({ turnId, part }: MessageMark) {
  return { event_type: eventType, event_payload: { turn_id: turnId, part } };
}

/** No message pings anyone or shows link previews. */
const quiet = { unfurl_links: false, unfurl_media: false, link_names: false } as const;

/** A message to be posted. */
export interface Post extends MessageBody {
  readonly mark: MessageMark;
  readonly speakingAs?: SpeakingAs;
}

export const postedSchema = z.object({ ts: z.string() });

/** Where to post: in a thread, or without one in the conversation itself. */
export type Spot = Omit<SlackPlace, 'thread'> & { readonly thread?: string };

/**
 * Posts a message with one call. Without a mark, e.g. a command's reply, it can't be found again.
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
 * Posts a message exactly once: when a call gets no answer, it looks for the message before it
 * retries, because Slack does not recognise repeated posts.
 *
 * @param waitsMs - Before each look.
 * @param find - Returns the `ts` of the message.
 * @param signal - Ends the waits.
 * @returns The message's `ts`. Rejects as {@link SlackApi.call} does.
 */
export function postOnce(
  api: SlackApi,
  spot: Spot,
  message: Post,
  waitsMs: readonly number[],
  find: () => Promise<string | undefined>,
  signal?: AbortSignal,
): Promise<string> {
  return untilAnswered(() => post(api, spot, message), waitsMs, {
    wait: (waitMs) => backOff(waitMs, signal),
    look: find,
  });
}

/** Shows a message to one person until they reload Slack. */
export async function postEphemeral(
  api: SlackApi,
  { team, channel, thread }: Spot,
  userId: string,
  { text, blocks }: MessageBody,
): Promise<void> {
  const args = { channel, thread_ts: thread, user: userId, text, blocks, link_names: false };
  await api.call(team, 'chat.postEphemeral', args);
}

/**
 * Posts for one person alone: in the conversation, and where Slack refuses that, or there is none, elsewhere. In a
 * thread without replies Slack does not show such messages, so pass a thread only if the person was in it.
 *
 * @param elsewhere - Default: posts in the person's direct messages.
 */
export async function postPrivately(
  api: SlackApi,
  scene: Scene,
  message: MessageBody,
  elsewhere: () => Promise<unknown> = async () => post(api, await openDirect(api, scene), message),
): Promise<void> {
  const { channel, userId } = scene;
  if (channel === undefined) return void (await elsewhere());
  const spot = { ...scene, channel };
  try {
    if (isDirect(channel)) await post(api, spot, message);
    else await postEphemeral(api, spot, userId, message);
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    await elsewhere();
  }
}

/** Replaces a message's whole content; without `mark` it keeps its mark. Safe to repeat. */
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

const messageSchema = z
  .object({
    ts: z.string(),
    text: z.string().default(''),
    bot_id: z.string().exactOptional(),
    username: z.string().optional(),
    metadata: z.unknown().optional(),
  })
  .transform(({ ts, text, bot_id, username, metadata }) => ({
    ts,
    text,
    username,
    botId: bot_id,
    mark: markSchema.safeParse(metadata).data,
  }));

/** Parses the mark out of a message's metadata. */
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

const messagesSchema = z.object({ messages: z.array(messageSchema) });

/** The parts of a message that identify it. */
export type SeenMessage = z.infer<typeof messageSchema>;

const pageSchema = z.object({
  response_metadata: z.object({ next_cursor: z.string().default('') }).prefault({}),
});
/** A thread begins with its oldest message, so its newest are reached in the largest pages that Slack sends. */
const pageSizes = { thread: 1000, list: 200 } as const;
/** A turn never posts this many messages; the limit is for busy threads and large workspaces. */
const maxPages = 5;

/**
 * Reads a thread, or without one a channel, from a given time on, oldest first: the oldest 5,000 messages of a
 * thread, or the newest 1,000 of a channel. Needs the scope for the conversation's history.
 *
 * @param since - `ts`, or seconds since 1970.
 * @param until - The same; absent: now.
 */
export async function readSince(
  api: SlackApi,
  { team, channel, thread }: Spot,
  since: string,
  until?: string,
): Promise<readonly SeenMessage[]> {
  const within = { oldest: since, latest: until, inclusive: true };
  const args = { channel, ...within, include_all_metadata: true };
  const pages =
    thread === undefined
      ? readPages('list', (page) => api.call(team, 'conversations.history', { ...args, ...page }))
      : readPages('thread', (page) =>
          api.call(team, 'conversations.replies', { ...args, ts: thread, ...page }),
        );
  // Every page of a thread repeats its first message, however old it is.
  const seen = new Map<string, SeenMessage>();
  for await (const { answer } of pages) {
    for (const message of messagesSchema.parse(answer).messages) seen.set(message.ts, message);
  }
  return [...seen.values()].toSorted((one, other) => (one.ts < other.ts ? -1 : 1));
}

/** Reads a list page by page, as Slack sends it: 5,000 messages of a thread, otherwise 1,000 entries. */
export async function* readPages(
  kind: keyof typeof pageSizes,
  read: (page: { limit: number; cursor: string | undefined }) => Promise<SlackAnswer>,
) {
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && cursor !== ''; page++) {
    const answer = await read({ limit: pageSizes[kind], cursor });
    cursor = pageSchema.parse(answer).response_metadata.next_cursor;
    yield { answer, isLast: cursor === '' };
  }
}

/** Finds a message by its mark, as {@link readSince} reads it. @returns Its `ts`. */
export async function findMarked(
  api: SlackApi,
  spot: Spot,
  mark: MessageMark,
  since: string,
  until?: string,
): Promise<string | undefined> {
  const seen = await readSince(api, spot, since, until);
  return seen.find((one) => one.mark?.turnId === mark.turnId && one.mark.part === mark.part)?.ts;
}

/** Marks a message that the app is about to delete. */
export const withdrawnPart = 'withdrawn';

/** In characters; Slack's limit. */
const longestAltText = 1000;

/** A file that the app uploads. */
export interface UploadedFile {
  readonly name: string;
  /** Not empty: Slack rejects empty files. */
  readonly data: Buffer;
  /** Alternative text of a picture. */
  readonly description?: string | undefined;
}

const openedSchema = z.object({ channel: z.object({ id: z.string() }) });

/**
 * Posts files in one message that everyone in the conversation sees; Slack has no ephemeral files.
 * Needs the scope `files:write`. Rejects as {@link SlackApi.call} does.
 */
export async function uploadFiles(
  api: SlackApi,
  { team, channel, thread }: Spot,
  files: readonly UploadedFile[],
): Promise<void> {
  const uploads = files.map(({ name, data, description }) => ({
    filename: name,
    title: name,
    file: data,
    ...(description !== undefined && { alt_text: firstCharacters(description, longestAltText) }),
  }));
  const at = thread === undefined ? {} : { thread_ts: thread };
  const args = { channel_id: channel, ...at, file_uploads: uploads };
  await api.call(team, 'files.uploadV2', args satisfies FilesUploadV2Arguments);
}

/** Opens a person's direct messages with the app. Needs the scope `im:write`. Rejects as {@link SlackApi.call} does. */
export async function openDirect(api: SlackApi, { team, userId }: Scene): Promise<Spot> {
  const opened = await api.call(team, 'conversations.open', { users: userId });
  return { team, channel: openedSchema.parse(opened).channel.id };
}
