/** Posts the cards of questions before their turns start, finds them again, and passes them to the turns. */

import { MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { TurnRequest } from '../../../domain/turn.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { deleteMessage, type MessageBody, postMessage } from '../rest/messages.ts';
import { readThreadId } from '../thread-id.ts';
import { editCard, failedCard, openingCard } from './card.ts';
import { type Component, plainPieces } from './components.ts';
import { type CardPlace, findCard } from './turn-marks.ts';

/** Further cards are found through Discord. */
const maxCached = 1000;

export class OpeningCards {
  readonly #rest: DiscordRest;
  readonly #identity: () => Promise<Identity>;
  readonly #known = new LRUCache<string, CardPlace>({ max: maxCached });

  constructor(rest: DiscordRest, identity: () => Promise<Identity>) {
    this.#rest = rest;
    this.#identity = identity;
  }

  /** Remembers the card of the question with this event id. */
  keep(eventId: string, card: CardPlace): void {
    this.#known.set(eventId, card);
  }

  /** Returns and forgets a question's card, for its turn; `undefined` if this process doesn't know it. */
  take(eventId: string): CardPlace | undefined {
    const card = this.#known.get(eventId);
    this.#known.delete(eventId);
    return card;
  }

  /**
   * Finds the card, perhaps posted by an earlier process or as the response to a command, or posts it.
   * Throws as {@link postMessage} does.
   */
  async open(question: TurnRequest): Promise<CardPlace> {
    const card = (await this.#find(question)) ?? (await this.#post(question));
    this.keep(question.eventId, card);
    return card;
  }

  /** Shows on the card why the question has failed. Returns whether there is a card. Throws as {@link editCard} does. */
  async fail(question: TurnRequest, why: string, rest = this.#rest): Promise<boolean> {
    const card = this.take(question.eventId) ?? (await this.#find(question, rest));
    if (card === undefined) return false;
    await editCard(rest, card, failedCard(question, why));
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

  #post(question: TurnRequest): Promise<CardPlace> {
    const { channel } = readThreadId(question.threadId);
    const { turnId } = question;
    return postCard(this.#rest, channel, { turnId, components: openingCard(question) });
  }
}

/**
 * Posts a card, as plain text if Discord refuses its components. Throws as {@link postMessage} does.
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
  const about = { key: `${turnId} card`, replyTo };
  const post = (body: MessageBody) =>
    paced(() => postMessage(rest, channelId, { ...about, ...body }));
  try {
    return { channelId, messageId: await post({ components }) };
  } catch (error) {
    if (!(error instanceof DiscordRefusal) || error.closesPlace) throw error;
    const [content = ''] = plainPieces(components);
    return { channelId, messageId: await post({ content }), isPlain: true };
  }
}
