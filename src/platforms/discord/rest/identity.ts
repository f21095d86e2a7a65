import { ApplicationFlags, Routes } from 'discord.js';
import { z } from 'zod';
import { onRefusal } from '../discord-error.ts';
import { directMessages } from '../thread-id.ts';
import type { DiscordRest } from './discord-rest.ts';

/** Who the bot is, and what the developer portal allows it. */
export interface Identity {
  readonly applicationId: string;
  readonly userId: string;
  /** The switch “Message Content Intent” is on. */
  readonly mayReadContent: boolean;
}

const applicationSchema = z.object({
  id: z.string(),
  flags: z.number().default(0),
  bot: z.object({ id: z.string() }),
});

const contentFlags =
  ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** @throws As {@link DiscordRest.repeatedly} does. */
export async function readIdentity(rest: DiscordRest): Promise<Identity> {
  const application = applicationSchema.parse(
    await rest.repeatedly({ method: 'GET', path: Routes.currentApplication() }),
  );
  return {
    applicationId: application.id,
    userId: application.bot.id,
    mayReadContent: (application.flags & contentFlags) !== 0,
  };
}

/** Whether the bot is in a guild; direct messages are never left. Throws as {@link DiscordRest.once} does. */
export async function isInGuild(rest: DiscordRest, guild: string): Promise<boolean> {
  if (guild === directMessages) return true;
  return rest
    .once({ method: 'GET', path: Routes.guild(guild) })
    .then(() => true, onRefusal(false, 'unknownGuild', 'missingAccess'));
}
