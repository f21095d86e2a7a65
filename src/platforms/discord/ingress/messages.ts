/** Questions in messages: by mention, in direct messages, in the council's threads, as replies to sages. */

import { type Message, MessageType, type PermissionsBitField } from 'discord.js';
import type { Place } from '../../../../commands/command.ts';
import type { Heard, HeardMessage } from '../../../domain/heard.ts';
import { hello, unheardMessage, waitsHere } from '../../chat/asking/asking-words.ts';
import {
  askAgainLabel,
  askSaid,
  editedWords,
  handleEdit,
  type SaidMessage,
} from '../../chat/asking/said-questions.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import { hearsOf, wordlessQuestion } from '../../chat/surroundings.ts';
import { ownMention, withoutOwnMentions } from '../../chat/text/own-mentions.ts';
import { questionIn } from '../../platform.ts';
import { button, buttonRow, textPart } from '../presenter/components.ts';
import { type OwnMessage, speakerOf } from '../presenter/persona.ts';
import { type DiscordRest, withoutRequest } from '../rest/discord-rest.ts';
import { type MessageBody, readMessage } from '../rest/messages.ts';
import { threadOwner } from '../rest/threads.ts';
import {
  cachedNames,
  heardInMessage,
  isSpoken,
  plainWords,
  withTitle,
} from '../surroundings/said-message.ts';
import { directMessages, platformName, readThreadId } from '../thread-id.ts';
import { replyMessages } from './reply-message.ts';
import { authorOf, type IngressContext, placeIn, sceneOf } from './scene.ts';

/** Handles a message if it is meant for the council. Throws what Discord or the store throws. */
export async function handleMessage(message: Message, context: IngressContext): Promise<void> {
  const said = await saidIn(message, context);
  if (!said) return;
  if (!isSpoken(message)) {
    await askSaid(said, context);
    setTimeout(() => void tellIfUnseen(message, said, context), unseenMs).unref();
  } else if (context.brake.take(message.author.id, message.channelId))
    await said.reply(unheardMessage);
}

/** How long nothing may show that a question was heard. */
const unseenMs = 5000;

/** Tells a channel, once for many people, that a question waits. The gateway may report its thread late. Never throws. */
async function tellIfUnseen(message: Message, said: SaidMessage, context: IngressContext) {
  const { ingress, brake, isStopping, log, rest } = context;
  try {
    // A forum's post is a thread already.
    const isSeen = message.thread !== null || message.channelId === message.id;
    if (isSeen || readThreadId(said.place.threadId).thread !== message.id || isStopping()) return;
    const turn = await ingress.turnOf(message.id, said.place);
    const mayWait = turn?.hasEnded === false && brake.take('', said.channelId);
    if (mayWait && !(await threadOwner(rest, message.id))) await said.reply(waitsHere);
  } catch (error) {
    log.warn({ error: withoutRequest(error) }, 'a channel was not told that a question waits');
  }
}

/** Handles an edited message; offers each edit once. Throws what Discord or the store throws. */
export async function handleEditedMessage(
  message: Message,
  context: IngressContext,
): Promise<void> {
  const said = await saidIn(message, context);
  if (!said) return;
  const ageMs = context.now() - message.createdTimestamp;
  const offer = () => offerToAskAgain(message, said.place, context);
  await handleEdit({ said, eventId: message.id, ageMs, offer }, context);
}

/** Without a notification, in the question's thread. One offer serves all edits until it is used. */
async function offerToAskAgain(
  message: Message,
  { threadId }: Place,
  context: IngressContext,
): Promise<void> {
  const { channelId: channel, id, editedTimestamp } = message;
  if (context.offered.has(id)) return;
  // Discord tells of an edit again, e.g. with a link preview, and other processes may have received it too.
  if (!(await context.ingress.mayReply({ threadId, eventId: `${id} ${editedTimestamp}` }))) return;
  context.offered.set(id, '');
  const again = button(askAgainLabel, { kind: 'again', channel, message: id });
  const components = [textPart(editedWords), ...buttonRow([again])];
  const offer = { components, isSilent: true } as const;
  const { thread } = readThreadId(threadId);
  // As a reply among the messages of others.
  const posted =
    thread === channel ? answerMessage(message, offer, context) : context.post(thread, offer);
  const offerId = await posted.catch((error: unknown) => {
    context.offered.delete(id);
    throw error;
  });
  context.offered.set(id, offerId);
}

