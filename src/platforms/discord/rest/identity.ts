/** Who the bot is, which permissions it needs, and the invite link that grants them. */

import {
  ApplicationFlags,
  PermissionFlagsBits as flags,
  type Guild,
  PermissionsBitField,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { reach } from '../../chat/pacing/platform-error.ts';
import { onRefusal } from '../discord-error.ts';
import { directMessages } from '../thread-id.ts';
import { DiscordRest } from './discord-rest.ts';

/** The bot's ids, and what the developer portal allows it. */
export interface Identity {
  readonly applicationId: string;
  readonly userId: string;
  /** Whether “Message Content Intent” is on. */
  readonly mayReadContent: boolean;
}

const applicationSchema = z.object({
  id: z.string(),
  flags: z.number().default(0),
  bot: z.object({ id: z.string() }),
});

const contentFlags =
  ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Throws as {@link DiscordRest.withRetries} does. */
export async function readIdentity(rest: DiscordRest): Promise<Identity> {
  const application = applicationSchema.parse(
    await rest.withRetries({ method: 'GET', path: Routes.currentApplication() }),
  );
  return {
    applicationId: application.id,
    userId: application.bot.id,
    mayReadContent: (application.flags & contentFlags) !== 0,
  };
}

/** Whether the bot is in a guild; always true for direct messages. Throws as {@link DiscordRest.once} does. */
export async function isInGuild(rest: DiscordRest, guild: string): Promise<boolean> {
  if (guild === directMessages) return true;
  return rest
    .once({ method: 'GET', path: Routes.guild(guild) })
    .then(() => true, onRefusal(false, 'unknownGuild', 'missingAccess'));
}

const withoutThreads = 'councils are held in the channel itself, without threads';
/** Each permission with its name in Discord, and what people lose without it. */
const needed = [
  [flags.ViewChannel, 'View Channels', 'it can’t see messages or commands'],
  [flags.SendMessages, 'Send Messages', 'it can answer no one'],
  [flags.SendMessagesInThreads, 'Send Messages in Threads', withoutThreads],
  [flags.CreatePublicThreads, 'Create Public Threads', withoutThreads],
  [
    flags.ManageWebhooks,
    'Manage Webhooks',
    'the sages speak through the bot, without names and pictures of their own',
  ],
  [
    flags.ReadMessageHistory,
    'Read Message History',
    'no thread can be opened on a question, an answer that Discord does not confirm is left out, and after a crash answers may be posted twice',
  ],
  [
    flags.AttachFiles,
    'Attach Files',
    'long answers come in many messages, and files, e.g. minutes, can’t be given',
  ],
  [flags.EmbedLinks, 'Embed Links', 'links show no preview'],
] as const;

/**
 * The permissions that the bot's roles lack in each server, and what people lose without them. Single channels
 * may still differ. Logs them.
 */
export function permissionGaps(guilds: readonly Guild[], log: Log) {
  const gaps = guilds.flatMap((guild) => {
    const own = guild.members.me?.permissions;
    return needed
      .filter(([flag]) => own && !own.has(flag))
      .map(([, permission, lost]) => ({ guildId: guild.id, guild: guild.name, permission, lost }));
  });
  for (const gap of gaps) log.warn({ ...gap }, `without ${gap.permission}, ${gap.lost}`);
  return gaps;
}

/** The link with which a manager adds the bot to a server, with just the permissions it needs. */
export function inviteLink(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: new PermissionsBitField(needed.map(([flag]) => flag)).bitfield.toString(),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

const timeoutMs = 10_000;
const gatewaySchema = z.object({ url: z.string() });

/**
 * Checks without connecting whether the bot could start.
 *
 * @returns The findings, for the operator.
 * @throws {SetupError} if the token is rejected; `UnansweredError` if Discord can't be reached.
 */
export async function examineDiscord(options: {
  readonly token: string;
  readonly api: string;
}): Promise<string> {
  const rest = new DiscordRest({ ...options, timeoutMs });
  const { applicationId, mayReadContent } = await readIdentity(rest);
  const gateway = await rest.withRetries({ method: 'GET', path: Routes.gatewayBot() });
  await reach(gatewaySchema.parse(gateway).url, 'the token is accepted, but the gateway');
  const followUps = mayReadContent
    ? 'reads messages in its threads'
    : 'follow-ups have to mention it, because “Message Content Intent” is off in the developer portal';
  return `the token is accepted; ${followUps}; add it to a server: ${inviteLink(applicationId)}`;
}
