/** Questions that are simply said: by mention, in a direct message, in a thread of the council, as a reply to a sage. */

import {
  type Message,
  MessageFlags,
  type MessageReplyOptions,
  MessageType,
  type PermissionsBitField,
} from 'discord.js';
import type { Place } from '../../../../commands/command.ts';
import type { Heard, HeardMessage } from '../../../domain/heard.ts';
import type { Sage } from '../../../domain/turn.ts';
import {
  askAgainLabel,
  askSaid,
  editedWords,
  handleEdit,
  type RefusalBrake,
  type SaidMessage,
} from '../../chat/asking/said-questions.ts';
import { hearsOf, wordlessQuestion } from '../../chat/hearing.ts';
import { questionIn } from '../../platform.ts';
import { heardInMessage, namesAround, plainWords } from '../hearing/said-message.ts';
import { button, buttonRow, textPart } from '../presenter/components.ts';
import { speakerOf } from '../presenter/persona.ts';
import { directMessages, placeOf, platformName, readThreadId } from '../thread-id.ts';
import { replyMessages } from './reply-message.ts';
import { type IngressContext, personWho, placeOn, sceneOf } from './scene.ts';

/** Takes a message up if it is meant for the council. Throws what Discord or the store throws. */
export async function hearMessage(message: Message, context: IngressContext): Promise<void> {
  const said = await saidIn(message, context);
  if (said) await askSaid(said, context);
}

/** Takes up what an edit has made of a message. Throws what Discord or the store throws. */
export async function hearEditedMessage(message: Message, context: IngressContext): Promise<void> {
  const said = await saidIn(message, context);
  if (!said) return;
  const ageMs = Date.now() - message.createdTimestamp;
  const offer = () => offerToAskAgain(message, said.place);
  await handleEdit({ said, eventId: message.id, ageMs, offer }, context);
}

/** Quietly, in the thread of the question. */
async function offerToAskAgain(message: Message, { threadId }: Place): Promise<void> {
  const { channelId: channel, id } = message;
  const thread = await message.client.channels.fetch(readThreadId(threadId).thread);
  if (!thread?.isSendable()) return;
  const again = button(askAgainLabel, { kind: 'again', channel, message: id });
  await thread.send({
    components: [textPart(editedWords), ...buttonRow([again])],
    flags: MessageFlags.IsComponentsV2 | MessageFlags.SuppressNotifications,
    allowedMentions: { parse: [] },
  });
}

/**
 * What a message says, as far as it may be meant for the council. Nothing: it is no person's, or was said
 * where the council does not listen or may not speak. Throws what Discord throws.
 */
export async function saidIn(
  message: Message,
  { ingress, readsContent }: Pick<IngressContext, 'ingress' | 'readsContent'>,
): Promise<SaidMessage | undefined> {
  if (!isOfPerson(message)) return undefined;
  const me = message.client.user.id;
  const scene = sceneOf(message, ownPermissions(message));
  const ownRoles = mentionedOwnRoles(message);
  const isMention = message.mentions.users.has(me) || ownRoles.length > 0;
  const words = withoutMentions(message.content, [`@${me}`, `@!${me}`, ...ownRoles]);
  const isReply = message.type === MessageType.Reply;
  const beside = heardInMessage(message, 'beside');
  const isDirect = message.guildId === null;
  // Something is there to be asked about without a word.
  const isPointing = isMention && (isReply || message.channel.isThread());
  const isAsked = isPointing || ((isMention || isDirect) && beside !== undefined);
  const question =
    words === '' && isAsked ? wordlessQuestion : plainWords(words, namesAround(message));
  const answered = question === '' ? undefined : await answeredMessage(message);
  const isToSage = answered !== undefined && isOwn(answered);
  const isInThread = readsContent() && question !== '' && isInCouncilThread(message);
  // Where it may not speak it could not even say so.
  if (!(isMention || isToSage || isInThread || isDirect) || scene.obstacle) return undefined;
  const place = placeOf(placeOn(scene, message.id));
  const { author, channelId } = message;
  return {
    remark: {
      text: words === '' ? question : words,
      where: isDirect ? 'direct message' : isInThread ? 'thread' : 'elsewhere',
      namesCouncil: isMention || isToSage,
      isForOthers: isForOthers(message) || (isReply && !isToSage),
    },
    ...{ place, author, channelId },
    question: async () => {
      const sage = isToSage
        ? addressedBy(answered, await ingress.addressableSages(place))
        : undefined;
      const repliesTo = isReply && message.reference?.messageId;
      const conversation = { isInThread: message.channel.isThread(), isReply, isDirect };
      return questionIn(place, {
        ...{ eventId: message.id, question, isPosted: true },
        person: personWho(message),
        askedAt: message.createdTimestamp,
        ...(repliesTo ? { repliesTo } : {}),
        ...(sage ? { sages: [sage.key] } : {}),
        ...hearsOf(question, conversation),
        ...(beside && { heard: heardWith(beside, message) }),
      });
    },
    run: async (command) => {
      const person = personWho(message);
      const reply = await ingress.command({ place, person, command, options: {} });
      for (const { components } of replyMessages(reply)) {
        const flags = MessageFlags.IsComponentsV2;
        await answerMessage(message, { components: [...components], flags });
      }
    },
    // A message has no private answer here.
    answeredTo: 'everybody',
    reply: (content) => answerMessage(message, { content }),
  };
}

