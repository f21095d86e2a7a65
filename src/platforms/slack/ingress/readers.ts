/** Who can read a conversation, according to Slack. This decides where its messages may be recalled. */

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

/** The readers of a place, as questions and places state them. */
export type ReadBy = Pick<Place, 'isPrivate' | 'isOpenOutside'>;

type Readership = 'everybody' | 'members' | 'outsiders' | 'unknown';

/** An unknown place is neither recalled elsewhere nor shown memories of other channels. */
const readBy: Readonly<Record<Readership, ReadBy>> = {
  everybody: { isPrivate: false },
  members: { isPrivate: true },
  outsiders: { isPrivate: true, isOpenOutside: true },
  unknown: { isOpenOutside: true },
};

const cachedMs = 600_000;
const maxCached = 5000;
const usualAnswerMs = 2000;

const envelopeSchema = z.object({
  event: z.object({ channel: z.string(), channel_type: z.string().exactOptional() }),
  is_ext_shared_channel: z.boolean().exactOptional(),
});

export interface ReadersOptions extends PeopleOptions {
  /** How long a question waits for Slack's answer; absent: 2 s. */
  readonly answeredWithinMs?: number;
}

/** Finds out who can read a conversation, from events and by asking Slack. */
export class Readers {
  readonly #options: ReadersOptions;
  /** By workspace and conversation. */
  readonly #known: LRUCache<string, Promise<Readership>>;

  constructor(options: ReadersOptions) {
    this.#options = options;
    const clock = { perf: { now: options.now }, ttlResolution: 0 };
    this.#known = new LRUCache({ max: maxCached, ttl: cachedMs, ...clock });
  }

  /**
   * Reads the readership out of a message event. A narrower one counts at once; “everybody” counts only
   * while nothing is known, because the event may be old.
   *
   * @param isOfOrganisation - The workspace belongs to an organisation, which may share its channels; events do not say so.
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

  /** Drops what is cached of a channel. */
  forget(team: string, channel: string): void {
    this.#known.delete(`${team} ${channel}`);
  }

  /** Asks Slack if no event has answered it, at most once in ten minutes. Never throws. */
  async of({ team, channel }: Pick<Scene, 'team' | 'channel'>): Promise<ReadBy> {
    // Without a channel it is a person's App Home.
    if (channel === undefined || isDirect(channel)) return readBy.members;
    const key = `${team} ${channel}`;
    const known = this.#known.get(key) ?? this.#keep(key, this.#ask(key, team, channel));
    return readBy[await known];
  }

  /** The place of a scene that opens no thread. Never throws. */
  async placeOfScene(scene: Scene): Promise<Place> {
    return { ...placeOfScene(scene), ...(await this.of(scene)) };
  }

  async #ask(key: string, team: string, channel: string): Promise<Readership> {
    const { api, log, answeredWithinMs = usualAnswerMs } = this.#options;
    try {
      const reading = readChannel(api, team, channel);
      const info = await within(reading, { ms: answeredWithinMs });
      if (info !== undefined) return readershipOf(info, team);
      log.warn({ team, channel }, 'Slack did not say in time who can read a conversation');
    } catch (error) {
      log.warn({ team, channel, error }, 'Slack does not say who can read a conversation');
      // Cached, because Slack would refuse again: a scope is missing, or the app can't see the conversation.
      if (error instanceof SlackRefusal) return 'unknown';
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
  // Not everybody in an organisation is in the channel's workspace.
  return team.startsWith('E') ? 'members' : 'everybody';
}

/** The dependencies of every event handler. */
export interface IngressContext {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  readonly readers: Readers;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
