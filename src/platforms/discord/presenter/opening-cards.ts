/** Posts the cards of questions before their turns start, and finds them again. */

import { MessageFlags } from 'discord.js';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { Destination } from '../../chat/pacing/call-ledger.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { deleteMessage, type MessageBody, postMessage } from '../rest/messages.ts';
import { readThreadId } from '../thread-id.ts';
import { editCard, failedCard, openingCard } from './card.ts';
import { type Component, plainPieces } from './components.ts';
import { type CardPlace, findCard } from './turn-marks.ts';

export class OpeningCards {
  readonly #rest: DiscordRest;
  readonly #pacer: Pacer;
  readonly #identity: () => Promise<Identity>;

  constructor(rest: DiscordRest, pacer: Pacer, identity: () => Promise<Identity>) {
    this.#rest = rest;
    this.#pacer = pacer;
    this.#identity = identity;
  }

  /**
   * Finds the card, perhaps posted by an earlier process or as the response to a command, or posts it.
   * Throws as {@link postMessage} does.
   */
  async open(question: TurnRequest): Promise<CardPlace> {
    const found = await this.#find(question);
    if (found) return found;
    const { channel } = readThreadId(question.threadId);
    const card = { turnId: question.turnId, components: openingCard(question) };
    return postCard(this.#rest, this.#pacer, { thread: channel, channel }, card);
  }

  /** Shows on the card why the question has failed. Returns whether there is a card. Throws as {@link editCard} does. */
  async fail(question: TurnRequest, why: string, rest = this.#rest): Promise<boolean> {
    const card = await this.#find(question, rest);
    if (card === undefined) return false;
    const { channelId: thread } = card;
    const show = () => editCard(rest, card, failedCard(question, why));
    await this.#pacer.post({ thread, channel: thread }, show);
    return true;
  }

  async #find(question: TurnRequest, rest = this.#rest): Promise<CardPlace | undefined> {
    const { channel: channelId } = readThreadId(question.threadId);
    const { userId } = await this.#identity();
    const card = await findCard(rest, channelId, question, userId);
    if (card === undefined) return undefined;
    if ((card.flags & MessageFlags.Loading) === 0) return { channelId, messageId: card.id };
    // A deferred response, which only the process that sent it could have completed.
    await deleteMessage(rest, channelId, card.id);
    return undefined;
  }
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
    if (!(error instanceof DiscordRefusal) || error.closesPlace) throw error;
    const [content = ''] = plainPieces(components);
    return { channelId, messageId: await post({ content }), isPlain: true };
  }
}
