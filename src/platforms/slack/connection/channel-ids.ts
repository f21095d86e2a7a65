/**
 * Channels whose id Slack has changed, as it does when a private one is shared with another organisation.
 * What is kept of a channel stays under the id that it was first known by: what comes from Slack is read with
 * that one, and what goes there is said with the present one. Nothing else knows of the two.
 */

import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { teamIn } from './bolt.ts';

/** Where changed ids are kept. */
export interface ChannelIdRecords {
  /** The ids that a team's channels are kept under, by their present ones. */
  read(team: string): Promise<ReadonlyMap<string, string>>;
  /** `null` in place of an id that is a present one no longer. */
  write(team: string, changes: Readonly<Record<string, string | null>>): Promise<void>;
}

/** How long another process may take to know of a change. */
const readAgainMs = 60_000;
/** Slack wants to be answered within 3 s, whatever the store does. */
const readWithinMs = 1000;
/** More workspaces are read of anew. */
const maxCached = 5000;

export class ChannelIds {
  readonly #records: ChannelIdRecords;
  readonly #log: Log;
  /** By team. */
  readonly #known: LRUCache<string, ReadonlyMap<string, string>>;

  constructor(records: ChannelIdRecords, log: Log) {
    this.#records = records;
    this.#log = log;
    this.#known = new LRUCache({
      ...{ max: maxCached, ttl: readAgainMs, ignoreFetchAbort: true },
      fetchMethod: (team) =>
        records.read(team).catch((error: unknown) => {
          log.warn({ team, error }, 'it is not known whether ids of channels have changed');
          return undefined;
        }),
    });
  }

  /** Goes before all listeners. */
  readonly middleware: Middleware<AnyMiddlewareArgs> = async ({ body, context, next }) => {
    replaceIn(body, await this.#of(teamIn(context)));
    await next();
  };

  /** Speaks to Slack of channels by their present ids. */
  over(api: SlackApi): SlackApi {
    return {
      call: async (team, method, args, signal) => {
        const kept = await this.#of(team);
        const present = new Map([...kept].map(([now, before]) => [before, now]));
        const told = Object.entries(args).map(([name, value]) => [
          name,
          (typeof value === 'string' && present.get(value)) || value,
        ]);
        const answer = await api.call(team, method, Object.fromEntries(told), signal);
        replaceIn(answer, kept);
        return answer;
      },
    };
  }

  /** @param before - The id that it is kept under. Throws what the store throws. */
  async changed(team: string, before: string, now: string): Promise<void> {
    const kept = await this.#records.read(team);
    const outdated = [...kept].filter(([, id]) => id === before).map(([id]) => [id, null] as const);
    await this.#records.write(team, { ...Object.fromEntries(outdated), [now]: before });
    this.#known.delete(team);
    this.#log.info({ team, before, now }, 'the id of a channel was changed');
  }

  async #of(team: string): Promise<ReadonlyMap<string, string>> {
    return (await within(this.#known.fetch(team), { ms: readWithinMs })) ?? new Map();
  }
}

/** Puts ids in the place of others wherever they stand alone in what was parsed from JSON. */
function replaceIn(value: unknown, ids: ReadonlyMap<string, string>): void {
  if (ids.size === 0 || typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const id = typeof part === 'string' ? ids.get(part) : undefined;
    if (id === undefined) replaceIn(part, ids);
    else Reflect.set(value, key, id);
  }
}