/**
 * Reads a message that may be meant for the council. Returns `undefined` if no person wrote it, the council
 * doesn't listen there, or the bot may not post there. Throws what Discord throws.
 */
export async function saidIn(
  message: Message,
  context: Pick<IngressContext, 'ingress' | 'readsContent' | 'rest' | 'post'>,
): Promise<SaidMessage | undefined> {
  const { ingress, readsContent, rest } = context;
  if (!isByPerson(message)) return undefined;
  const me = message.client.user.id;
  const scene = sceneOf(message, ownPermissions(message));
  const ownRoles = mentionedOwnRoles(message);
  const isMention = message.mentions.users.has(me) || ownRoles.length > 0;
  const own = [`@${me}`, `@!${me}`, ...ownRoles];
  const marked = own.reduce(
    (text, one) => text.replaceAll(`<${one}>`, ownMention),
    message.content,
  );
  const { words: written, before } = withoutOwnMentions(marked);
  const words = withTitle(message, written);
  const isReply = message.type === MessageType.Reply;
  const beside = heardInMessage(message, 'beside');
  const isDirect = message.guildId === null;
  // A bare mention asks about what is above it. A sticker in reply mentions, too, but asks nothing.
  const isPointing = isMention && message.content !== '' && (isReply || message.channel.isThread());
  const isAsked = isPointing || ((isMention || isDirect) && beside !== undefined);
  const question =
    words === '' && isAsked ? wordlessQuestion : plainWords(words, cachedNames(message));
  const mayBeToSage = question !== '' || isSpoken(message);
  const original = mayBeToSage ? await ownReplied(message, rest) : undefined;
  const isToSage = original !== undefined;
  const isToOthers = isReply && !isToSage && message.mentions.repliedUser?.id !== message.author.id;
  const isOwnThread = message.channel.isThread() && message.channel.ownerId === me;
  const isInThread = readsContent() && question !== '' && isOwnThread;
  // Without permission to post, it couldn't say so either.
  if (!(isMention || isToSage || isInThread || isDirect) || scene.obstacle) return undefined;
  const place = placeIn(scene, message.id);
  const { author, channelId, editedTimestamp } = message;
  // Another process, or an earlier one, may have received it too.
  const eventId = `${message.id} ${editedTimestamp ?? ''}`;
  const mayReply = () => ingress.mayReply({ threadId: place.threadId, eventId });
  return {
    remark: {
      text: words === '' ? question : withTitle(message, marked.replaceAll(ownMention, ' ').trim()),
      before,
      where: isDirect ? 'direct message' : isInThread ? 'thread' : 'elsewhere',
      namesCouncil: isMention || isToSage,
      isForOthers: isToOthers || mentionsOthers(message),
    },
    place,
    author,
    channelId,
    question: async () => {
      const sage = original && speakerOf(original, await ingress.addressableSages(place));
      const repliesTo = isReply && message.reference?.messageId;
      const conversation = { isInThread: message.channel.isThread(), isReply, isDirect };
      return questionIn(place, {
        eventId: message.id,
        question,
        isPosted: true,
        person: await authorOf(message),
        askedAt: message.createdTimestamp,
        ...(repliesTo ? { repliesTo } : {}),
        ...(sage ? { sages: [sage.key] } : {}),
        ...hearsOf(question, conversation),
        ...(beside && { heard: contextOf(beside, message) }),
      });
    },
    run: async (command) => {
      const person = await authorOf(message);
      // In a channel, all commands would be a wall of text.
      const isShort = command === 'help' && !isDirect;
      const reply = isShort
        ? hello('server')
        : await ingress.command({ place, person, command, options: {} });
      if (!(await mayReply())) return;
      for (const { components } of await replyMessages(reply)) {
        await answerMessage(message, { components }, context);
      }
    },
    // Discord has no private replies to messages.
    answeredTo: 'everybody',
    reply: async (content) => {
      if (await mayReply()) await answerMessage(message, { content }, context);
    },
  };
}

