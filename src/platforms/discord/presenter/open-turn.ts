/** Finds or makes the places of a turn: its thread, and the card. */

import type { Log } from '../../../domain/log.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import { visibleName } from '../../chat/text/visible-text.ts';
import type { PresentedTurn } from '../../platform.ts';
import { DiscordRefusal, isRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import {
  editMessage,
  type MessageBody,
  postMessage,
  readAfter,
  readMessage,
} from '../rest/messages.ts';
import { addToThread, isVisible, plainTitle, startThread } from '../rest/threads.ts';
import type { ChannelWebhooks } from '../rest/webhooks.ts';
import { directMessages, readThreadId } from '../thread-id.ts';
import { type Component, textPart } from './components.ts';
import { postCard } from './opening-cards.ts';
import type { Faces } from './persona.ts';
import { askedAfter, type CardPlace, cardMark, isCardOf, type Venue } from './turn-marks.ts';

/** A turn's places. */
export interface OpenedTurn {
  readonly venue: Venue;
  readonly card: CardPlace;
  /** What the card shows; nothing, when that is not known. */
  readonly shown: readonly Component[];
  /** Id of a message after which all that the council says in the venue is this turn's. */
  readonly from: string;
}

/** What one turn is shown with. */
export interface TurnSurroundings {
  readonly turnId: string;
  readonly rest: DiscordRest;
  readonly identity: Identity;
  readonly webhooks: ChannelWebhooks;
  readonly faces: Faces;
  readonly pacer: Pacer;
  readonly posts: TurnPosts;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Sages had to speak through the bot, because webhooks are not allowed in this channel. */
  readonly onNoPersonas: (channelId: string) => void;
  /** Ends the showing: what is not posted yet is left. */
  readonly signal: AbortSignal;
}

/**
 * Opens the thread where it is not open yet, and posts the card where there is none.
 *
 * @param known - The card that answered the interaction that asked, where this process knows it.
 * @throws {DiscordRefusal} when the thread can't be opened, is gone, or takes no card; {ToldRefusal} when
 *   that was told; what the store throws when it can't be kept where the turn is shown.
 */
export async function openTurn(
  turn: PresentedTurn,
  firstState: readonly Component[],
  around: TurnSurroundings,
  known: CardPlace | undefined,
): Promise<OpenedTurn> {
  const { request } = turn;
  const place = readThreadId(request.threadId);
  const { guild, channel, thread } = place;
  const venue: Venue = {
    channelId: thread,
    webhookChannelId: guild === directMessages ? undefined : channel,
  };
  const title = threadTitle(request.question);
  if (thread === request.eventId) {
    const isNew = await startOnQuestion(around, request, title);
    const at = isNew ? channel : thread;
    const card = await cardIn(at, turn, firstState, around, isNew ? thread : undefined);
    return { venue, ...card, from: thread };
  }
  if (thread === channel || !isOpenedFor(request.eventId, thread)) {
    return { venue, ...(await cardAmongOthers(thread, turn, firstState, around)) };
  }
  // The thread was opened for this turn, on its card.
  const card = known ?? (await cardOn(place, request, around));
  if (card) {
    await startOnCard(around, card, title);
    await bringIn(around, thread, request.author.id);
    return { venue, card, shown: [], from: thread };
  }
  return { venue, ...(await cardIn(thread, turn, firstState, around)), from: thread };
}

/** Whether a thread is younger than what asked, so that it was opened for that alone. */
export function isOpenedFor(eventId: string, thread: string): boolean {
  return /^\d+$/.test(eventId) && BigInt(eventId) < BigInt(thread);
}

/**
 * The card where other turns are held, too. Earlier ones have ended by now, so all that follows it is
 * this turn's; which message it was is kept, because it may be deleted.
 */
async function cardAmongOthers(
  channelId: string,
  turn: PresentedTurn,
  firstState: readonly Component[],
  around: TurnSurroundings,
): Promise<Pick<OpenedTurn, 'card' | 'shown' | 'from'>> {
  const { shownAt } = turn;
  if (shownAt !== undefined) {
    return { card: { channelId, messageId: shownAt }, shown: [], from: shownAt };
  }
  const { card, shown } = await cardIn(channelId, turn, firstState, around);
  await turn.keepShownAt(card.messageId);
  return { card, shown, from: card.messageId };
}

/** A refusal that the person who asked was told of where they asked, or that follows from taking the question back. */
export class ToldRefusal extends DiscordRefusal {
  constructor({ message, code, status, said }: DiscordRefusal) {
    super(message, { code, status, said });
  }
}

/** A card whose thread can't be opened says so, because nothing else will come of it. */
function startOnCard(
  { rest, pacer, signal }: TurnSurroundings,
  { channelId, messageId }: CardPlace,
  title: string,
): Promise<void> {
  const place = { thread: channelId, channel: channelId };
  const show = (body: MessageBody) => () => editMessage(rest, channelId, messageId, body);
  return startOrTell(
    () => startThread(rest, channelId, messageId, title),
    (words) => isTaken(() => pacer.post(place, show(asComponents(words)), signal)),
  );
}

/** Who asked by command finds the thread among their own. A refusal, e.g. of a person who has left, is no obstacle. */
async function bringIn({ rest, log, turnId }: TurnSurroundings, thread: string, userId: string) {
  try {
    await addToThread(rest, thread, userId);
  } catch (error) {
    if (!(error instanceof DiscordRefusal)) throw error;
    log.info({ turnId, error }, 'a person could not be brought into a thread');
  }
}

/**
 * Opens the thread on the message that asks; who wrote it is told when that can't be, as on a card.
 *
 * @returns As {@link startUnlessThere} does.
 */
function startOnQuestion(
  { rest, pacer, signal }: TurnSurroundings,
  { turnId, threadId, eventId }: PresentedTurn['request'],
  title: string,
): Promise<boolean> {
  const { channel } = readThreadId(threadId);
  const about = { key: `${turnId} no thread`, replyTo: eventId };
  const post = (body: MessageBody) => () => postMessage(rest, channel, { ...body, ...about });
  const say = (body: MessageBody) =>
    isTaken(() => pacer.post({ thread: channel, channel }, post(body), signal));
  return startOrTell(
    () => startUnlessThere(rest, channel, eventId, title),
    async (words, refusal) =>
      // A person who has deleted the question waits for nothing.
      isRefusal(refusal, 'unknownMessage', 'unknownChannel') ||
      (await say(asComponents(words))) ||
      say({ content: words }),
  );
}

/**
 * Starts a thread.
 *
 * @param tell - Shows where it was asked that there is none; gives whether the person knows.
 * @throws {DiscordRefusal}; {ToldRefusal} when the person knows.
 */
async function startOrTell<Result>(
  start: () => Promise<Result>,
  tell: (words: string, refusal: DiscordRefusal) => Promise<boolean>,
): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof DiscordRefusal)) throw error;
    const words = `No thread could be opened here, so the answers can’t be shown. ${error.message}`;
    throw (await tell(words, error)) ? new ToldRefusal(error) : error;
  }
}

