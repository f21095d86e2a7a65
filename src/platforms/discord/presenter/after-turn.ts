/** Changes a finished turn: redraws its verdict, posts that to the channel, or retracts the question. */

import { MessageType, Routes } from 'discord.js';
import { turnWordsIn } from '../../../domain/languages/languages.ts';
import { offersBelow } from '../../chat/asking/turn-actions.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { reasonFor, unlessRefused } from '../../chat/pacing/platform-error.ts';
import { type ConcludedTurn, type Platform, UnshowableError } from '../../platform.ts';
import { DiscordRefusal, onRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import {
  deleteMessage,
  editMessage,
  postMessage,
  readAfter,
  readMessage,
  type SeenMessage,
} from '../rest/messages.ts';
import { inOpenThread, plainTitle, threadOwner } from '../rest/threads.ts';
import { addressOf, hasChannel, readThreadId } from '../thread-id.ts';
import { editCard, postedVerdict, withdrawnCard } from './card.ts';
import { wasOpenedFor } from './open-turn.ts';
import { personasOf } from './persona.ts';
import {
  findCard,
  idBefore,
  idBeforeQuestion,
  markOf,
  marksOf,
  messagesOfTurn,
} from './turn-marks.ts';
import { verdictMessage } from './turn-messages.ts';

interface AfterTurnOptions {
  readonly rest: DiscordRest;
  readonly pacer: Pacer;
  readonly whoAmI: () => Promise<Identity>;
}

/** Each method does as the method of `Platform` with its name. */
export function afterTurn({
  rest,
  pacer,
  whoAmI,
}: AfterTurnOptions): Pick<Platform, 'redraw' | 'post' | 'unpost' | 'retract'> {
  async function redraw(turn: ConcludedTurn): Promise<void> {
    const { request, verdict, ranked } = turn;
    const { channel, thread } = readThreadId(request.threadId);
    const words = turnWordsIn(request.language);
    const offers = offersBelow(turn, hasChannel(request), words);
    const personas = personasOf(turn.seats);
    const message = verdictMessage(request.turnId, verdict, ranked, offers, personas, words);
    const { userId } = await whoAmI();
    const messages = await readAfter(rest, thread, idBeforeQuestion(request));
    const posted = (mark: number) =>
      messages.find(({ author, marks }) => author.id === userId && marks.includes(mark));
    const isInPieces = message.files !== undefined && posted(message.mark)?.hasFile === false;
    const last = isInPieces ? message.fallback?.at(-1) : message;
    const shown = last && posted(last.mark);
    if (!shown) return;
    const { components } = last;
    await inOpenThread(rest, thread, () =>
      pacer.post({ thread, channel }, () => editMessage(rest, thread, shown.id, { components })),
    );
  }

  async function post(turn: ConcludedTurn): Promise<string | undefined> {
    const { request, verdict, ranked } = turn;
    const { turnId, threadId } = request;
    if (!hasChannel(request)) return undefined;
    const place = readThreadId(threadId);
    const { channel } = place;
    // Discord would take a post with the key of a deleted one for that one.
    const key = `${turnId} posted ${turn.posted?.post ?? ''}`;
    const mark = markOf(turnId, 'posted');
    const components = postedVerdict(request, { verdict, ranked }, mark, addressOf(place));
    try {
      const [known] = await postsOf(turn);
      // People may have deleted it. One that may not be looked at counts as there.
      const isThere =
        known !== undefined &&
        (await readMessage(rest, channel, known)
          .then(() => true, onRefusal(false, 'unknownMessage'))
          .catch(onRefusal(true, 'missingAccess', 'missingPermissions')));
      if (isThere) return known;
      const send = () => postMessage(rest, channel, { components, key });
      return await pacer.post({ thread: channel, channel }, send);
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error;
      throw new UnshowableError(reasonFor(error), { cause: error });
    }
  }

  async function unpost(turn: Pick<ConcludedTurn, 'request' | 'posted'>): Promise<void> {
    const { channel } = readThreadId(turn.request.threadId);
    for (const id of await postsOf(turn)) await deleteMessage(rest, channel, id);
  }

  /** The posted verdict: as noted, or else as found, because the response to the request may have been lost. */
  async function postsOf({
    request: { threadId, turnId },
    posted,
  }: Pick<ConcludedTurn, 'request' | 'posted'>): Promise<readonly string[]> {
    if (!posted) return [];
    if (posted.post !== undefined) return [posted.post];
    const { userId } = await whoAmI();
    const mark = markOf(turnId, 'posted');
    const said = await readAfter(rest, readThreadId(threadId).channel, idBefore(posted.at));
    return said
      .filter(({ author, marks }) => author.id === userId && marks.includes(mark))
      .map(({ id }) => id);
  }

  /** Ignores refusals: those messages are gone, or not the bot's. */
  async function retract(
    turn: Pick<ConcludedTurn, 'request' | 'shownAt' | 'posted'>,
  ): Promise<void> {
    await unlessRefused(() => unpost(turn));
    const { request, shownAt } = turn;
    const { userId, applicationId } = await whoAmI();
    const { channel, thread } = readThreadId(request.threadId);
    const { eventId, turnId } = request;
    const isOwnThread = thread !== channel && (thread === eventId || wasOpenedFor(eventId, thread));
    const cards = [
      ...(shownAt === undefined ? [] : [{ channelId: thread, messageId: shownAt }]),
      // A command's card is the message that its thread was opened on.
      ...(isOwnThread && thread !== eventId ? [{ channelId: channel, messageId: thread }] : []),
    ];
    if (cards.length === 0) {
      for (const channelId of new Set([channel, thread])) {
        const found = await unlessRefused(() => findCard(rest, channelId, request, userId));
        if (found) cards.push({ channelId, messageId: found.id });
      }
    }
    for (const card of cards) {
      const { channelId } = card;
      const send = () => editCard(rest, card, withdrawnCard(request));
      await unlessRefused(() =>
        inOpenThread(rest, channelId, () => pacer.post({ thread: channelId, channel }, send)),
      );
    }
    const { question } = marksOf(turnId);
    const read = () => readAfter(rest, thread, idBeforeQuestion(request));
    const said = (await unlessRefused(read)) ?? [];
    for (const { id, marks } of said) {
      if (!marks.some((mark) => question.includes(mark))) continue;
      const remove = () => deleteMessage(rest, thread, id);
      await unlessRefused(() => inOpenThread(rest, thread, remove));
    }
    if (!isOwnThread || (await threadOwner(rest, thread)) !== userId) return;
    const isOurs = ({ type, author, application_id }: SeenMessage) =>
      type === MessageType.ThreadStarterMessage ||
      author.id === userId ||
      application_id === applicationId;
    // Nothing of people's or of another question is in the thread, so it need not stay in the channel's list. Without
    // the permission to read it, nothing at all seems to be.
    const left = messagesOfTurn(turnId, userId, said).filter(isOurs);
    const isLeftOver = left.length > 0 && left.length === said.length;
    const body = { name: plainTitle, ...(isLeftOver && { archived: true }) };
    const change = { method: 'PATCH', path: Routes.channel(thread), body } as const;
    await unlessRefused(() => inOpenThread(rest, thread, () => rest.withRetries(change)));
  }

  return { redraw, post, unpost, retract };
}
