import { Routes } from 'discord.js';
import { z } from 'zod';
import { DiscordRefusal, isRefusal, onRefusal, refusalCodes } from '../discord-error.ts';
import type { DiscordRest } from './discord-rest.ts';

/** A thread is archived after a day without messages; the next message unarchives it. */
const autoArchiveMinutes = 1440;

/** The thread name used when the question can't be one. */
export const plainTitle = 'A question';

const tooManyThreads =
  'The server has as many open threads as Discord allows. Close one that is done and ask again, or ask in one that is open.';

/**
 * Starts a thread on a message; does nothing if it exists. The thread has the message's id.
 *
 * @param name - 1 to 100 characters. If Discord rejects it, e.g. for a blocked word, the name is {@link
 *   plainTitle}.
 * @returns Whether the message is there: it may have been deleted since the thread was opened.
 * @throws {DiscordRefusal} if there is neither message nor thread, or threads are not allowed.
 */
export async function startThread(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
  name: string,
): Promise<boolean> {
  try {
    await rest.withRetries({
      method: 'POST',
      path: Routes.threads(channelId, messageId),
      body: { name, auto_archive_duration: autoArchiveMinutes },
    });
    return true;
  } catch (error) {
    if (isRefusal(error, 'threadExists')) return true;
    const isGone = isRefusal(error, 'unknownMessage');
    if (isGone && (await threadOwner(rest, messageId)) !== undefined) return false;
    if (isRefusal(error, 'tooManyThreads', 'tooManyAnnouncementThreads')) {
      const code = refusalCodes.tooManyThreads;
      throw new DiscordRefusal(tooManyThreads, { code, status: 400, cause: error });
    }
    if (name === plainTitle || !isRefusal(error, 'titleBlocked', 'invalidForm')) throw error;
    return startThread(rest, channelId, messageId, plainTitle);
  }
}

/** Runs `work` in a thread; if the thread is archived, unarchives it and runs `work` again. */
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
    await rest.withRetries({ method: 'PATCH', path, body: { archived: false } });
    return work();
  }
}

const ownedSchema = z.object({ owner_id: z.string().exactOptional() });

/** The id of a thread's owner; `undefined` for a channel, and for a thread that doesn't exist or can't be seen. */
export async function threadOwner(
  rest: DiscordRest,
  threadId: string,
): Promise<string | undefined> {
  const thread = await rest
    .withRetries({ method: 'GET', path: Routes.channel(threadId) })
    .catch(onRefusal(undefined, 'unknownChannel', 'missingAccess'));
  return ownedSchema.optional().parse(thread)?.owner_id;
}