function asComponents(words: string): MessageBody {
  return { components: [textPart(words)], isOnlyComponents: true };
}

/** Whether Discord takes a message; what else goes wrong is thrown. */
async function isTaken(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof DiscordRefusal) return false;
    throw error;
  }
}

/** @returns Whether the thread hangs on a message of the channel; a forum's post has its first message's id, too. */
async function startUnlessThere(
  rest: DiscordRest,
  channel: string,
  message: string,
  title: string,
): Promise<boolean> {
  try {
    await startThread(rest, channel, message, title);
    return true;
  } catch (error) {
    if (
      isRefusal(error, 'unknownMessage', 'wrongChannelType') &&
      (await isVisible(rest, message))
    ) {
      return false;
    }
    throw error;
  }
}

const unreadable = [
  'unknownMessage',
  'unknownChannel',
  'missingAccess',
  'missingPermissions',
  'wrongChannelType',
] as const;

/** The message that a thread hangs on, if it is the turn's card. */
async function cardOn(
  { channel, thread }: { readonly channel: string; readonly thread: string },
  request: PresentedTurn['request'],
  { rest }: TurnSurroundings,
): Promise<CardPlace | undefined> {
  try {
    const message = await readMessage(rest, channel, thread);
    return isCardOf(request, message) ? { channelId: channel, messageId: thread } : undefined;
  } catch (error) {
    if (isRefusal(error, ...unreadable)) return undefined;
    throw error;
  }
}

/** Posts the card, unless an earlier process has done so. */
async function cardIn(
  channelId: string,
  { request, isResumed }: PresentedTurn,
  components: readonly Component[],
  { rest, pacer, signal, identity }: TurnSurroundings,
  replyTo?: string,
): Promise<Pick<OpenedTurn, 'card' | 'shown'>> {
  const mark = cardMark(request.turnId);
  if (isResumed) {
    const there = (await readAfter(rest, channelId, askedAfter(request))).find(
      ({ author, marks }) => author.id === identity.userId && marks.includes(mark),
    );
    if (there) return { card: { channelId, messageId: there.id }, shown: [] };
  }
  const { channel } = readThreadId(request.threadId);
  const paced = (send: () => Promise<string>) =>
    pacer.post({ thread: channelId, channel }, send, signal);
  const { turnId } = request;
  const card = await postCard(rest, channelId, { turnId, components, replyTo }, paced);
  return { card, shown: components };
}

const longestTitle = 100;

/** Name of the thread: the question, on one line and cut between words. */
export function threadTitle(question: string): string {
  const characters = Array.from(visibleName(question));
  if (characters.length === 0) return plainTitle;
  if (characters.length <= longestTitle) return characters.join('');
  const cut = characters.slice(0, longestTitle - 1).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > longestTitle / 2 ? cut.slice(0, lastSpace) : cut).trim()}…`;
}
