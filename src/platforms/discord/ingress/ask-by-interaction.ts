/** `/council ask` and “Ask the council”: the question is stored, and then its card is there. */

import { MessageFlags } from 'discord.js';
import type { Place } from '../../../../commands/command.ts';
import type { Depth, TurnRequest } from '../../../council/council.ts';
import { depths } from '../../../council/council.ts';
import type { Log } from '../../../domain/log.ts';
import { takenWords } from '../../chat/text/taken-words.ts';
import type { Ingress } from '../../platform.ts';
import { firstCard } from '../presenter/card.ts';
import type { OpeningCards } from '../presenter/opening-cards.ts';
import type { CardPlace } from '../presenter/turn-marks.ts';
import { withoutRequest } from '../rest/discord-rest.ts';
import { noPings } from '../rest/messages.ts';
import { placeOf, readThreadId } from '../thread-id.ts';
import { type AskingInteraction, PromptAnswer } from './prompt-answer.ts';
import { personBehind, placeIn, placeOn, type Scene, sceneOf } from './scene.ts';

interface Question {
  readonly text: string;
  readonly depth?: Depth;
  readonly sages?: readonly string[];
}

/** What a question is asked with. */
export interface Asking {
  readonly ingress: Ingress;
  readonly cards: OpeningCards;
  readonly log: Log;
}

/** Never leaves the person without an answer; throws what Discord or the store throws. */
export async function askByInteraction(
  interaction: AskingInteraction,
  asking: Asking,
): Promise<void> {
  const scene = sceneOf(interaction, interaction.appPermissions);
  const answer = new PromptAnswer(interaction, scene.thread !== undefined);
  try {
    if (scene.obstacle) return await answer.say(scene.obstacle);
    const question = questionOf(interaction);
    const ask = scene.thread === undefined ? askOnCard : askInPlace;
    await ask({ interaction, answer, scene, question, ...asking });
  } finally {
    answer.end();
  }
}

interface AskedBy extends Asking {
  readonly interaction: AskingInteraction;
  readonly answer: PromptAnswer;
  readonly scene: Scene;
  readonly question: Question;
}

/** The answer to the command is the card, and the thread will hang on it. */
async function askOnCard(asked: AskedBy): Promise<void> {
  const { interaction, answer, scene, question, ingress, cards, log } = asked;
  const place = placeOf(placeOn(scene, interaction.id));
  let shown: TurnRequest | undefined;
  try {
    const request = requestOf(interaction, question, place);
    const taken = await ingress.askAnew(request, async (kept) => {
      const card = await showCard(asked, kept);
      if (card === undefined) return undefined;
      shown = kept;
      cards.keep(interaction.id, card);
      return placeOf(placeOn(scene, card.messageId));
    });
    if (taken.status === 'refused') await answer.say(taken.reason);
  } catch (error) {
    if (shown === undefined) throw error;
    log.error({ error, turnId: shown.turnId }, 'a question waits for the next start');
    await cards.fail(shown, waitsForStart);
  }
}

const waitsForStart =
  'The council can’t begin at the moment, by a fault of the program. The question is kept, and is taken up when the program is started again.';

/** @returns Nothing when another delivery of the interaction has its card. */
async function showCard(
  { interaction, answer, scene, cards, log }: AskedBy,
  kept: TurnRequest,
): Promise<CardPlace | undefined> {
  try {
    const messageId = await answer.show({
      components: [...firstCard(kept)],
      flags: MessageFlags.IsComponentsV2,
      allowedMentions: { parse: noPings.parse },
    });
    return messageId === undefined ? undefined : { channelId: scene.channel, messageId };
  } catch (error) {
    // The question is stored, and needs no interaction any more.
    const facts = { error: withoutRequest(error), eventId: interaction.id };
    log.warn(facts, 'a command got no answer; its card is posted');
    return cards.open(kept);
  }
}

/** In a thread or a direct message the card is posted when the turn begins. */
async function askInPlace({
  interaction,
  answer,
  scene,
  question,
  ingress,
}: AskedBy): Promise<void> {
  const place = placeOf(placeIn(scene));
  const asked = await ingress.ask(requestOf(interaction, question, place));
  await answer.say(asked.status === 'refused' ? asked.reason : takenWords(asked.turnsBefore));
}

/**
 * Goes on with a question whose thread an earlier process was about to open. Throws what Discord or
 * the store throws.
 */
export async function askAgain(question: TurnRequest, { ingress, cards }: Asking): Promise<void> {
  const { guild, channel } = readThreadId(question.threadId);
  const taken = await ingress.askAnew(question, async (kept) => {
    const { messageId: thread } = await cards.open(kept);
    return placeOf({ guild, channel, thread });
  });
  if (taken.status === 'refused') await cards.fail(question, taken.reason);
}

function requestOf(
  interaction: AskingInteraction,
  { text, depth, sages }: Question,
  { threadId, isPrivate, isPrivateThread }: Place,
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
    ...(isPrivateThread !== undefined && { isPrivateThread }),
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
