/** Where something was said or pressed, and by whom. */

import type { Place } from '../../../../commands/command.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { Form } from '../action-id.ts';
import { placeOf, readThreadId } from '../thread-id.ts';

export interface Scene {
  readonly team: string;
  /** Absent on a person's own page of the app. */
  readonly channel?: string;
  /** The thread that one is in; absent: the channel itself. */
  readonly thread?: string;
  readonly userId: string;
}

/** A scene in some conversation. */
export interface ChannelScene extends Scene {
  readonly channel: string;
}

/** Whether a conversation is one with the bot alone. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** The place of what opens no thread: the channel itself stands for one, and where there is none the workspace. */
export function placeOfScene({ team, channel, thread }: Scene): Place {
  const nearest = channel ?? team;
  return placeOf({ team, channel: nearest, thread: thread ?? nearest });
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
