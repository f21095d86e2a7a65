import { refusal } from '../rest/discord-error.ts';
import { demand, isForum, may, speakingPermission } from '../world/permissions.ts';
import type { Channel } from '../world/records.ts';
import type { World } from '../world/world.ts';
import type { MessageBody } from './message-body.ts';

/**
 * Refuses a message that the bot may not post here.
 *
 * @throws DiscordError 50001, 50013, 50007, 50278, 50008 or, for a closed thread, 50083 or 160005.
 */
export function demandSpeaking(
  world: World,
  channel: Channel,
  body: MessageBody,
  fileCount: number,
): void {
  const { state, bot } = world;
  demand(state, channel, bot.id, speakingPermission(channel));
  if (channel.kind === 'direct' && channel.closedBy) throw refusal(channel.closedBy);
  if (isForum(channel)) throw refusal('notATextChannel');
  if ((body.embeds ?? []).length > 0) demand(state, channel, bot.id, 'EmbedLinks');
  if (fileCount > 0) demand(state, channel, bot.id, 'AttachFiles');
  if (!may(state, channel, bot.id, 'ManageThreads')) demandUnlocked(channel);
}

/** Anybody's message wakes a thread that merely sleeps. @throws DiscordError 50083 or 160005. */
export function demandUnlocked(channel: Channel): void {
  if (channel.kind !== 'thread' || !channel.isLocked) return;
  throw refusal(channel.isArchived ? 'archivedThread' : 'lockedThread');
}
