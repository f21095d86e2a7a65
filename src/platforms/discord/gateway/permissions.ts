/** What the bot must be allowed, what is lost without it, the link that grants just that, and whether a token is good. */

import { type Client, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { DiscordRest } from '../rest/discord-rest.ts';
import { readIdentity } from '../rest/identity.ts';

const needed = [
  {
    flag: PermissionFlagsBits.ViewChannel,
    name: 'View Channels',
    lost: 'it sees and hears nothing',
  },
  { flag: PermissionFlagsBits.SendMessages, name: 'Send Messages', lost: 'it can answer no one' },
  {
    flag: PermissionFlagsBits.SendMessagesInThreads,
    name: 'Send Messages in Threads',
    lost: 'councils are held in the channel itself, without threads',
  },
  {
    flag: PermissionFlagsBits.CreatePublicThreads,
    name: 'Create Public Threads',
    lost: 'councils are held in the channel itself, without threads',
  },
  {
    flag: PermissionFlagsBits.ManageWebhooks,
    name: 'Manage Webhooks',
    lost: 'the sages speak through the bot, without names and pictures of their own',
  },
  {
    flag: PermissionFlagsBits.ReadMessageHistory,
    name: 'Read Message History',
    lost: 'no thread can be opened on a question, an answer that Discord does not confirm is left out, and after a crash answers may be posted twice',
  },
  {
    flag: PermissionFlagsBits.AttachFiles,
    name: 'Attach Files',
    lost: 'long answers come in many messages, and files, e.g. minutes, can’t be given',
  },
  { flag: PermissionFlagsBits.EmbedLinks, name: 'Embed Links', lost: 'links show no preview' },
] as const;

/** A permission that the bot lacks in a server. */
export interface PermissionGap {
  readonly guildId: string;
  readonly guild: string;
  readonly permission: string;
  /** What people lose by it. */
  readonly lost: string;
}

/** The permissions that a server as a whole does not give. Single channels may still differ. */
export function permissionGaps(client: Client): readonly PermissionGap[] {
  return [...client.guilds.cache.values()].flatMap((guild) => {
    const own = guild.members.me?.permissions;
    return needed
      .filter(({ flag }) => own && !own.has(flag))
      .map(({ name, lost }) => ({ guildId: guild.id, guild: guild.name, permission: name, lost }));
  });
}

/** The address at which a manager adds the bot to a server, with just the permissions it needs. */
export function inviteLink(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: new PermissionsBitField(needed.map(({ flag }) => flag)).bitfield.toString(),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

const timeoutMs = 10_000;

/**
 * Looks whether the bot could be started, without connecting it.
 *
 * @returns What was found, for the operator.
 * @throws {DiscordSetupError} when the token is not accepted; `DiscordUnanswered` when Discord can't be reached.
 */
export async function examineDiscord(options: {
  readonly token: string;
  readonly api: string;
}): Promise<string> {
  const rest = new DiscordRest({ ...options, timeoutMs });
  const { applicationId, mayReadContent } = await readIdentity(rest);
  const followUps = mayReadContent
    ? 'reads messages in its threads'
    : 'follow-ups have to mention it, because “Message Content Intent” is off in the developer portal';
  return `the token is accepted; ${followUps}; add it to a server: ${inviteLink(applicationId)}`;
}
