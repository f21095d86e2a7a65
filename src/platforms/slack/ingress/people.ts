/** Who a person is and what they may do, as Slack vouches for it. */

import { LRUCache } from 'lru-cache';
import type { Person, Reply } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import { readChannel, readUser, type SlackUser } from '../api/directory.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, type Scene } from '../place.ts';
import { isRefusal, SlackRateLimited, SlackRefusal, SlackUnanswered } from '../slack-error.ts';
import { channelsIn, peopleIn, plainQuestion } from '../slack-text.ts';

const namesKeptMs = 600_000;
/** More names are asked for anew. */
const maxNames = 5000;

const doubtWords =
  'Slack does not tell me who manages this workspace. If I lack the scope users:read, a manager of the app can grant it on the app’s page, under OAuth & Permissions, and install the app again.';

export interface PeopleOptions {
  readonly api: SlackApi;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A person, as far as Slack tells. */
export interface KnownPerson extends Person {
  /** Why it is not known whether they manage anything, for people; absent: it is known. */
  readonly doubt?: string;
}

export class People {
  readonly #options: PeopleOptions;
  /** By workspace and id. A lookup that fails, or finds nothing, is repeated at the next call. */
  readonly #names: LRUCache<string, string, () => Promise<string | undefined>>;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#names = new LRUCache({
      ...{ max: maxNames, ttl: namesKeptMs, perf: { now: options.now }, ttlResolution: 0 },
      ignoreFetchAbort: true,
      fetchMethod: (_key, _stale, { context: look }) => look(),
    });
  }

  /** The person's name, perhaps some minutes old; their id where Slack does not tell it: no question waits for a name. */
  async nameOf(team: string, userId: string): Promise<string> {
    const look = () =>
      this.#read(team, userId).then(
        (user) => user?.name ?? userId,
        (error: unknown) => {
          if (!isPassing(error)) throw error;
          this.#options.log.warn({ team, userId, error }, 'the name of a person could not be read');
          return undefined;
        },
      );
    return (await this.#names.fetch(`${team} ${userId}`, { context: look })) ?? userId;
  }

  /** A message in plain words: names for mentions of people and of public channels. */
  async plain(team: string, text: string, botUserId: string | undefined): Promise<string> {
    const channels = channelsIn(text);
    const names = await Promise.all([
      ...peopleIn(text, botUserId).map(async (id) => [id, await this.nameOf(team, id)] as const),
      ...channels.map(async (id) => [id, await this.#channelName(team, id)] as const),
    ]);
    return plainQuestion(text, botUserId, new Map(names.filter(([, name]) => name !== '')));
  }

  /** Empty where not everybody may know of the channel, or Slack does not tell. */
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

  /** What they may do at this moment. Throws as {@link SlackApi.call} does, but for what the app may not look up. */
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
      // A direct message belongs to the person who writes it.
      (channel !== undefined && isDirect(channel)) ||
      (user !== undefined && !user.isForeign && (await this.#hasMade(team, channel, userId)));
    const known = { id: userId, name: user?.name ?? userId, isManager, isServerManager };
    const person = { ...known, ...(workspace === undefined ? {} : { workspace }) };
    return user ? person : { ...person, doubt: doubtWords };
  }

  async #hasMade(team: string, channel: string | undefined, userId: string): Promise<boolean> {
    if (channel === undefined) return false;
    try {
      return (await readChannel(this.#options.api, team, channel)).creator === userId;
    } catch (error) {
      // Having made a channel that the app can't see makes no manager.
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

/** Slack may tell later. */
function isPassing(error: unknown): boolean {
  return error instanceof SlackUnanswered || error instanceof SlackRateLimited;
}

/** Adds to a reply that it may be a refusal only because Slack did not tell who the person is. */
export function withDoubt(reply: Reply, { doubt, isManager }: KnownPerson): Reply {
  if (doubt === undefined || isManager) return reply;
  return { ...reply, blocks: [...reply.blocks, { type: 'text', text: doubt }] };
}
