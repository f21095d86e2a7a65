/** Looks up people's names and rights in Slack. */

import { LRUCache } from 'lru-cache';
import type { Person, Reply } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import { readChannel, readUser, type SlackUser } from '../api/directory.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, type Scene } from '../place.ts';
import { isRefusal, isTemporary, SlackRefusal } from '../slack-error.ts';
import { channelsIn, peopleIn, plainQuestion } from '../slack-text.ts';

const namesCachedMs = 600_000;
const maxNames = 5000;

const doubtWords =
  'Slack does not tell me who manages this workspace. If I lack the scope users:read, a manager of the app can grant it on the app’s page, under OAuth & Permissions, and install the app again.';

export interface PeopleOptions {
  readonly api: SlackApi;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A person and their rights, if Slack shows them. */
export interface KnownPerson extends Person {
  /** Explains to people why this person's rights are unknown; absent: they are known. */
  readonly doubt?: string;
}

export class People {
  readonly #options: PeopleOptions;
  /** By workspace and id. Failed and empty lookups are not cached. */
  readonly #names: LRUCache<string, string, () => Promise<string | undefined>>;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#names = new LRUCache({
      ...{ max: maxNames, ttl: namesCachedMs, perf: { now: options.now }, ttlResolution: 0 },
      ignoreFetchAbort: true,
      fetchMethod: (_key, _stale, { context: look }) => look(),
    });
  }

  /** Returns a person's name, up to ten minutes old; their id if Slack does not give it, because no question waits for a name. */
  async nameOf(team: string, userId: string): Promise<string> {
    const look = () =>
      this.#read(team, userId).then(
        (user) => user?.name ?? userId,
        (error: unknown) => {
          if (!isTemporary(error)) throw error;
          this.#options.log.warn({ team, userId, error }, 'the name of a person could not be read');
          return undefined;
        },
      );
    return (await this.#names.fetch(`${team} ${userId}`, { context: look })) ?? userId;
  }

  /** Turns a message into plain text, with the names of mentioned people and public channels. */
  async plain(team: string, text: string, botUserId: string | undefined): Promise<string> {
    const channels = channelsIn(text);
    const names = await Promise.all([
      ...peopleIn(text, botUserId).map(async (id) => [id, await this.nameOf(team, id)] as const),
      ...channels.map(async (id) => [id, await this.#channelName(team, id)] as const),
    ]);
    return plainQuestion(text, botUserId, new Map(names.filter(([, name]) => name !== '')));
  }

  /** Empty for channels that are not public, and if Slack does not answer. */
  async #channelName(team: string, channel: string): Promise<string> {
    const { api, log } = this.#options;
    const look = () =>
      readChannel(api, team, channel).then(
        ({ name, is_channel, is_private }) => (is_channel && is_private === false ? name : ''),
        (error: unknown) => {
          log.warn({ team, channel, error }, 'the name of a channel could not be read');
          return error instanceof SlackRefusal ? '' : undefined;
        },
      );
    return (await this.#names.fetch(`${team} #${channel}`, { context: look })) ?? '';
  }

  /** Looks up a person's current rights. Throws as {@link SlackApi.call} does, except for lookups that Slack forbids. */
  async personIn({
    team,
    channel,
    userId,
    workspace,
  }: Omit<Scene, 'thread'>): Promise<KnownPerson> {
    const user = await this.#read(team, userId);
    const isServerManager = user?.isAdmin === true;
    const isManager =
      isServerManager ||
      // Everyone manages their own direct messages.
      (channel !== undefined && isDirect(channel)) ||
      (user !== undefined && !user.isForeign && (await this.#isCreator(team, channel, userId)));
    const known = { id: userId, name: user?.name ?? userId, isManager, isServerManager };
    const person = { ...known, ...(workspace === undefined ? {} : { workspace }) };
    return user ? person : { ...person, doubt: doubtWords };
  }

  async #isCreator(team: string, channel: string | undefined, userId: string): Promise<boolean> {
    if (channel === undefined) return false;
    try {
      return (await readChannel(this.#options.api, team, channel)).creator === userId;
    } catch (error) {
      // The creator of a channel that the app can't see is not recognised as its manager.
      if (!(error instanceof SlackRefusal)) throw error;
      this.#options.log.warn({ team, channel, error }, 'Slack does not say who made a channel');
      return false;
    }
  }

  async #read(team: string, userId: string): Promise<SlackUser | undefined> {
    try {
      return await readUser(this.#options.api, team, userId);
    } catch (error) {
      if (!isRefusal(error, 'missing_scope', 'user_not_found', 'user_not_visible')) throw error;
      this.#options.log.warn({ team, userId, error }, 'Slack does not say who a person is');
      return undefined;
    }
  }
}

/** Adds a note to a reply that it may be a refusal only because the person's rights are unknown. */
export function withDoubt(reply: Reply, { doubt, isManager }: KnownPerson): Reply {
  if (doubt === undefined || isManager) return reply;
  return { ...reply, blocks: [...reply.blocks, { type: 'text', text: doubt }] };
}
