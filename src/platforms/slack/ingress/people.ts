/** Looks up people's names and rights in Slack. */

import { LRUCache } from 'lru-cache';
import type { Person } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import { readChannel, readUser, type SlackUser } from '../api/directory.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, type Scene } from '../place.ts';
import { isRefusal, SlackRefusal } from '../slack-error.ts';
import { channelsIn, peopleIn, plainQuestion } from '../slack-text.ts';

const namesCachedMs = 600_000;
const maxNames = 5000;

export interface PeopleOptions {
  readonly api: SlackApi;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class People {
  readonly #options: PeopleOptions;
  /** By workspace and id. Lookups that failed are not cached. */
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
    const read = async () => (await readUser(this.#options.api, team, userId)).name;
    return this.#name(`${team} ${userId}`, userId, read);
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
  #channelName(team: string, channel: string): Promise<string> {
    const read = async () => {
      const { name, is_channel, is_private } = await readChannel(this.#options.api, team, channel);
      return is_channel && is_private === false ? name : '';
    };
    return this.#name(`${team} #${channel}`, '', read);
  }

  async #name(key: string, otherwise: string, read: () => Promise<string>): Promise<string> {
    const look = () =>
      read().catch((error: unknown) => {
        this.#options.log.warn({ key, error }, 'a name could not be read');
        // Slack would refuse again.
        return error instanceof SlackRefusal ? otherwise : undefined;
      });
    return (await this.#names.fetch(key, { context: look })) ?? otherwise;
  }

  /** Looks up a person's current rights. Throws as {@link SlackApi.call} does, except for lookups that Slack forbids. */
  async personIn({ team, channel, userId, workspace }: Omit<Scene, 'thread'>): Promise<Person> {
    const user = await this.#read(team, userId);
    const isServerManager = user?.isAdmin === true;
    const isManager =
      isServerManager ||
      // Everyone manages their own direct messages.
      (channel !== undefined && isDirect(channel)) ||
      (user !== undefined && !user.isForeign && (await this.#isCreator(team, channel, userId)));
    return {
      ...{ id: userId, name: user?.name ?? userId, isManager, isServerManager },
      ...(workspace === undefined ? {} : { workspace }),
    };
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
