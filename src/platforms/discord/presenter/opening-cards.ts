/** The cards of questions whose turn has not begun: made, found again, and handed to the turn. */

import { MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { TurnRequest } from '../../../domain/turn.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { deleteMessage, type MessageBody, postMessage } from '../rest/messages.ts';
import { readThreadId } from '../thread-id.ts';
import { editCard, failedCard, firstCard } from './card.ts';
import { type Component, plainPieces } from './components.ts';
import { type CardPlace, findCard } from './turn-marks.ts';

/** More do not wait to be begun; the cards of others are found by asking Discord. */
const mostKnown = 1000;

export class OpeningCards {
  readonly #rest: DiscordRest;
  readonly #identity: () => Promise<Identity>;
  readonly #known = new LRUCache<string, CardPlace>({ max: mostKnown });

  constructor(rest: DiscordRest, identity: () => Promise<Identity>) {
    this.#rest = rest;
    this.#identity = identity;
  }

  /** This message is the card of the question that an event has asked. */
  keep(eventId: string, card: CardPlace): void {
    this.#known.set(eventId, card);
  }

  /** The card of a question, for the turn that begins; absent when this process does not know it. */
  take(eventId: string): CardPlace | undefined {
    const card = this.#known.get(eventId);
    this.#known.delete(eventId);
    return card;
  }

  /**
   * Finds the card that was posted, perhaps by an earlier process and as the answer to a command, and
   * posts it where there is none. Throws as {@link postMessage} does.
   */
  async open(question: TurnRequest): Promise<CardPlace> {
    const card = (await this.#find(question)) ?? (await this.#post(question));
    this.keep(question.eventId, card);
    return card;
  }

  /** Says on the card why nothing comes of it; gives whether there is one. Throws as {@link editCard} does. */
  async fail(question: TurnRequest, why: string): Promise<boolean> {
    const card = this.take(question.eventId) ?? (await this.#find(question));
    if (card === undefined) return false;
    await editCard(this.#rest, card, failedCard(question, why));
    return true;
  }

  async #find(question: TurnRequest): Promise<CardPlace | undefined> {
    const { channel: channelId } = readThreadId(question.threadId);
    const { userId } = await this.#identity();
    const card = await findCard(this.#rest, channelId, question, userId);
    if (card === undefined) return undefined;
    if ((card.flags & MessageFlags.Loading) === 0) return { channelId, messageId: card.id };
    // A promise of an answer, which only the process that gave it could have kept.
    await deleteMessage(this.#rest, channelId, card.id);
    return undefined;
  }

  #post(question: TurnRequest): Promise<CardPlace> {
    const { channel } = readThreadId(question.threadId);
    const { turnId } = question;
    return postCard(this.#rest, channel, { turnId, components: firstCard(question) });
  }
}

/**
 * Posts a card; plainly where Discord does not take it as it is. Throws as {@link postMessage} does.
 *
 * @param paced - Makes the request; absent: at once.
 */
export async function postCard(
  rest: DiscordRest,
  channelId: string,
  card: {
    readonly turnId: string;
    readonly components: readonly Component[];
    readonly replyTo?: string | undefined;
  },
  paced = (send: () => Promise<string>) => send(),
): Promise<CardPlace> {
  const { turnId, components, replyTo } = card;
  const about = { key: `${turnId} card`, ...(replyTo === undefined ? {} : { replyTo }) };
  const post = (body: MessageBody) =>
    paced(() => postMessage(rest, channelId, { ...about, ...body }));
  try {
    return { channelId, messageId: await post({ components, isOnlyComponents: true }) };
  } catch (error) {
    if (!(error instanceof DiscordRefusal) || error.closesPlace) throw error;
    const [content = ''] = plainPieces(components);
    return { channelId, messageId: await post({ content }), isPlain: true };
  }
}
