/** Finds a turn's messages in Discord: those of an earlier process, and those that a halted one posted too late. */

import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { bareName } from '../../chat/show/personas.ts';
import type { LatePosts } from '../../chat/show/turn-posts.ts';
import { DiscordRefusal, isRefusal } from '../discord-error.ts';
import type { DiscordRest, RestRequest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import {
  deleteMessage,
  marksSchema,
  messageSchema,
  readAfter,
  readMessage,
  type SeenMessage,
} from '../rest/messages.ts';
import type { OpenedTurn, TurnSurroundings } from './open-turn.ts';
import { ofTurn } from './turn-marks.ts';

/** A message that is there. */
export type Posted = Pick<SeenMessage, 'id' | 'hasFile'>;

export class TurnHistory {
  readonly #opened: OpenedTurn;
  readonly #around: TurnSurroundings;
  /** How many messages each persona has said, by its name. */
  readonly #said = new Map<string, number>();
  #marks: ReadonlyMap<number, Posted> = new Map();
  #labels: ReadonlyMap<string, Posted> = new Map();

  constructor(opened: OpenedTurn, around: TurnSurroundings) {
    this.#opened = opened;
    this.#around = around;
  }

  /**
   * Looks what is there. Before, only what this process is sure to have said counts.
   *
   * @returns Whether it could be seen.
   */
  async recall(): Promise<boolean> {
    const { userId } = this.#around.identity;
    const seen = await this.#read();
    if (!seen) return false;
    this.#said.clear();
    const isOwn = ({ author }: SeenMessage) => author.id === userId;
    const marked = seen
      .filter(isOwn)
      .flatMap((one) => one.marks.map((mark) => [mark, one] as const));
    this.#marks = new Map(marked);
    const unmarked = ofTurn(this.#around.turnId, userId, seen);
    this.#labels = new Map(
      unmarked.filter(isOwn).map((one) => [one.content.split('\n', 1)[0] ?? '', one] as const),
    );
    for (const { author } of unmarked.filter((one) => this.#isPersona(one)))
      this.noteSaid(bareName(author.username));
    return true;
  }

  /** The bot's message with a part of this number. */
  marked(mark: number): Posted | undefined {
    return this.#marks.get(mark);
  }

  /** The bot's message with this first line. */
  labelled(label: string): Posted | undefined {
    return this.#labels.get(label);
  }

  /** How many messages a persona has said, as far as this process knows. */
  said(name: string): number {
    return this.#said.get(name) ?? 0;
  }

  noteSaid(name: string): void {
    this.#said.set(name, this.said(name) + 1);
  }

  /** Whether a persona has said more than is known; `undefined` where that can't be seen. */
  async hasSaidMore(name: string): Promise<boolean | undefined> {
    const { turnId, identity } = this.#around;
    const seen = await this.#read();
    const there =
      seen &&
      ofTurn(turnId, identity.userId, seen).filter(
        (one) => this.#isPersona(one) && bareName(one.author.username) === name,
      );
    return there && there.length > this.said(name);
  }

  /** @returns Nothing where the history may not be read. */
  async #read(): Promise<readonly SeenMessage[] | undefined> {
    const { venue, from } = this.#opened;
    const seen = await readAfter(this.#around.rest, venue.channelId, from);
    return seen.length > 0 || (await this.#mayRead()) ? seen : undefined;
  }

  /** Who may not read a history is shown an empty one, but refused a single message. */
  async #mayRead(): Promise<boolean> {
    const { card } = this.#opened;
    try {
      await readMessage(this.#around.rest, card.channelId, card.messageId);
      return true;
    } catch (error) {
      if (isRefusal(error, 'missingPermissions', 'missingAccess')) return false;
      if (error instanceof DiscordRefusal) return true;
      throw error;
    }
  }

  #isPersona({ webhook_id, application_id }: SeenMessage): boolean {
    const { applicationId } = this.#around.identity;
    return (
      webhook_id !== undefined && webhook_id !== applicationId && application_id === applicationId
    );
  }
}

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
      ? messageSchema.parse(await rest.withRetries({ method: 'GET', ...own(sent, id) })).content
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
      await rest.withRetries({ method: 'DELETE', ...own(sent, id) });
    },
  };
}
