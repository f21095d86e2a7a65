/** Looks up people's names and rights in Slack. */

import { LRUCache } from 'lru-cache';
import type { Person } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import { readChannel, readUser } from '../api/directory.ts';
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

export type People = ReturnType<typeof peopleOf>;

export function peopleOf({ api, log, now }: PeopleOptions) {
  /** By workspace and id. Lookups that failed are not cached. */
  const names = new LRUCache<string, string, () => Promise<string | undefined>>({
    max: maxNames,
    ttl: namesCachedMs,
    perf: { now },
    ttlResolution: 0,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: look }) => look(),
  });

  async function cached(key: string, otherwise: string, read: () => Promise<string>) {
    const look = () =>
      read().catch((error: unknown) => {
        log.warn({ key, error }, 'a name could not be read');
        // Slack would refuse again.
        return error instanceof SlackRefusal ? otherwise : undefined;
      });
    return (await names.fetch(key, { context: look })) ?? otherwise;
  }

  /** Returns a person's name, up to ten minutes old; their id if Slack does not give it, because no question waits for a name. */
  function nameOf(team: string, userId: string): Promise<string> {
    const read = async () => (await readUser(api, team, userId)).name;
    return cached(`${team} ${userId}`, userId, read);
  }

  /** Empty for channels that are not public, and if Slack does not answer. */
  function channelName(team: string, channel: string): Promise<string> {
    return cached(`${team} #${channel}`, '', async () => {
      const { name, is_channel, is_private } = await readChannel(api, team, channel);
      return is_channel && is_private === false ? name : '';
    });
  }

  /** Turns a message into plain text, with the names of mentioned people and public channels. */
  async function plain(team: string, text: string, botUserId: string | undefined) {
    const known = await Promise.all([
      ...peopleIn(text, botUserId).map(async (id) => [id, await nameOf(team, id)] as const),
      ...channelsIn(text).map(async (id) => [id, await channelName(team, id)] as const),
    ]);
    return plainQuestion(text, botUserId, new Map(known.filter(([, name]) => name !== '')));
  }

  /** Looks up a person's current rights. Throws as {@link SlackApi.call} does, except for lookups that Slack forbids. */
  async function personIn(scene: Omit<Scene, 'thread'>): Promise<Person> {
    const { team, channel, userId, workspace } = scene;
    const user = await readUser(api, team, userId).catch((error: unknown) => {
      if (!isRefusal(error, 'missing_scope', 'user_not_found', 'user_not_visible')) throw error;
      log.warn({ team, userId, error }, 'Slack does not say who a person is');
      return undefined;
    });
    // Of people it does not tell of, the event names the workspace; in an organisation any of its own.
    const isOutsider = user ? user.isForeign : workspace !== undefined && !team.startsWith('E');
    const isServerManager = user?.isAdminOfAll === true;
    const isManager =
      isServerManager ||
      user?.isAdmin === true ||
      // Everyone manages their own direct messages.
      (channel !== undefined && isDirect(channel)) ||
      (user !== undefined && !user.isForeign && (await isCreator(team, channel, userId)));
    return {
      id: userId,
      name: user?.name ?? userId,
      isManager,
      isServerManager,
      ...(isOutsider && { isOutsider }),
      ...(workspace === undefined ? {} : { workspace }),
    };
  }

  async function isCreator(team: string, channel: string | undefined, userId: string) {
    if (channel === undefined) return false;
    try {
      return (await readChannel(api, team, channel)).creator === userId;
    } catch (error) {
      // The creator of a channel that the app can't see is not recognised as its manager.
      if (!(error instanceof SlackRefusal)) throw error;
      log.warn({ team, channel, error }, 'Slack does not say who made a channel');
      return false;
    }
  }

  return { nameOf, plain, personIn };
}
