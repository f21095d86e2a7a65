/** The places of this platform, as thread ids: `slack:<team>:<channel>:<thread>`. */

import { z } from 'zod';
import type { Place } from '../../../commands/command.ts';
import { partsOf, threadIdOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { Form } from './action-id.ts';

/** First part of every thread id here. */
export const platformName = 'slack';

/** Where a turn is held. */
export interface SlackPlace {
  /** Id of the workspace, `T…`; of the organisation, `E…`, where the app is installed for all of it. */
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
    throw new RangeError(`${threadId} is no thread of Slack.`);
  }
  return { team, channel, thread };
}

/** Where a thread is in the client; of a channel that stands for one, the channel. */
export function addressOf(threadId: string): string {
  const { team, channel, thread } = readThreadId(threadId);
  const address = `https://app.slack.com/client/${team}/${channel}`;
  return thread === channel ? address : `${address}/thread/${channel}-${thread}`;
}

/** Whether a thread hangs in a channel, so that its verdict can be posted there. */
export function hasChannel({ channel, thread }: SlackPlace): boolean {
  return !channel.startsWith('D') && thread !== channel;
}

export interface Scene {
  readonly team: string;
  /** Absent on a person's own page of the app. */
  readonly channel?: string;
  /** The thread that one is in; absent: the channel itself. */
  readonly thread?: string;
  readonly userId: string;
  /** Of the person, `T…`; absent: that of {@link team}. */
  readonly workspace?: string;
}

/** A scene in some conversation. */
export interface ChannelScene extends Scene {
  readonly channel: string;
}

/** Slack puts an organisation, or a whole object, in the same place. */
const workspaceId = z.string().startsWith('T').optional().catch(undefined);
const workspacesSchema = z.object({
  event: z.object({ user_team: workspaceId, team: workspaceId }).prefault({}),
  user: z.object({ team_id: workspaceId }).prefault({}),
  team_id: workspaceId,
});

/**
 * The workspace that a person is of, where that is another: with an app that is in a whole organisation, or
 * in a channel that is shared with another one. A field to spread.
 *
 * @param body - What Slack tells of what they did.
 */
export function homeWorkspace(body: unknown, team: string): { readonly workspace?: string } {
  const { event, user, team_id: ofBody } = workspacesSchema.parse(body);
  const workspace = event.user_team ?? event.team ?? user.team_id ?? ofBody;
  return workspace === undefined || workspace === team ? {} : { workspace };
}

/** Whether a conversation is one with the bot alone. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** Where what opens no thread is: the channel itself stands for one, and where there is none the workspace. */
export function spotOfScene({ team, channel = team, thread = channel }: Scene): SlackPlace {
  return { team, channel, thread };
}

export function placeOfScene(scene: Scene): Place {
  return placeOf(spotOfScene(scene));
}

/** Where a modal was opened. */
export function sceneOf({ team, channel, thread }: Form, userId: string): ChannelScene {
  return { team, channel, userId, ...(thread === channel ? {} : { thread }) };
}

/** The event id of a post: whatever is told of it, by whichever way, makes one turn. */
export function eventIdOf(channel: string, ts: string): string {
  return `${channel}:${ts}`;
}

/** Whether a question begins a conversation with the bot alone, which the agent pane lists by its title. */
export function beginsDirect({ threadId, eventId }: TurnRequest): boolean {
  const { channel, thread } = readThreadId(threadId);
  return isDirect(channel) && eventId === eventIdOf(channel, thread);
}

/** `1718000000.000100` in milliseconds since 1970. */
export function momentOf(ts: string): number {
  return Math.floor(Number(ts) * 1000);
}