/** What comes with a question by itself. */
export function heardWith(message: HeardMessage, { guildId, channelId }: Message): Heard {
  const place = `${platformName}:${guildId ?? directMessages}:${channelId}`;
  return { place, of: 'replies', messages: [message], leftOut: 0 };
}

/**
 * Tells the author of a message that could not be handled so, where they wait for an answer. Throws what
 * Discord throws.
 */
export async function tellAuthor(message: Message, sentence: string, brake: RefusalBrake) {
  const { author, channelId, guildId, mentions, client } = message;
  // Others that were heard may not have been meant for the council at all.
  const isAsked = guildId === null || mentions.users.has(client.user.id);
  if (isAsked && !author.bot && brake.take(author.id, channelId)) {
    await answerMessage(message, { content: sentence });
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

/** People often pick the role that Discord makes for the bot, which has the same name. */
function mentionedOwnRoles({ mentions, client }: Message): readonly string[] {
  return mentions.roles
    .filter((role) => role.tags?.botId === client.user.id)
    .map(({ id }) => `@&${id}`);
}

function isForOthers({ mentions, client }: Message): boolean {
  const others = mentions.users.filter(({ id }) => id !== client.user.id);
  const groups = mentions.roles.filter((role) => role.tags?.botId !== client.user.id);
  return mentions.everyone || others.size > 0 || groups.size > 0;
}

function withoutMentions(content: string, mentions: readonly string[]): string {
  return mentions.reduce((text, one) => text.replaceAll(`<${one}>`, ' '), content).trim();
}

function isInCouncilThread({ channel, client }: Message): boolean {
  return channel.isThread() && channel.ownerId === client.user.id;
}

/**
 * The message of a bot or a webhook that this one replies to; absent when there is none or it is gone.
 * Where people talk to each other, Discord is asked nothing.
 */
async function answeredMessage(message: Message): Promise<Message | undefined> {
  const { reference, channel, mentions } = message;
  if (!reference?.messageId || reference.channelId !== message.channelId) return undefined;
  if (!mentions.repliedUser?.bot) return undefined;
  const known = channel.messages.cache.get(reference.messageId);
  // Only gone or hidden messages fail here; the question stands without them.
  return known ?? channel.messages.fetch(reference.messageId).catch(() => undefined);
}

function isOwn({ applicationId, author, client }: Message): boolean {
  return applicationId === client.application.id || author.id === client.user.id;
}

function addressedBy(answered: Message, sages: readonly Sage[]): Sage | undefined {
  return speakerOf(
    { name: answered.webhookId ? answered.author.username : undefined, content: answered.content },
    sages,
  );
}

/** What the bot may do where a message was written; absent in direct messages. */
function ownPermissions({ guild, channel }: Message): Readonly<PermissionsBitField> | null {
  const me = guild?.members.me;
  return me && 'permissionsFor' in channel ? channel.permissionsFor(me) : null;
}

/**
 * Answers a message where it was written, without a ping: as a reply, where that is allowed and the
 * message is still there. Throws what Discord throws.
 */
async function answerMessage(
  message: Message,
  answer: Pick<MessageReplyOptions, 'content' | 'components'> & {
    readonly flags?: MessageFlags.IsComponentsV2;
  },
): Promise<void> {
  const allowedMentions = { parse: [], repliedUser: false };
  const { channel } = message;
  // Discord refuses replies of those who may not read what they reply to.
  const mayReply = ownPermissions(message)?.has('ReadMessageHistory') !== false;
  if (mayReply) await message.reply({ ...answer, allowedMentions, failIfNotExists: false });
  else if (channel.isSendable()) await channel.send({ ...answer, allowedMentions });
}
