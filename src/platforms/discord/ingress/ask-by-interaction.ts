/** Asks questions by `/council ask` and “Ask the council”: stores the question, then shows its card. */

import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  type Message,
  MessageFlags,
  type RepliableInteraction,
} from 'discord.js';
import { askSchema, type Choice } from '../../../domain/asking.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import {
  askedAlreadyWords,
  messageGoneWords,
  notYoursWords,
} from '../../chat/asking/said-questions.ts';
import { askShown, wordsFor } from '../../chat/asking/shown-questions.ts';
import { hearsOf, questionAbout, wordlessQuestion } from '../../chat/surroundings.ts';
import { type OpenThread, type Question, questionIn } from '../../platform.ts';
import type { Action } from '../custom-id.ts';
import { isRefusal, onRefusal } from '../discord-error.ts';
import { openingCard } from '../presenter/card.ts';
import type { CardPlace } from '../presenter/turn-marks.ts';
import { withoutRequest } from '../rest/discord-rest.ts';
import {
  cachedNames,
  heardInMessage,
  plainWords,
  withTitle,
} from '../surroundings/said-message.ts';
import { deferPrivately, InteractionAnswer } from './first-answer.ts';
import { contextOf, saidIn } from './messages.ts';
import { type IngressContext, optionsOf, personIn, placeIn, sceneOf } from './scene.ts';

const notInThreadWords =
  'I’m not in this private thread. Mention me here to add me, then ask again.';

/** A question with its options and context. */
export type AskedQuestion = Pick<Question, 'question' | 'hears' | 'heard' | 'repliesTo'> & Choice;

/** Reads the question of a slash command; mentions become names. */
export function askedByCommand(interaction: ChatInputCommandInteraction): AskedQuestion {
  const { question, choice } = askSchema.parse(optionsOf(interaction));
  const { guild, channel } = interaction;
  const plain = plainWords(question, cachedNames(interaction));
  const isInThread = channel?.isThread() === true;
  const location = { isInThread, isReply: false, isDirect: guild === null };
  return { question: plain, ...choice, ...hearsOf(plain, location) };
}

/**
 * Builds the question about a message.
 *
 * @param typed - What the person wants to know; ignored for their own message, which is the question.
 */
export function askedAbout(message: Message, askerId: string, typed: string): AskedQuestion {
  const { author, member, content, guild, channel, url, id } = message;
  const heard = heardInMessage(message, author.id === askerId ? 'beside' : 'all');
  const words = withTitle(message, plainWords(content, cachedNames(message)).trim());
  const name = member?.displayName ?? author.displayName;
  const question =
    author.id !== askerId
      ? questionAbout(name, typed, url)
      : words || (heard ? wordlessQuestion : '');
  const location = { isInThread: channel.isThread(), isReply: true, isDirect: guild === null };
  return {
    question,
    ...hearsOf(question, location),
    ...(guild !== null && { repliesTo: id }),
    ...(heard && { heard: contextOf(heard, message) }),
  };
}

/**
 * Asks the question and always answers the person. Throws what Discord or the store throws.
 *
 * @param read - Reads the question.
 */
export async function askByInteraction(
  interaction: RepliableInteraction,
  read: () => AskedQuestion,
  context: IngressContext,
): Promise<void> {
  const scene = sceneOf(interaction, interaction.appPermissions);
  const isInThread = scene.thread !== undefined;
  const answer = new InteractionAnswer(interaction, isInThread);
  const open: OpenThread = async (kept) => {
    // The response to the command is the card, on which the thread is opened.
    const card = await showCard(answer, kept, scene.channel, context);
    return card && placeIn(scene, card.messageId);
  };
  try {
    // Discord offers the bot's commands even where it has not been added.
    const look = scene.isPrivateThread && interaction.channel?.fetch();
    const isIn = !look || (await look.then(() => true, onRefusal(false, 'missingAccess')));
    if (!isIn) return await answer.say(notInThreadWords);
    const request = questionIn(placeIn(scene, interaction.id), {
      eventId: interaction.id,
      ...read(),
      person: personIn(interaction),
      askedAt: interaction.createdTimestamp,
    });
    // In a thread or direct message, the card is posted when the turn begins.
    const asked = await askShown(request, isInThread ? undefined : open, context);
    const words = wordsFor(asked);
    if (words === undefined || (asked.status === 'accepted' && !isInThread)) return;
    const isOnCard = asked.status === 'kept' && (await context.cards.fail(asked.question, words));
    if (!isOnCard) await answer.say(words);
  } finally {
    answer.end();
  }
}

/**
 * Asks an edited question for its author, and deletes the offer so that it is asked once. Throws what
 * Discord or the store throws.
 */
export async function askEdited(
  interaction: ButtonInteraction,
  { channel, message: id }: Extract<Action, { kind: 'again' }>,
  context: IngressContext,
): Promise<void> {
  await deferPrivately(interaction);
  const message = await readAnew(interaction.client, channel, id);
  const isTheirs = message?.author.id === interaction.user.id;
  // A button's id may be forged, but not a message's author.
  const said = isTheirs && (await saidIn(message, { ...context, readsContent: () => true }));
  const question = said ? await said.question() : undefined;
  if (!question?.question.trim()) {
    await interaction.editReply(message && !isTheirs ? notYoursWords : messageGoneWords);
    return;
  }
  const { channel: place } = interaction;
  // Discord deletes nothing in an archived thread.
  if (place?.isThread() && place.archived) await place.setArchived(false);
  const isFirst = await interaction.message
    .delete()
    .then(() => true, onRefusal(false, 'unknownMessage'));
  if (!isFirst) {
    await interaction.editReply(askedAlreadyWords);
    return;
  }
  const { id: eventId, createdTimestamp: askedAt } = interaction;
  const asked = await askShown({ ...question, eventId, askedAt, editOf: id }, undefined, context);
  await interaction.editReply(wordsFor(asked) ?? askedAlreadyWords);
}

/** Reads a message as it is now; `undefined` if it is gone or hidden from the bot. Throws what Discord throws. */
export async function readAnew(
  { channels }: Client,
  channelId: string,
  id: string,
): Promise<Message | undefined> {
  const isGone = onRefusal(
    undefined,
    'unknownChannel',
    'unknownMessage',
    'missingAccess',
    'missingPermissions',
  );
  const channel = await channels.fetch(channelId).catch(isGone);
  if (!channel?.isTextBased()) return undefined;
  return channel.messages.fetch({ message: id, force: true }).catch(isGone);
}

/** @returns `undefined` if another delivery of the interaction has its card. */
async function showCard(
  answer: InteractionAnswer,
  kept: TurnRequest,
  channelId: string,
  { cards, log }: IngressContext,
): Promise<CardPlace | undefined> {
  try {
    const messageId = await answer.show({
      components: [...openingCard(kept)],
      flags: MessageFlags.IsComponentsV2,
    });
    return { channelId, messageId };
  } catch (error) {
    if (isRefusal(error, 'alreadyAcknowledged')) return undefined;
    // The question is stored and no longer needs the interaction.
    const facts = { error: withoutRequest(error), eventId: kept.eventId };
    log.warn(facts, 'a command got no answer; its card is posted');
    return cards.open(kept);
  }
}
