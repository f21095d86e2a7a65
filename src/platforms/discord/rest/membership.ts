import { Routes } from 'discord.js';
import { isRefusal } from '../discord-error.ts';
import { directMessages } from '../thread-id.ts';
import type { DiscordRest } from './discord-rest.ts';

/** Whether the bot is in a guild; direct messages are never left. Throws as {@link DiscordRest.once} does. */
export async function isInGuild(rest: DiscordRest, guild: string): Promise<boolean> {
  if (guild === directMessages) return true;
  try {
    await rest.once({ method: 'GET', path: Routes.guild(guild) });
    return true;
  } catch (error) {
    if (isRefusal(error, 'unknownGuild', 'missingAccess')) return false;
    throw error;
  }
}