/** The forwards, embeds and attachments of a question, as its context. */
export function contextOf(message: HeardMessage, { guildId, channelId }: Message): Heard {
  const place = `${platformName}:${guildId ?? directMessages}:${channelId}`;
  return { place, of: 'replies', messages: [message], leftOut: 0 };
}

/** Tells the author that their message could not be handled, if they wait for an answer. Throws what Discord throws. */
export async function notifyAuthor(
  message: Message,
  sentence: string,
  context: Pick<IngressContext, 'brake' | 'rest' | 'post'>,
): Promise<void> {
  const { author, channelId, guildId, mentions, client } = message;
  if (author.bot) return;
  // Other messages may not have been meant for the council.
  const isMention = mentions.users.has(client.user.id) || mentionedOwnRoles(message).length > 0;
  const isAsked =
    guildId === null || isMention || (await ownReplied(message, context.rest)) !== undefined;
  if (isAsked && context.brake.take(author.id, channelId)) {
    await answerMessage(message, { content: sentence }, context);
  }
}

/** To prevent loops, the council never answers bots, webhooks, itself or Discord's system messages. */
function isByPerson(message: Message): boolean {
  return (
    !message.author.bot &&
    message.webhookId === null &&
    (message.type === MessageType.Default || message.type === MessageType.Reply)
  );
}

/** People often mention the role that Discord creates for the bot under the same name. */
function mentionedOwnRoles({ mentions, client }: Message): readonly string[] {
  return mentions.roles
    .filter((role) => role.tags?.botId === client.user.id)
    .map(({ id }) => `@&${id}`);
}

/** A mention of oneself, e.g. by replying to one's own message, is for no one else. */
function mentionsOthers({ mentions, author, client }: Message): boolean {
  const own = [client.user.id, author.id];
  const groups = mentions.roles.filter((role) => role.tags?.botId !== client.user.id);
  return mentions.everyone || mentions.users.some(({ id }) => !own.includes(id)) || groups.size > 0;
}

/**
 * Whose message by the council this one replies to, and what it says, if it still exists. Replies between people
 * cost no request. Throws if Discord does not answer.
 */
async function ownReplied(message: Message, rest: DiscordRest): Promise<OwnMessage | undefined> {
  const { reference, channelId, mentions, client } = message;
  const { messageId } = reference ?? {};
  if (!messageId || reference?.channelId !== channelId) return undefined;
  if (!mentions.repliedUser?.bot) return undefined;
  const original = await unlessRefused(() => readMessage(rest, channelId, messageId));
  // The question works without a message that is deleted or hidden.
  if (!original) return undefined;
  const { application_id, webhook_id, author, content } = original;
  const isOwn = application_id === client.application.id || author.id === client.user.id;
  return isOwn ? { name: webhook_id ? author.username : undefined, content } : undefined;
}

/** The bot's permissions where a message was written; `null` in direct messages. */
function ownPermissions({ guild, channel }: Message): Readonly<PermissionsBitField> | null {
  const me = guild?.members.me;
  return me && 'permissionsFor' in channel ? channel.permissionsFor(me) : null;
}

/** Answers a message in its channel, as a reply if the bot may reply. Throws what Discord throws. */
async function answerMessage(
  message: Message,
  answer: MessageBody,
  { post }: Pick<IngressContext, 'post'>,
): Promise<string> {
  // Discord refuses replies by those who may not read the original.
  const mayReply = ownPermissions(message)?.has('ReadMessageHistory') !== false;
  return post(message.channelId, { ...answer, ...(mayReply && { replyTo: message.id }) });
}
