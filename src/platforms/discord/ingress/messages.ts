/** Questions that are simply said: by mention, in a direct message, in a thread of the council, as a reply to a sage. */

import { type Message, MessageType } from 'discord.js';
import type { Sage } from '../../../council/council.ts';
import type { Ingress } from '../../platform.ts';
import type { RefusalBrake } from '../../refusal-brake.ts';
import { speakerOf } from '../presenter/persona.ts';
import { placeOf } from '../thread-id.ts';
import { authorName, placeOn, sceneOf } from './scene.ts';

/** What has to be known besides the message itself. */
export interface Listening {
  readonly ingress: Ingress;
  /** Messages come with their text, also where the bot is not mentioned. */
  readonly readsContent: boolean;
  readonly brake: RefusalBrake;
}

/** Takes a message up if it is meant for the council. Throws what Discord or the store throws. */
export async function hearMessage(
  message: Message,
  { ingress, readsContent, brake }: Listening,
): Promise<void> {
  if (!isOfPerson(message)) return;
  const me = message.client.user.id;
  const scene = sceneOf(message, ownPermissions(message));
  const isMention = message.mentions.users.has(me) || isRoleMention(message);
  const question = withoutMention(message.content, me);
  const answered = question === '' ? undefined : await answeredMessage(message);
  const isToSage = answered !== undefined && isOwn(answered);
  const isForCouncil =
    isMention ||
    message.guildId === null ||
    (isToSage && answered.webhookId !== null) ||
    (readsContent && question !== '' && isInCouncilThread(message));
  // Where it may not speak it could not even say so.
  if (!isForCouncil || scene.obstacle) return;
  const place = placeOf(placeOn(scene, message.id));
  const isDirectlyAsked = isMention || message.guildId === null || isToSage;
  if (!isDirectlyAsked) {
    const { followUpMode } = await ingress.settings(place);
    if (followUpMode !== 'every_message') return;
  }
  const sage = isToSage ? addressedBy(answered, await ingress.speakers(place)) : undefined;
  const asked = await ingress.ask({
    threadId: place.threadId,
    eventId: message.id,
    question,
    author: { id: message.author.id, name: authorName(message) },
    askedAt: message.createdTimestamp,
    ...(sage ? { sages: [sage.key] } : {}),
    ...(place.isPrivate !== undefined && { isPrivate: place.isPrivate }),
    ...(place.isPrivateThread !== undefined && { isPrivateThread: place.isPrivateThread }),
  });
  if (asked.status === 'refused') {
    if (brake.take(message.author.id, message.channelId)) await answer(message, asked.reason);
  } else if (asked.isNew && asked.turnsBefore > 0) {
    await answer(message, `Taken. It comes after ${asked.turnsBefore} asked before.`);
  }
}

/** Bots, webhooks, the bot itself and Discord's own notes are never answered, so that there are no loops. */
function isOfPerson(message: Message): boolean {
  return (
    !message.author.bot &&
    message.webhookId === null &&
    !message.system &&
    (message.type === MessageType.Default || message.type === MessageType.Reply)
  );
}

function ownPermissions({ guild, channel }: Message): ReturnType<typeof permissionsIn> {
  return permissionsIn(guild, channel);
}

function permissionsIn(guild: Message['guild'], channel: Message['channel']) {
  const me = guild?.members.me;
  return me && 'permissionsFor' in channel ? channel.permissionsFor(me) : null;
}

/** People often pick the role that Discord makes for the bot, which has the same name. */
function isRoleMention({ mentions, client }: Message): boolean {
  return mentions.roles.some((role) => role.tags?.botId === client.user.id);
}

function withoutMention(content: string, me: string): string {
  return content.replaceAll(new RegExp(`<@!?${me}>`, 'g'), ' ').trim();
}

function isInCouncilThread({ channel, client }: Message): boolean {
  return channel.isThread() && channel.ownerId === client.user.id;
}

/** The message that this one replies to; absent when there is none or it is gone. */
async function answeredMessage(message: Message): Promise<Message | undefined> {
  const { reference, channel } = message;
  if (!reference?.messageId || reference.channelId !== message.channelId) return undefined;
  const known = channel.messages.cache.get(reference.messageId);
  // Only gone or hidden messages fail here; the question stands without them.
  return known ?? channel.messages.fetch(reference.messageId).catch(() => undefined);
}

function isOwn({ applicationId, author, client }: Message): boolean {
  return applicationId === client.application.id || author.id === client.user.id;
}

function addressedBy(answered: Message, speakers: readonly Sage[]): Sage | undefined {
  return speakerOf(
    { name: answered.webhookId ? answered.author.username : undefined, content: answered.content },
    speakers,
  );
}

async function answer(message: Message, content: string): Promise<void> {
  await message.reply({ content, allowedMentions: { parse: [], repliedUser: false } });
}
