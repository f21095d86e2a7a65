/** `/council ask` and “Ask the council”: the question is taken up, and its card is there at once. */

import {
  type ChatInputCommandInteraction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
} from 'discord.js';
import type { Place } from '../../../../commands/command.ts';
import type { Depth, TurnRequest } from '../../../council/council.ts';
import { depths } from '../../../council/council.ts';
import type { Ingress } from '../../platform.ts';
import { firstCard } from '../presenter/card.ts';
import { noPings } from '../rest/messages.ts';
import { placeOf } from '../thread-id.ts';
import { answerOnce } from './first-answer.ts';
import { personBehind, placeIn, placeOn, type Scene, sceneOf } from './scene.ts';

/** What a question can be asked by. */
export type AskingInteraction = ChatInputCommandInteraction | MessageContextMenuCommandInteraction;

interface Question {
  readonly text: string;
  readonly depth?: Depth;
  readonly sages?: readonly string[];
}

/** Told which message is the card of the question that an interaction asked. */
export type OnCard = (eventId: string, card: { channelId: string; messageId: string }) => void;

/** Never leaves the person without an answer; throws what Discord or the store throws. */
export async function askByInteraction(
  interaction: AskingInteraction,
  ingress: Ingress,
  onCard: OnCard,
): Promise<void> {
  const scene = sceneOf(interaction, interaction.appPermissions);
  if (scene.obstacle) return sayPrivately(interaction, scene.obstacle);
  const question = questionOf(interaction);
  if (scene.thread === undefined) {
    await askOnCard(interaction, scene, question, { ingress, onCard });
  } else await askInPlace(interaction, scene, question, ingress);
}

/** The answer to the command is the card, and the thread will hang on it. */
async function askOnCard(
  interaction: AskingInteraction,
  scene: Scene,
  question: Question,
  { ingress, onCard }: { readonly ingress: Ingress; readonly onCard: OnCard },
): Promise<void> {
  const cardId = await postCard(interaction, question.text);
  if (cardId === undefined) return;
  onCard(interaction.id, { channelId: scene.channel, messageId: cardId });
  const place = placeOf(placeOn(scene, cardId));
  const asked = await ingress.ask(requestOf(interaction, question, place));
  if (asked.status === 'accepted') return;
  // The refusal is nobody else's business, and a card without a turn would wait for ever.
  // Through the webhook, because the interaction's own methods want to have heard of the answer.
  await interaction.webhook.send({ content: asked.reason, flags: MessageFlags.Ephemeral });
  await interaction.webhook.deleteMessage('@original');
}

/** @returns The card's id; absent when the interaction has been dealt with before. */
async function postCard(
  interaction: AskingInteraction,
  question: string,
): Promise<string | undefined> {
  const posted = await answerOnce(() =>
    interaction.reply({
      components: [...firstCard(question)],
      flags: MessageFlags.IsComponentsV2,
      allowedMentions: { parse: noPings.parse },
      withResponse: true,
    }),
  );
  switch (posted.status) {
    case 'given before':
      return undefined;
    case 'unconfirmed':
      return (await interaction.fetchReply()).id;
    case 'given': {
      const id = posted.result.resource?.message?.id;
      if (id === undefined) throw new Error('Discord did not tell the id of the card.');
      return id;
    }
  }
}

/** In a thread or a direct message the card is posted when the turn begins. */
async function askInPlace(
  interaction: AskingInteraction,
  scene: Scene,
  question: Question,
  ingress: Ingress,
): Promise<void> {
  const deferred = await answerOnce(() =>
    interaction.deferReply({ flags: MessageFlags.Ephemeral }),
  );
  if (deferred.status === 'given before') return;
  const place = placeOf(placeIn(scene));
  const asked = await ingress.ask(requestOf(interaction, question, place));
  const content = asked.status === 'refused' ? asked.reason : takenText(asked.turnsBefore);
  // Through the webhook, as above.
  await interaction.webhook.editMessage('@original', { content });
}

function takenText(turnsBefore: number): string {
  if (turnsBefore === 0) return 'The council is being seated.';
  return `Taken. It comes after ${turnsBefore} that ${turnsBefore === 1 ? 'was' : 'were'} asked before.`;
}

export async function sayPrivately(interaction: AskingInteraction, content: string): Promise<void> {
  await interaction.reply({ content, flags: MessageFlags.Ephemeral });
}

function requestOf(
  interaction: AskingInteraction,
  { text, depth, sages }: Question,
  { threadId, isPrivate }: Place,
): Omit<TurnRequest, 'turnId'> {
  const { id, name } = personBehind(interaction);
  return {
    threadId,
    eventId: interaction.id,
    question: text,
    author: { id, name },
    askedAt: interaction.createdTimestamp,
    ...(depth ? { depth } : {}),
    ...(sages ? { sages } : {}),
    ...(isPrivate !== undefined && { isPrivate }),
  };
}

function questionOf(interaction: AskingInteraction): Question {
  if (interaction.isMessageContextMenuCommand()) return { text: interaction.targetMessage.content };
  const { options } = interaction;
  const depth = depths.find((one) => one === options.getString('depth'));
  const sages = options
    .getString('sages')
    ?.split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return {
    text: options.getString('question', true),
    ...(depth ? { depth } : {}),
    ...(sages ? { sages } : {}),
  };
}
