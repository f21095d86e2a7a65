import { Routes } from 'discord.js';
import { z } from 'zod';
import { isRefusal, onRefusal } from '../discord-error.ts';
import type { DiscordRest } from './discord-rest.ts';

/** A quiet thread is archived after a day; the next message brings it back. */
const autoArchiveMinutes = 1440;

/** Name of a thread that can't be named after its question. */
export const plainTitle = 'A question';

/**
 * Opens a thread on a message; the thread has the message's id. It may be open already.
 *
 * @param name - 1 to 100 characters. Where Discord does not allow it, e.g. because of a word in it, the
 *   thread is called {@link plainTitle}.
 * @throws {DiscordRefusal} when the message is gone or threads are not allowed.
 */
export async function startThread(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
  name: string,
): Promise<void> {
  try {
    await rest.repeatedly({
      method: 'POST',
      path: Routes.threads(channelId, messageId),
      body: { name, auto_archive_duration: autoArchiveMinutes },
    });
  } catch (error) {
    if (isRefusal(error, 'threadExists')) return;
    if (name === plainTitle || !isRefusal(error, 'titleBlocked', 'invalidForm')) throw error;
    await startThread(rest, channelId, messageId, plainTitle);
  }
}

/** Brings a person into a thread, so that it is among theirs. Who is in it already stays. */
export async function joinThread(
  rest: DiscordRest,
  threadId: string,
  userId: string,
): Promise<void> {
  const path = Routes.threadMembers(threadId, userId);
  await rest.repeatedly({ method: 'PUT', path });
}

export async function renameThread(
  rest: DiscordRest,
  threadId: string,
  name: string,
): Promise<void> {
  await rest.repeatedly({ method: 'PATCH', path: Routes.channel(threadId), body: { name } });
}

/** Does something in a thread; one that was put away takes no change, and is brought back for it. */
export async function inOpenThread<Result>(
  rest: DiscordRest,
  threadId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error, 'archivedThread')) throw error;
    const path = Routes.channel(threadId);
    await rest.repeatedly({ method: 'PATCH', path, body: { archived: false } });
    return work();
  }
}

/** Whether a channel or thread can be seen. */
export async function isThere(rest: DiscordRest, channelId: string): Promise<boolean> {
  return (await readChannel(rest, channelId)) !== undefined;
}

const ownedSchema = z.object({ owner_id: z.string().exactOptional() });

/** Whose thread it is; `undefined` for a channel, and for a thread that is not there yet. */
export async function ownerOf(rest: DiscordRest, threadId: string): Promise<string | undefined> {
  return ownedSchema.optional().parse(await readChannel(rest, threadId))?.owner_id;
}

/** What Discord says of a channel or thread; `undefined` for one that can't be seen. */
async function readChannel(rest: DiscordRest, channelId: string): Promise<unknown> {
  return rest
    .repeatedly({ method: 'GET', path: Routes.channel(channelId) })
    .catch(onRefusal(undefined, 'unknownChannel', 'missingAccess'));
}
