/** Who can read a conversation, as Slack itself says: it decides where what is said there may be recalled. */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Place } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import type { Ingress } from '../../platform.ts';
import { readChannel, type SlackChannel } from '../api/directory.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, placeOfScene, type Scene } from '../place.ts';
import { SlackRefusal } from '../slack-error.ts';
import type { People, PeopleOptions } from './people.ts';

/** What a question and a place say of their readers. */
export type ReadBy = Pick<Place, 'isPrivate' | 'isOpenOutside'>;

type Readership = 'everybody' | 'members' | 'outsiders' | 'unknown';

/** Of an unknown place nothing is recalled elsewhere, and nothing of other channels is recalled there. */
const readBy: Readonly<Record<Readership, ReadBy>> = {
  everybody: { isPrivate: false },
  members: { isPrivate: true },
  outsiders: { isPrivate: true, isOpenOutside: true },
  unknown: { isOpenOutside: true },
};

const keptMs = 600_000;
/** More conversations are asked for anew. */
const maxCached = 5000;
const usuallyAnsweredWithinMs = 2000;

const envelopeSchema = z.object({
  event: z.object({ channel: z.string(), channel_type: z.string().exactOptional() }),
  is_ext_shared_channel: z.boolean().exactOptional(),
});

export interface ReadersOptions extends PeopleOptions {
  /** A question does not wait longer to know; absent: 2 s. */
  readonly answeredWithinMs?: number;
}

export class Readers {
  readonly #options: ReadersOptions;
  /** By workspace and conversation. */
  readonly #known: LRUCache<string, Promise<Readership>>;

  constructor(options: ReadersOptions) {
    this.#options = options;
    const clock = { perf: { now: options.now }, ttlResolution: 0 };
    this.#known = new LRUCache({ max: maxCached, ttl: keptMs, ...clock });
  }

  /**
   * Takes note of what comes with every message. What closes a conversation counts at once. What opens it
   * counts where nothing else is known, because an event may be told late.
   *
   * @param isOfOrganisation - The workspace is one of several, which may share channels; events do not say so.
   */
  note(team: string, envelope: unknown, isOfOrganisation: boolean): void {
    const read = envelopeSchema.safeParse(envelope).data;
    if (!read) return;
    const { channel, channel_type: type } = read.event;
    const isShared = read.is_ext_shared_channel;
    const key = `${team} ${channel}`;
    if (isShared === true) this.#keep(key, Promise.resolve('outsiders'));
    else if (type === undefined) return;
    else if (isShared === undefined || isOfOrganisation) {
      if (type !== 'channel') this.#known.delete(key);
    } else if (type !== 'channel') this.#keep(key, Promise.resolve('members'));
    else if (!this.#known.has(key)) this.#keep(key, Promise.resolve('everybody'));
  }

  /** Who can read it may be others now. */
  forget(team: string, channel: string): void {
    this.#known.delete(`${team} ${channel}`);
  }

  /** Slack is asked where no event has told, and at most once in some minutes. Never throws. */
  async of({ team, channel }: Pick<Scene, 'team' | 'channel'>): Promise<ReadBy> {
    // Only one person sees their own page of the app.
    if (channel === undefined || isDirect(channel)) return readBy.members;
    const key = `${team} ${channel}`;
    const known = this.#known.get(key) ?? this.#keep(key, this.#ask(key, team, channel));
    return readBy[await known];
  }

  /** The place of what opens no thread. Never throws. */
  async placeOfScene(scene: Scene): Promise<Place> {
    return { ...placeOfScene(scene), ...(await this.of(scene)) };
  }

  async #ask(key: string, team: string, channel: string): Promise<Readership> {
    const { api, log, answeredWithinMs = usuallyAnsweredWithinMs } = this.#options;
    const given = new AbortController();
    try {
      const reading = readChannel(api, team, channel, given.signal);
      const info = await within(reading, { ms: answeredWithinMs });
      if (info !== undefined) return readershipOf(info, team);
      log.warn({ team, channel }, 'Slack did not say in time who can read a conversation');
    } catch (error) {
      log.warn({ team, channel, error }, 'Slack does not say who can read a conversation');
      // It would say no again: a scope is lacking, or the app can't see the conversation.
      if (error instanceof SlackRefusal) return 'unknown';
    } finally {
      given.abort();
    }
    this.#known.delete(key);
    return 'unknown';
  }

  #keep(key: string, readership: Promise<Readership>): Promise<Readership> {
    this.#known.set(key, readership);
    return readership;
  }
}

function readershipOf(info: SlackChannel, team: string): Readership {
  if (info.is_shared || info.is_ext_shared || info.is_org_shared) return 'outsiders';
  if (info.is_private || info.is_im || info.is_mpim) return 'members';
  const isPublic =
    info.is_channel === true && info.is_private === false && info.is_ext_shared === false;
  if (!isPublic) return 'unknown';
  // Of an organisation not everybody is in the workspace that the channel is of.
  return team.startsWith('E') ? 'members' : 'everybody';
}

/** What every handler of an event needs. */
export interface IngressContext {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  readonly readers: Readers;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
