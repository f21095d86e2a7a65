/**
 * Channels whose id Slack has changed, as it does when a private channel is shared with another organisation.
 * The bot keeps using the first id: events and answers are translated to it, calls to the current one. No
 * other code sees the current id.
 */

import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { teamIn } from './bolt.ts';

/** Where changed ids are kept. */
export interface ChannelIdRecords {
  /** A team's first channel ids, by their current ids. */
  read(team: string): Promise<ReadonlyMap<string, string>>;
  /** @param changes - First ids by current ids; `null` removes an id that is no longer current. */
  write(team: string, changes: Readonly<Record<string, string | null>>): Promise<void>;
}

/** How long another process may take to see a change. */
const readAgainMs = 60_000;
/** Slack must get its acknowledgement within 3 s, even if the store hangs. */
const readWithinMs = 1000;
const maxCached = 5000;

export function channelIdsIn(records: ChannelIdRecords, log: Log) {
  /** By team. */
  const known = new LRUCache<string, ReadonlyMap<string, string>>({
    max: maxCached,
    ttl: readAgainMs,
    ignoreFetchAbort: true,
    fetchMethod: (team) =>
      records.read(team).catch((error: unknown) => {
        log.warn({ team, error }, 'the changed channel ids could not be read');
        return undefined;
      }),
  });
  const changedIn = async (team: string) =>
    (await within(known.fetch(team), { ms: readWithinMs })) ?? new Map<string, string>();

  /** Register it before all listeners. */
  const middleware: Middleware<AnyMiddlewareArgs> = async ({ body, context, next }) => {
    replaceIn(body, await changedIn(teamIn(context)));
    await next();
  };

  /** Decorates an API so that calls use current ids and answers first ids. */
  const over = (api: SlackApi): SlackApi => ({
    call: async (team, method, args, signal) => {
      const kept = await changedIn(team);
      const current = new Map([...kept].map(([now, before]) => [before, now]));
      const translated = Object.entries(args).map(([name, value]) => [
        name,
        (typeof value === 'string' && current.get(value)) || value,
      ]);
      const answer = await api.call(team, method, Object.fromEntries(translated), signal);
      replaceIn(answer, kept);
      return answer;
    },
  });

  /** @param before - The channel's first id. Throws what the store throws. */
  const changed = async (team: string, before: string, now: string) => {
    const kept = await records.read(team);
    const outdated = [...kept].filter(([, id]) => id === before).map(([id]) => [id, null] as const);
    await records.write(team, { ...Object.fromEntries(outdated), [now]: before });
    known.delete(team);
    log.info({ team, before, now }, 'the id of a channel was changed');
  };

  return { middleware, over, changed };
}

/** Replaces ids in parsed JSON, wherever one is a whole string. */
function replaceIn(value: unknown, ids: ReadonlyMap<string, string>): void {
  if (ids.size === 0 || typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const id = typeof part === 'string' ? ids.get(part) : undefined;
    if (id === undefined) replaceIn(part, ids);
    else Reflect.set(value, key, id);
  }
}
