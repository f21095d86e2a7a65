/** The places of this platform, as thread ids: `discord:<guild>:<channel>:<thread>`. */

import type { Place } from '../../../commands/command.ts';
import { partsOf, threadIdOf } from '../../domain/thread-id.ts';

/** First part of every thread id here. */
export const platformName = 'discord';
/** Stands for the guild where there is none. */
export const directMessages = '@me';

/** Where a turn is held. Where there are no threads, `thread` is the channel itself. */
export interface DiscordPlace {
  /** Id of the guild, or {@link directMessages}. */
  readonly guild: string;
  /** The channel, or the one that the thread hangs on. */
  readonly channel: string;
  readonly thread: string;
  /** Whether not everybody of the guild can read it; absent where that is not known. */
  readonly isPrivate?: boolean;
  /** Whether it is a private thread: fewer can read it than its channel. Absent: as many. */
  readonly isPrivateThread?: boolean;
}

export function placeOf(place: DiscordPlace): Place {
  const { guild, channel, thread, isPrivate, isPrivateThread } = place;
  return {
    platform: platformName,
    workspace: guild,
    channel,
    threadId: threadIdOf({ platform: platformName, workspace: guild, channel, thread }),
    ...(isPrivate !== undefined && { isPrivate }),
    ...(isPrivateThread !== undefined && { isPrivateThread }),
  };
}

/** Throws a RangeError for a thread id of another platform. */
export function readThreadId(threadId: string): DiscordPlace {
  const { platform, workspace: guild, channel, thread } = partsOf(threadId);
  if (platform !== platformName || !guild || !channel || !thread) {
    throw new RangeError(`${threadId} is no thread of Discord.`);
  }
  return { guild, channel, thread };
}

/** Where a thread is, or a post in it. */
export function addressOf(
  { guild, thread }: Pick<DiscordPlace, 'guild' | 'thread'>,
  post?: string,
): string {
  return ['https://discord.com/channels', guild, thread, ...(post ? [post] : [])].join('/');
}

/** Where people see what a person did in a thread; where it opened the thread, the thread. */
export function addressOfEvent(threadId: string, event = ''): string {
  const place = readThreadId(threadId);
  const isWithin = /^\d+$/.test(event) && BigInt(event) > BigInt(place.thread);
  return isWithin ? addressOf(place, event) : addressOf(place);
}

/** Whether a thread hangs in a channel, so that its verdict can be posted there. */
export function hasChannel(threadId: string): boolean {
  const { guild, channel, thread } = readThreadId(threadId);
  return guild !== directMessages && channel !== thread;
}
