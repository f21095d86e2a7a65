/** Where things happen in Slack: threads, events, and where a person asked or pressed something. */

import { z } from 'zod';
import type { Place } from '../../../commands/command.ts';
import { partsOf, threadIdOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { Form } from './action-id.ts';

/** First part of Slack's thread ids: `slack:<team>:<channel>:<thread>`. */
export const platformName = 'slack';

/** The thread of a turn. */
export interface SlackPlace {
  /** Id of the workspace, `T…`; or of the organisation, `E…`, if the app is installed for all of it. */
  readonly team: string;
  /** `C…`, `G…` for private ones, `D…` for direct messages. */
  readonly channel: string;
  /** `ts` of the thread's first message. */
  readonly thread: string;
}

export function placeOf({ team, channel, thread }: SlackPlace): Place {
  return {
    platform: platformName,
    workspace: team,
    channel,
    threadId: threadIdOf({ platform: platformName, workspace: team, channel, thread }),
  };
}

/** Throws a RangeError for a thread id of another platform. */
export function readThreadId(threadId: string): SlackPlace {
  const { platform, workspace: team, channel, thread } = partsOf(threadId);
  if (platform !== platformName || !team || !channel || !thread) {
    throw new RangeError(`${threadId} is not a Slack thread.`);
  }
  return { team, channel, thread };
}

/** Web address of a thread; of the channel where the thread id names no thread. */
export function addressOf(threadId: string): string {
  const { team, channel, thread } = readThreadId(threadId);
  const address = `https://app.slack.com/client/${team}/${channel}`;
  return thread === channel ? address : `${address}/thread/${channel}-${thread}`;
}

/** Whether a thread is in a channel to which its verdict can be posted. */
export function hasChannel({ channel, thread }: SlackPlace): boolean {
  return !channel.startsWith('D') && thread !== channel;
}

/** Where a person said or pressed something. */
export interface Scene {
  readonly team: string;
  /** Absent on the App Home. */
  readonly channel?: string;
  /** Absent: the channel itself. */
  readonly thread?: string;
  readonly userId: string;
  /** The person's workspace, `T…`; absent: {@link team}. */
  readonly workspace?: string;
}

/** A scene in a conversation. */
export interface ChannelScene extends Scene {
  readonly channel: string;
}

/** The same field may also hold an organisation's id, an object or nothing. */
const anyId = z.string().optional().catch(undefined);
const workspaceId = z.string().startsWith('T').optional().catch(undefined);
/** For a mention by someone of another company's organisation, `team` is the workspace with the app. */
const authorSchema = z.object({ user_team: anyId, team: workspaceId });
/** Of an edit or a deletion, the message is inside. */
const inside = authorSchema.optional().catch(undefined);
const workspacesSchema = z.object({
  event: authorSchema.extend({ message: inside, previous_message: inside }).prefault({}),
  user: z.object({ team_id: workspaceId }).prefault({}),
  team_id: workspaceId,
  authorizations: z.array(z.object({ enterprise_id: z.string().nullish() })).default([]),
});

/**
 * The person's workspace if it differs from `team`: in an organisation, or in a channel that is shared
 * with another workspace. Of another organisation, its id if Slack gives no more. A field to spread.
 *
 * @param body - The whole body of the event, command or interaction.
 */
export function homeWorkspace(body: unknown, team: string): { readonly workspace?: string } {
  const { event, user, team_id: ofBody, authorizations } = workspacesSchema.parse(body);
  const isOwn = (named = '') => authorizations.some(({ enterprise_id: own }) => own === named);
  const authors = [event, event.message, event.previous_message];
  const [ofAuthor] = authors.flatMap((one) => {
    const named = isOwn(one?.user_team) ? undefined : one?.user_team;
    return named ?? one?.team ?? [];
  });
  const workspace = ofAuthor ?? user.team_id ?? ofBody;
  return workspace === undefined || workspace === team ? {} : { workspace };
}

/** Whether a conversation is a direct message with the bot. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** The place of a scene without a thread: its channel serves as the thread; without a channel, its workspace. */
export function spotOfScene({ team, channel = team, thread = channel }: Scene): SlackPlace {
  return { team, channel, thread };
}

export function placeOfScene(scene: Scene): Place {
  return placeOf(spotOfScene(scene));
}

/** The scene in which a modal was opened. */
export function sceneOf({ team, channel, thread }: Form, userId: string): ChannelScene {
  return { team, channel, userId, ...(thread === channel ? {} : { thread }) };
}

/** The event id of a message, so that all events about it make one turn. */
export function eventIdOf(channel: string, ts: string): string {
  return `${channel}:${ts}`;
}

/** Whether a question opens a thread in direct messages, which the agent pane lists by its title. */
export function beginsDirect({ threadId, eventId }: TurnRequest): boolean {
  const { channel, thread } = readThreadId(threadId);
  return isDirect(channel) && eventId === eventIdOf(channel, thread);
}

/** Converts a `ts`, e.g. `1718000000.000100`, to milliseconds since 1970. */
export function momentOf(ts: string): number {
  return Math.floor(Number(ts) * 1000);
}
