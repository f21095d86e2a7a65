/** Finds a turn's messages in Discord: those of an earlier process, and those that a halted one posted too late. */

import { z } from 'zod';
import { bareName } from '../../chat/show/personas.ts';
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
import type { OpenedTurn, TurnContext } from './open-turn.ts';
import { messagesOfTurn } from './turn-marks.ts';

export type Posted = Pick<SeenMessage, 'id' | 'hasFile'>;

export class TurnHistory {
  readonly #turn: OpenedTurn;
  #posted: readonly SeenMessage[] = [];
  /** The number of each persona's messages, by its name. */
  #said = new Map<string, number>();

  constructor(turn: OpenedTurn) {
    this.#turn = turn;
  }

  /**
   * Reads the posted messages. Before that, only messages by this process are known.
   *
   * @returns Whether they could be read.
   */
  async recall(): Promise<boolean> {
    const seen = await this.#read();
    if (!seen) return false;
    const { turnId, identity } = this.#turn;
    this.#posted = messagesOfTurn(turnId, identity.userId, seen);
    this.#said = this.#countByPersona();
    return true;
  }

  /** The bot's message with this mark. */
  marked(mark: number): Posted | undefined {
    return this.#own(({ marks }) => marks.includes(mark));
  }

  /** The bot's message with this first line. */
  labelled(label: string): Posted | undefined {
    return this.#own(({ content }) => content.split('\n', 1)[0] === label);
  }

  #own(isWanted: (one: SeenMessage) => boolean): Posted | undefined {
    const { userId } = this.#turn.identity;
    return this.#posted.find((one) => one.author.id === userId && isWanted(one));
  }

  /** The number of a persona's messages, as far as this process knows. */
  said(name: string): number {
    return this.#said.get(name) ?? 0;
  }

  noteSaid(name: string): void {
    this.#said.set(name, this.said(name) + 1);
  }

  /** @returns `undefined` without permission to read the history. */
  async #read(): Promise<readonly SeenMessage[] | undefined> {
    const { venue, from } = this.#turn;
    const seen = await readAfter(this.#turn.rest, venue.channelId, from);
    return seen.length > 0 || (await this.#mayRead()) ? seen : undefined;
  }

  /** Without permission, Discord returns an empty history, but refuses a single message. */
  async #mayRead(): Promise<boolean> {
    const { card } = this.#turn;
    try {
      await readMessage(this.#turn.rest, card.channelId, card.messageId);
      return true;
    } catch (error) {
      if (isRefusal(error, 'missingPermissions', 'missingAccess')) return false;
      if (error instanceof DiscordRefusal) return true;
      throw error;
    }
  }

  #countByPersona(): Map<string, number> {
    const { applicationId } = this.#turn.identity;
    const counts = new Map<string, number>();
    for (const { author, webhook_id, application_id } of this.#posted) {
      const isWebhook = webhook_id !== undefined && webhook_id !== applicationId;
      if (!isWebhook || application_id !== applicationId) continue;
      const name = bareName(author.username);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
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
interface LatePostsOptions extends Pick<TurnContext, 'rest' | 'turnId' | 'identity' | 'log'> {
  /** Where the turn is shown. */
  readonly thread: string;
  /** Id of a message before all of this turn's. */
  readonly since: () => string;
}

/**
 * Finds and deletes posts of a turn that came too late, by the bot or a sage. Author, marks and, without
 * marks, the text identify them.
 */
export function latePosts(options: LatePostsOptions): LatePosts<RestRequest, unknown> {
  const { rest, turnId, thread, since, log } = options;
  const { userId, applicationId } = options.identity;
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
      // E.g. that no thread could be opened, which can't be identified.
      if (content === '' && marks.length === 0) return [];
      const isOwn = ({ author, application_id }: SeenMessage) =>
        username === undefined
          ? author.id === userId
          : author.username === username && application_id === applicationId;
      const ids: string[] = [];
      const seen = messagesOfTurn(turnId, userId, await readAfter(rest, channelOf(sent), since()));
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
