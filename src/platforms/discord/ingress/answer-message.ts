import type { Message, PermissionsBitField } from 'discord.js';

/** What the bot may do where a message was written; absent in direct messages. */
export function ownPermissions({ guild, channel }: Message): Readonly<PermissionsBitField> | null {
  const me = guild?.members.me;
  return me && 'permissionsFor' in channel ? channel.permissionsFor(me) : null;
}

/**
 * Answers a message where it was written, without a ping: as a reply, where that is permitted and the
 * message is still there. Throws what Discord throws.
 */
export async function answerMessage(message: Message, content: string): Promise<void> {
  const allowedMentions = { parse: [], repliedUser: false };
  const { channel } = message;
  // Discord refuses replies of those who may not read what they reply to.
  const mayReply = ownPermissions(message)?.has('ReadMessageHistory') !== false;
  if (mayReply) await message.reply({ content, allowedMentions, failIfNotExists: false });
  else if (channel.isSendable()) await channel.send({ content, allowedMentions });
}
