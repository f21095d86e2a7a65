/**
 * Where a turn is shown, and the marks that identify its messages: component ids, which Discord keeps and
 * doesn't show.
 */

import { createHash } from 'node:crypto';
import { SnowflakeUtil } from 'discord.js';
import { mostParties } from '../../../domain/docket.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import { readAfter, type SeenMessage } from '../rest/messages.ts';

/** Allows for differing clocks; marks exclude other messages. */
const marginMs = 600_000;

/** A message id before this moment. @param at - Milliseconds since 1970. */
export function idBefore(at: number): string {
  return `${SnowflakeUtil.generate({ timestamp: at - marginMs })}`;
}

/** An id before all messages of a turn, even if its event isn't a Discord message. */
export function idBeforeQuestion({
  eventId,
  askedAt,
}: Pick<TurnRequest, 'eventId' | 'askedAt'>): string {
  return /^\d+$/.test(eventId) ? eventId : idBefore(askedAt);
}

export interface CardPlace {
  readonly channelId: string;
  readonly messageId: string;
  /** Discord accepted it only without components. Absent: it has some, or that is unknown. */
  readonly isPlain?: true;
}

/** Above the small ids that Discord assigns itself; all marks fit into 31 bits. */
const leastMark = 0x10000000;

/** The mark for a part of a turn, derived from its keys. */
export function markOf(...keys: readonly (string | number)[]): number {
  const hash = createHash('sha256').update(keys.join(' ')).digest();
  return leastMark + (hash.readUInt32BE(0) & 0x3fffffff);
}

/** The mark of a turn's card. */
export function cardMark(turnId: string): number {
  return markOf(turnId, 'card');
}

/** Of a verdict; far more than models write. */
const maxPieces = 50;

/** Messages of a whole question: twice as many as 6,000 characters, a command option's limit, need. */
export const maxQuestionPosts = 4;

/** The marks of everything that the council itself posts for a turn. */
export function marksOf(turnId: string) {
  const each = (part: string, count: number) =>
    Array.from({ length: count }, (_, index) => markOf(turnId, part, index));
  return {
    card: [cardMark(turnId)],
    question: each('question', maxQuestionPosts),
    round: each('round', 1 + mostParties),
    ranking: [markOf(turnId, 'ranking')],
    verdict: each('verdict', maxPieces),
    ping: [markOf(turnId, 'ping')],
    end: [markOf(turnId, 'end')],
  };
}

/**
 * Drops messages of other turns. An unmarked message belongs to the turn of the last mark before it, even
 * that of a later turn.
 */
export function messagesOfTurn(
  turnId: string,
  botId: string,
  seen: readonly SeenMessage[],
): readonly SeenMessage[] {
  const own = new Set(Object.values(marksOf(turnId)).flat());
  let isOwn = true;
  return seen.filter(({ author, marks }) => {
    const marked = author.id === botId ? marks.filter((id) => id >= leastMark) : [];
    if (marked.length > 0) isOwn = marked.some((mark) => own.has(mark));
    return isOwn;
  });
}

/** Finds a question's card in a channel: the response to the interaction that asked, or a post by any process. */
export async function findCard(
  rest: DiscordRest,
  channelId: string,
  question: Pick<TurnRequest, 'turnId' | 'eventId' | 'askedAt'>,
  botId: string,
): Promise<SeenMessage | undefined> {
  const { turnId, eventId } = question;
  const seen = await readAfter(rest, channelId, idBeforeQuestion(question));
  const isCard = ({ interaction_metadata, marks }: SeenMessage) =>
    interaction_metadata?.id === eventId || marks.includes(cardMark(turnId));
  return seen.find((one) => one.author.id === botId && isCard(one));
}
