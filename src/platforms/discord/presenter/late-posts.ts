/** How Discord finds and deletes what a halted process said too late. */

import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import type { LatePosts } from '../../chat/show/turn-posts.ts';
import type { DiscordRest, RestRequest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import {
  deleteMessage,
  marksSchema,
  messageSchema,
  readAfter,
  type SeenMessage,
} from '../rest/messages.ts';
import { ofTurn } from './turn-marks.ts';

/** What a post says, in the form in which a message is read. */
const saidSchema = z
  .object({
    username: z.string().exactOptional(),
    content: z.string().default(''),
    components: z.array(marksSchema).default([]),
  })
  .transform(({ components, ...said }) => ({ ...said, marks: components.flat() }));

export interface LatePostsOptions {
  /** Neither ended with the turn nor asking for it. */
  readonly rest: DiscordRest;
  readonly turnId: string;
  /** Where sages speak. */
  readonly thread: string;
  /** Gives the id of a message before all of this turn. */
  readonly since: () => string;
  readonly identity: Identity;
  readonly log: Log;
}

/**
 * How posts of a turn that came too late are found and deleted, be they the bot's or a sage's. They are known
 * by who says them, by their marks, and by their words where they carry none.
 */
export function latePosts(options: LatePostsOptions): LatePosts<RestRequest, unknown> {
  const { rest, turnId, thread, since, log } = options;
  const { userId, applicationId } = options.identity;
  const channelOf = ({ path }: RestRequest) =>
    /^\/channels\/(\d+)\/messages$/.exec(path)?.[1] ?? thread;
  const own = ({ path, query }: RestRequest, id: string) => {
    const place = query?.get('thread_id');
    return {
      path: `${path}/messages/${id}`,
      ...(place ? { query: new URLSearchParams({ thread_id: place }) } : {}),
      isAuthorizedByPath: true,
    } as const;
  };
  /** Without the intent for it Discord shows what a webhook said to its own token alone. */
  const contentOf = async (sent: RestRequest, { id, content }: SeenMessage) =>
    content === '' && sent.isAuthorizedByPath
      ? messageSchema.parse(await rest.repeatedly({ method: 'GET', ...own(sent, id) })).content
      : content;
  return {
    log,
    settle: () => rest.backOff(rest.retryWaitsMs[0] ?? 0),
    async same(sent) {
      const { username, content, marks } = saidSchema.parse(sent.body);
      // E.g. that no thread could be opened: it can't be told from other messages.
      if (content === '' && marks.length === 0) return [];
      const isOwn = ({ author, application_id }: SeenMessage) =>
        username === undefined
          ? author.id === userId
          : author.username === username && application_id === applicationId;
      const ids: string[] = [];
      const seen = ofTurn(turnId, userId, await readAfter(rest, channelOf(sent), since()));
      for (const one of seen.filter(isOwn)) {
        const isMarked = marks.every((mark) => one.marks.includes(mark));
        if (isMarked && (await contentOf(sent, one)).trim() === content.trim()) ids.push(one.id);
      }
      return ids;
    },
    idOf: (answer) => messageSchema.parse(answer).id,
    async remove(sent, id) {
      if (!sent.isAuthorizedByPath) return deleteMessage(rest, channelOf(sent), id);
      await rest.repeatedly({ method: 'DELETE', ...own(sent, id) });
    },
  };
}
