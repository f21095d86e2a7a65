/** Converts places in Discord to thread ids, `discord:<guild>:<channel>:<thread>`, and back. */

import type { Place } from '../../../commands/command.ts';
import { partsOf, threadIdOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';

/** First part of Discord's thread ids. */
export const platformName = 'discord';
/** Takes the place of the guild id in direct messages. */
export const directMessages = '@me';

/** Where a turn takes place. Without threads, `thread` is the channel itself. */
export interface DiscordPlace {
  /** Id of the guild, or {@link directMessages}. */
  readonly guild: string;
  /** The channel, or the thread's parent channel. */
  readonly channel: string;
  readonly thread: string;
  /** Whether some members of the guild can't read it; absent if unknown. */
  readonly isPrivate?: boolean;
  /** Whether it is a private thread, which fewer people can read than its channel. Absent: it isn't. */
  readonly isPrivateThread?: boolean;
  readonly isForumPost?: true;
}

export function placeOf({ guild: workspace, thread, ...rest }: DiscordPlace): Place {
  const platform = platformName;
  const threadId = threadIdOf({ platform, workspace, channel: rest.channel, thread });
  return { ...rest, platform, workspace, threadId };
}

/** Throws a RangeError for a thread id of another platform. */
export function readThreadId(threadId: string): DiscordPlace {
  const { platform, workspace: guild, channel, thread } = partsOf(threadId);
  if (platform !== platformName || !guild || !channel || !thread) {
    throw new RangeError(`${threadId} is not a Discord thread.`);
  }
  return { guild, channel, thread };
}

/** Web address of a thread, or of a post in it. */
export function addressOf(
  { guild, thread }: Pick<DiscordPlace, 'guild' | 'thread'>,
  post?: string,
): string {
  return ['https://discord.com/channels', guild, thread, ...(post ? [post] : [])].join('/');
}

/** Web address of the post with this event id; of the thread if the event isn't a post in it. */
export function addressOfEvent(threadId: string, event = ''): string {
  const place = readThreadId(threadId);
  const isWithin = /^\d+$/.test(event) && BigInt(event) > BigInt(place.thread);
  return isWithin ? addressOf(place, event) : addressOf(place);
}

/** Whether a turn's thread is in a channel to which its verdict can be posted: not to a forum, nor from a private one. */
export function hasChannel({
  threadId,
  isPrivateThread,
  isForumPost,
}: Pick<TurnRequest, 'threadId' | 'isPrivateThread' | 'isForumPost'>): boolean {
  const { guild, channel, thread } = readThreadId(threadId);
  return guild !== directMessages && channel !== thread && !isPrivateThread && !isForumPost;
}
