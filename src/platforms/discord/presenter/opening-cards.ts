/** Posts the cards of questions before their turns start, and finds them again. */

import { MessageFlags } from 'discord.js';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { Destination } from '../../chat/pacing/call-ledger.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { DiscordRefusal, isRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { deleteMessage, type MessageBody, postMessage } from '../rest/messages.ts';
import { readThreadId } from '../thread-id.ts';
import { editCard, failedCard, openingCard } from './card.ts';
import { type Component, plainPieces } from './components.ts';
import { type CardPlace, findCard } from './turn-marks.ts';

export type OpeningCards = ReturnType<typeof openingCards>;

export function openingCards(ownRest: DiscordRest, pacer: Pacer, whoAmI: () => Promise<Identity>) {
  /**
   * Finds the card, perhaps posted by an earlier process or as the response to a command, or posts it.
   * Throws as {@link postMessage} does.
   */
  async function open(question: TurnRequest): Promise<CardPlace> {
    const found = await find(question);
    if (found) return found;
    const { channel } = readThreadId(question.threadId);
    const card = { turnId: question.turnId, components: openingCard(question) };
    return postCard(ownRest, pacer, { thread: channel, channel }, card);
  }

  /** Shows on the card why the question has failed. Returns whether there is a card. Throws as {@link editCard} does. */
  async function fail(question: TurnRequest, why: string, rest = ownRest): Promise<boolean> {
    const card = await find(question, rest);
    if (card === undefined) return false;
    const { channelId: thread } = card;
    const show = () => editCard(rest, card, failedCard(question, why));
    await pacer.post({ thread, channel: thread }, show);
    return true;
  }

  async function find(question: TurnRequest, rest = ownRest): Promise<CardPlace | undefined> {
    const { channel: channelId } = readThreadId(question.threadId);
    const { userId } = await whoAmI();
    const card = await findCard(rest, channelId, question, userId);
    if (card === undefined) return undefined;
    if ((card.flags & MessageFlags.Loading) === 0) return { channelId, messageId: card.id };
    // A deferred response, which only the process that sent it could have completed.
    await deleteMessage(rest, channelId, card.id);
    return undefined;
  }

  return { open, fail };
}

/**
 * Posts a card, as plain text if Discord refuses its components. Throws as {@link postMessage} does.
 *
 * @param signal - Aborted: a post that still waits is dropped.
 */
export async function postCard(
  rest: DiscordRest,
  pacer: Pacer,
  place: Destination,
  card: {
    readonly turnId: string;
    readonly components: readonly Component[];
    readonly replyTo?: string | undefined;
  },
  signal?: AbortSignal,
): Promise<CardPlace> {
  const { turnId, components, replyTo } = card;
  const channelId = place.thread;
  const about = { key: `${turnId} card`, replyTo };
  const post = (body: MessageBody) =>
    pacer.post(place, () => postMessage(rest, channelId, { ...about, ...body }), signal);
  try {
    return { channelId, messageId: await post({ components }) };
  } catch (error) {
    if (isRefusal(error, 'replyNeedsHistory')) {
      return postCard(rest, pacer, place, { turnId, components }, signal);
    }
    if (!(error instanceof DiscordRefusal) || error.closesPlace) throw error;
    const [content = ''] = plainPieces(components);
    return { channelId, messageId: await post({ content }), isPlain: true };
  }
}
