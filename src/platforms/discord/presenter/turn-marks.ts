/** Where a turn is shown, and how its messages are found again. */

import { createHash } from 'node:crypto';
import { SnowflakeUtil } from 'discord.js';
import { mostParties } from '../../../domain/docket.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import { readAfter, type SeenMessage } from '../rest/messages.ts';

/** Clocks differ, and messages are known by their marks anyway. */
const marginMs = 600_000;

/** What comes after this id was said since a moment. @param at - Milliseconds since 1970. */
export function momentBefore(at: number): string {
  return `${SnowflakeUtil.generate({ timestamp: at - marginMs })}`;
}

/** What comes after this id was said since a turn was asked, be it by what is no event of Discord's. */
export function askedAfter({ eventId, askedAt }: Pick<TurnRequest, 'eventId' | 'askedAt'>): string {
  return /^\d+$/.test(eventId) ? eventId : momentBefore(askedAt);
}

/** Where a turn is shown. */
export interface Venue {
  /** Where the messages go: the thread, or the channel where there is none. */
  readonly channelId: string;
  /** The channel that has the webhook; absent in direct messages. */
  readonly webhookChannelId: string | undefined;
}

/** Where a card is. */
export interface CardPlace {
  readonly channelId: string;
  readonly messageId: string;
  /** Discord took it without components only; absent: it has some, or that is unknown. */
  readonly isPlain?: true;
}

/** Above the small numbers that Discord gives the parts without one, and with the rest within 31 bits. */
const leastMark = 0x10000000;

/** How to find a message again: Discord keeps the number with a part of it, and shows it nowhere. */
export function markOf(...keys: readonly (string | number)[]): number {
  const hash = createHash('sha256').update(keys.join(' ')).digest();
  return leastMark + (hash.readUInt32BE(0) & 0x3fffffff);
}

/** Whether a part carries a mark, of whatever it is. */
function isMark(id: number): boolean {
  return id >= leastMark;
}

/** The number by which a turn's card is found again. */
export function cardMark(turnId: string): number {
  return markOf(turnId, 'card');
}

/** Whether a message is a turn's card: the answer to the interaction that asked, or made for the turn. */
export function isCardOf(
  { turnId, eventId }: Pick<TurnRequest, 'turnId' | 'eventId'>,
  { interaction_metadata, marks }: SeenMessage,
): boolean {
  return interaction_metadata?.id === eventId || marks.includes(cardMark(turnId));
}

/** Of a verdict; far more than a model writes. */
const mostPieces = 50;

/** Messages of a whole question: twice as many as take the 6,000 characters of a command's option. */
export const mostQuestionPosts = 4;

/** The marks of all that the council itself posts for a turn. */
export function marksOf(turnId: string) {
  const each = (part: string, count: number) =>
    Array.from({ length: count }, (_, index) => markOf(turnId, part, index));
  return {
    card: [cardMark(turnId)],
    question: each('question', mostQuestionPosts),
    round: each('round', 1 + mostParties),
    ranking: [markOf(turnId, 'ranking')],
    verdict: each('verdict', mostPieces),
    ping: [markOf(turnId, 'ping')],
    end: [markOf(turnId, 'end')],
  };
}

/** Leaves out what other turns said: what carries no mark is of the turn whose mark came last, be it a later one's. */
export function ofTurn(
  turnId: string,
  botId: string,
  seen: readonly SeenMessage[],
): readonly SeenMessage[] {
  const own = new Set(Object.values(marksOf(turnId)).flat());
  let isOwn = true;
  return seen.filter(({ author, marks }) => {
    const marked = author.id === botId ? marks.filter(isMark) : [];
    if (marked.length > 0) isOwn = marked.some((mark) => own.has(mark));
    return isOwn;
  });
}

/** Finds the card of a question in a channel, by whomever it was posted in the bot's name. */
export async function findCard(
  rest: DiscordRest,
  channelId: string,
  question: Pick<TurnRequest, 'turnId' | 'eventId' | 'askedAt'>,
  botId: string,
): Promise<SeenMessage | undefined> {
  const seen = await readAfter(rest, channelId, askedAfter(question));
  return seen.find((one) => one.author.id === botId && isCardOf(question, one));
}
