/** Who can read a conversation, according to Slack. This decides where its messages may be recalled. */

import { LRUCache } from 'lru-cache';
import type { Place } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import type { RefusalBrake } from '../../chat/asking/said-questions.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import type { Ingress, Question } from '../../platform.ts';
import { readChannel, type SlackChannel } from '../api/directory.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, placeOfScene, type Scene } from '../place.ts';
import { SlackRefusal } from '../slack-error.ts';
import type { People, PeopleOptions } from './people.ts';

/** The readers of a place, as questions and places state them. */
export type ReadBy = Pick<Place, 'isPrivate' | 'isOpenOutside'>;

/** An unknown place is neither recalled elsewhere nor shown memories of other channels. */
const readBy = {
  everybody: { isPrivate: false },
  members: { isPrivate: true },
  outsiders: { isPrivate: true, isOpenOutside: true },
  unknown: { isOpenOutside: true },
} as const satisfies Readonly<Record<string, ReadBy>>;

/** Long enough for many questions at once, and short because a channel may become private or shared. */
const cachedMs = 10_000;
const maxCached = 5000;
const usualAnswerMs = 2000;

export interface ReadersOptions extends PeopleOptions {
  /** How long a question waits for Slack's answer; absent: 2 s. */
  readonly answeredWithinMs?: number;
}

export type Readers = ReturnType<typeof readersOf>;

/** Asks Slack who can read a conversation. */
export function readersOf(options: ReadersOptions) {
  const { api, log, now, answeredWithinMs = usualAnswerMs } = options;
  /** By workspace and conversation. */
  const known = new LRUCache<string, ReadBy, { team: string; channel: string }>({
    max: maxCached,
    ttl: cachedMs,
    perf: { now },
    ttlResolution: 0,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => ask(context),
  });

  async function ask(where: { team: string; channel: string }): Promise<ReadBy | undefined> {
    const { team, channel } = where;
    try {
      const info = await within(readChannel(api, team, channel), { ms: answeredWithinMs });
      if (info !== undefined) return readershipOf(info, team);
      log.warn({ ...where }, 'Slack did not say in time who can read a conversation');
    } catch (error) {
      log.warn({ ...where, error }, 'Slack does not say who can read a conversation');
      // Slack would refuse again: a scope is missing, or the app can't see the conversation.
      if (error instanceof SlackRefusal) return readBy.unknown;
    }
    return undefined;
  }

  /** Who can read a conversation; at most ten seconds old. Never throws. */
  async function of({ team, channel, workspace }: Omit<Scene, 'userId'>): Promise<ReadBy> {
    // Without a channel it is a person's App Home.
    if (channel === undefined || isDirect(channel)) {
      const isOutsider = workspace !== undefined && !isOrganisation(team);
      return isOutsider ? readBy.outsiders : readBy.members;
    }
    const found = await known.fetch(`${team} ${channel}`, { context: { team, channel } });
    return found ?? readBy.unknown;
  }

  return {
    of,
    /** The place of a scene that opens no thread. Never throws. */
    placeOfScene: async (scene: Scene): Promise<Place> => ({
      ...placeOfScene(scene),
      ...(await of(scene)),
    }),
    /** Drops what is cached of a channel. */
    forget: (team: string, channel: string) => void known.delete(`${team} ${channel}`),
  };
}

function readershipOf(info: SlackChannel, team: string): ReadBy {
  if (info.is_shared || info.is_ext_shared || info.is_org_shared) return readBy.outsiders;
  if (info.is_private || info.is_im || info.is_mpim) return readBy.members;
  const isPublic =
    info.is_channel === true && info.is_private === false && info.is_ext_shared === false;
  if (!isPublic) return readBy.unknown;
  // Not everybody in an organisation is in the channel's workspace.
  return isOrganisation(team) ? readBy.members : readBy.everybody;
}

/** Whether the app is installed for a whole organisation, whose people are of its many workspaces. */
function isOrganisation(team: string): boolean {
  return team.startsWith('E');
}

/** The context of all event handlers. */
export interface IngressContext {
  readonly ingress: Ingress;
  readonly commands: readonly KnownCommand[];
  readonly api: SlackApi;
  readonly people: People;
  readonly readers: Readers;
  readonly brake: RefusalBrake;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Adds what came as events of a question's thread, if another process may run its turn. */
  readonly withEvents: (question: Question, botId: string | undefined) => Promise<Question>;
  /** Returns a notice for a workspace's managers, once. */
  readonly noticeFor: (team: string) => string | undefined | Promise<string | undefined>;
}
