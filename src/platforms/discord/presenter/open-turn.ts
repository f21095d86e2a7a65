/** Opens a turn: finds or creates its thread and its card. */

import { Routes } from 'discord.js';
import type { Log } from '../../../domain/log.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { firstCharacters, wholeWords } from '../../../domain/words.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import { outsideCode } from '../../chat/text/outside-code.ts';
import { visibleName } from '../../chat/text/visible-text.ts';
import type { PresentedTurn } from '../../platform.ts';
import { spoiler } from '../discord-text.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { plainTitle, startThread } from '../rest/threads.ts';
import type { ChannelWebhooks } from '../rest/webhooks.ts';
import { readThreadId } from '../thread-id.ts';
import type { Component } from './components.ts';
import { postCard } from './opening-cards.ts';
import type { Faces } from './persona.ts';
import { type CardPlace, findCard } from './turn-marks.ts';

/** Everything that opening a turn takes. */
export interface TurnContext {
  readonly request: TurnRequest;
  readonly rest: DiscordRest;
  readonly identity: Identity;
  readonly webhooks: ChannelWebhooks;
  readonly faces: Faces;
  readonly pacer: Pacer;
  readonly posts: TurnPosts;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Ends the presentation; unposted messages are dropped. */
  readonly signal: AbortSignal;
}

interface TurnPlace {
  readonly card: CardPlace;
  /** Id of a message after which all of the council's messages here are this turn's. */
  readonly from: string;
  /** What the card shows; empty if unknown. */
  readonly shown: readonly Component[];
}

/** Everything that the parts of one turn's canvas share. */
export interface OpenedTurn extends TurnContext, TurnPlace {}

/**
 * Opens the turn's thread and posts its card, unless they exist.
 *
 * @throws {DiscordRefusal} if the thread can't be opened, is gone, or rejects the card; the store's error if
 *   the card's place can't be stored.
 */
export async function openTurn(
  turn: PresentedTurn,
  firstState: readonly Component[],
  context: TurnContext,
): Promise<TurnPlace> {
  const { request } = turn;
  const { channel, thread } = readThreadId(request.threadId);
  const title = threadTitle(request.question);
  const isOnQuestion = thread === request.eventId;
  // A post of a forum is a thread already, with the id of its first message.
  const isThere = thread === channel || request.isForumPost;
  if (isThere || !(isOnQuestion || wasOpenedFor(request.eventId, thread))) {
    return cardAmongOthers(thread, turn, firstState, context);
  }
  const isOnMessage = await startThread(context.rest, channel, thread, title);
  if (isOnMessage && !isOnQuestion) {
    // Then it appears in the person's list. Discord refuses e.g. people who have left.
    const path = Routes.threadMembers(thread, request.author.id);
    await unlessRefused(() => context.rest.withRetries({ method: 'PUT', path }));
    const card = { channelId: channel, messageId: thread };
    return { card, shown: [], from: thread };
  }
  const replyTo = isOnMessage ? thread : undefined;
  const cardChannel = isOnMessage ? channel : thread;
  const card = await cardIn(cardChannel, turn, firstState, context, replyTo);
  return { ...card, from: thread };
}

/** Whether a thread is newer than the event that asked, and so was opened for it. */
export function wasOpenedFor(eventId: string, thread: string): boolean {
  return /^\d+$/.test(eventId) && BigInt(eventId) < BigInt(thread);
}

/**
 * The card in a place that has other turns. Earlier ones have ended, so everything after the card is this
 * turn's. The card's id is stored, because the card may be deleted.
 */
async function cardAmongOthers(
  channelId: string,
  turn: PresentedTurn,
  firstState: readonly Component[],
  context: TurnContext,
): Promise<TurnPlace> {
  const { shownAt, request } = turn;
  if (shownAt !== undefined) {
    return { card: { channelId, messageId: shownAt }, shown: [], from: shownAt };
  }
  // Among several people’s messages, the card doesn't otherwise say whose question it is about.
  const replyTo = request.isPosted && (request.editOf ?? request.eventId);
  const opened = await cardIn(channelId, turn, firstState, context, replyTo);
  const { messageId } = opened.card;
  await turn.keepShownAt(messageId);
  return { ...opened, from: messageId };
}

/** Posts the card, unless an earlier process has. */
async function cardIn(
  channelId: string,
  { request, isResumed }: PresentedTurn,
  components: readonly Component[],
  { rest, pacer, signal, identity }: TurnContext,
  replyTo?: string,
): Promise<Pick<TurnPlace, 'card' | 'shown'>> {
  if (isResumed) {
    const existing = await findCard(rest, channelId, request, identity.userId);
    if (existing) return { card: { channelId, messageId: existing.id }, shown: [] };
  }
  const { channel } = readThreadId(request.threadId);
  const place = { thread: channelId, channel };
  const opening = { turnId: request.turnId, components, replyTo };
  const card = await postCard(rest, pacer, place, opening, signal);
  return { card, shown: components };
}

const longestTitle = 100;

const linkAddress = / ?\(https?:\/\/[^\s()]+\)/g;

const codeBlock = /```.*?(?:```|$)/gs;

/**
 * The thread's name: the question on one line, without blocks of code, spoilers and addresses of links, cut between
 * words.
 */
export function threadTitle(question: string): string {
  const plain = (prose: string) => prose.replace(spoiler, '…').replace(linkAddress, '');
  const name = visibleName(outsideCode(question.replace(codeBlock, ' … '), plain));
  if (!/[^…\s]/.test(name)) return plainTitle;
  if (name.length <= longestTitle) return name;
  const beginning = firstCharacters(name, longestTitle - 1);
  return `${wholeWords(beginning) || beginning}…`;
}
