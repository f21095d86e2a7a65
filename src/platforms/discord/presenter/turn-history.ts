/** Finds a turn's messages in Discord: those of an earlier process, and those that a halted one posted too late. */

import { z } from 'zod';
import type { LatePosts } from '../../chat/show/turn-posts.ts';
import { DiscordRefusal, isRefusal } from '../discord-error.ts';
import type { RestRequest } from '../rest/discord-rest.ts';
import {
  deleteMessage,
  marksSchema,
  messageSchema,
  readAfter,
  readMessage,
  type SeenMessage,
} from '../rest/messages.ts';
import { readThreadId } from '../thread-id.ts';
import type { OpenedTurn, TurnContext } from './open-turn.ts';
import { messagesOfTurn } from './turn-marks.ts';

export type Posted = Pick<SeenMessage, 'id' | 'hasFile'>;

/** What has been posted of a turn, as far as this process knows. */
export interface PostedTurn {
  /** The bot's messages, by mark and by first line. */
  readonly marked: ReadonlyMap<number, Posted>;
  readonly labelled: ReadonlyMap<string, Posted>;
  /** The number of each persona's messages, by the name under which it speaks. */
  readonly said: ReadonlyMap<string, number>;
}

/** @returns `undefined` without permission to read the history. */
export async function readPosted(turn: OpenedTurn): Promise<PostedTurn | undefined> {
  const { rest, request, from } = turn;
  const { userId, applicationId } = turn.identity;
  const seen = await readAfter(rest, readThreadId(request.threadId).thread, from);
  if (seen.length === 0 && !(await mayRead(turn))) return undefined;
  const posted = messagesOfTurn(request.turnId, userId, seen);
  const own = posted.filter(({ author }) => author.id === userId);
  const said = new Map<string, number>();
  for (const { author, webhook_id, application_id } of posted) {
    const isWebhook = webhook_id !== undefined && webhook_id !== applicationId;
    if (!isWebhook || application_id !== applicationId) continue;
    said.set(author.username, (said.get(author.username) ?? 0) + 1);
  }
  return {
    marked: new Map(own.flatMap((one) => one.marks.map((mark) => [mark, one]))),
    labelled: new Map(own.map((one) => [one.content.split('\n', 1)[0] ?? '', one])),
    said,
  };
}

/** Without permission, Discord returns an empty history, but refuses a single message. */
async function mayRead({ rest, card }: OpenedTurn): Promise<boolean> {
  try {
    await readMessage(rest, card.channelId, card.messageId);
    return true;
  } catch (error) {
    if (isRefusal(error, 'missingPermissions', 'missingAccess')) return false;
    if (error instanceof DiscordRefusal) return true;
    throw error;
  }
}

/** A request that posts, in the form of a message that was read. */
const saidSchema = z
  .object({
    username: z.string().exactOptional(),
    content: z.string().default(''),
    components: z.array(marksSchema).default([]),
  })
  .transform(({ components, ...said }) => ({ ...said, marks: components.flat() }));

/** `rest` is neither bound to the turn's signal nor checks its lease. */
interface LatePostsOptions extends Pick<TurnContext, 'rest' | 'request' | 'identity' | 'log'> {
  /** Id of a message before all of this turn's. */
  readonly since: () => string;
}

/**
 * Finds and deletes posts of a turn that came too late, by the bot or a sage. Author, marks and, without
 * marks, the text identify them.
 */
export function latePosts(options: LatePostsOptions): LatePosts<RestRequest, unknown> {
  const { rest, request, since, log } = options;
  const { userId, applicationId } = options.identity;
  const { thread } = readThreadId(request.threadId);
  const channelOf = ({ path }: RestRequest) =>
    /^\/channels\/(\d+)\/messages$/.exec(path)?.[1] ?? thread;
  const webhookRequest = ({ path, query }: RestRequest, id: string) => {
    const place = query?.get('thread_id');
    return {
      path: `${path}/messages/${id}`,
      ...(place ? { query: new URLSearchParams({ thread_id: place }) } : {}),
      isAuthorizedByPath: true,
    } as const;
  };
  /** Without the message content intent, Discord shows a webhook's text only to its own token. */
  const contentOf = async (sent: RestRequest, { id, content }: SeenMessage) =>
    content === '' && sent.isAuthorizedByPath
      ? messageSchema.parse(await rest.withRetries({ method: 'GET', ...webhookRequest(sent, id) }))
          .content
      : content;
  return {
    log,
    settle: () => rest.backOff(rest.retryWaitsMs[0] ?? 0),
    async same(sent) {
      const { username, content, marks } = saidSchema.parse(sent.body);
      // It can't be recognized.
      if (content === '' && marks.length === 0) return [];
      const isOwn = ({ author, application_id }: SeenMessage) =>
        username === undefined
          ? author.id === userId
          : author.username === username && application_id === applicationId;
      const ids: string[] = [];
      const seen = messagesOfTurn(
        request.turnId,
        userId,
        await readAfter(rest, channelOf(sent), since()),
      );
      for (const one of seen.filter(isOwn)) {
        const isMarked = marks.every((mark) => one.marks.includes(mark));
        if (isMarked && (await contentOf(sent, one)).trim() === content.trim()) ids.push(one.id);
      }
      return ids;
    },
    idOf: (answer) => messageSchema.parse(answer).id,
    async remove(sent, id) {
      if (!sent.isAuthorizedByPath) return deleteMessage(rest, channelOf(sent), id);
      await rest.withRetries({ method: 'DELETE', ...webhookRequest(sent, id) });
    },
  };
}
