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

export type Readers = ReturnType<typeof readersOf>;

/** Finds out who can read a conversation, from events and by asking Slack. */
export function readersOf(options: ReadersOptions) {
  const { api, log, now, answeredWithinMs = usualAnswerMs } = options;
  /** By workspace and conversation. */
  const known = new LRUCache<string, Promise<Readership>>({
    ...{ max: maxCached, ttl: cachedMs, perf: { now }, ttlResolution: 0 },
  });

  function keep(key: string, readership: Promise<Readership>): Promise<Readership> {
    known.set(key, readership);
    return readership;
  }

  /**
   * Reads the readership out of a message event. A narrower one counts at once; “everybody” counts only
   * while nothing is known, because the event may be old.
   *
   * @param isOfOrganisation - The workspace belongs to an organisation, which may share its channels; events do not say so.
   */
  function note(team: string, envelope: unknown, isOfOrganisation: boolean): void {
    const read = envelopeSchema.safeParse(envelope).data;
    if (!read) return;
    const { channel, channel_type: type } = read.event;
    const isShared = read.is_ext_shared_channel;
    const key = `${team} ${channel}`;
    if (isShared === true) keep(key, Promise.resolve('outsiders'));
    else if (type === undefined) return;
    else if (isShared === undefined || isOfOrganisation) {
      if (type !== 'channel') known.delete(key);
    } else if (type !== 'channel') keep(key, Promise.resolve('members'));
    else if (!known.has(key)) keep(key, Promise.resolve('everybody'));
  }

  /** Drops what is cached of a channel. */
  function forget(team: string, channel: string): void {
    known.delete(`${team} ${channel}`);
  }

  /** Asks Slack if no event has answered it, at most once in ten minutes. Never throws. */
  async function of({ team, channel }: Pick<Scene, 'team' | 'channel'>): Promise<ReadBy> {
    // Without a channel it is a person's App Home.
    if (channel === undefined || isDirect(channel)) return readBy.members;
    const key = `${team} ${channel}`;
    return readBy[await (known.get(key) ?? keep(key, ask(key, team, channel)))];
  }

  async function ask(key: string, team: string, channel: string): Promise<Readership> {
    try {
      const info = await within(readChannel(api, team, channel), { ms: answeredWithinMs });
      if (info !== undefined) return readershipOf(info, team);
      log.warn({ team, channel }, 'Slack did not say in time who can read a conversation');
    } catch (error) {
      log.warn({ team, channel, error }, 'Slack does not say who can read a conversation');
      // Cached, because Slack would refuse again: a scope is missing, or the app can't see the conversation.
      if (error instanceof SlackRefusal) return 'unknown';
    }
    known.delete(key);
    return 'unknown';
  }

  /** The place of a scene that opens no thread. Never throws. */
  async function placeOf(scene: Scene): Promise<Place> {
    return { ...placeOfScene(scene), ...(await of(scene)) };
  }

  return { note, forget, of, placeOfScene: placeOf };
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
