/** Changes a finished turn: redraws its verdict, posts that to the channel, or retracts the question. */

import { offersBelow } from '../../chat/asking/turn-actions.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import { type ConcludedTurn, UnshowableError } from '../../platform.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { deleteMessage, editMessage, postMessage, readAfter } from '../rest/messages.ts';
import { inOpenThread, plainTitle, renameThread, threadOwner } from '../rest/threads.ts';
import { addressOf, hasChannel, readThreadId } from '../thread-id.ts';
import { editCard, isCutOnCard, postedVerdict, withdrawnCard } from './card.ts';
import { wasOpenedFor } from './open-turn.ts';
import { personasOf } from './persona.ts';
import { findCard, idBefore, idBeforeQuestion, markOf, marksOf } from './turn-marks.ts';
import { verdictMessage } from './turn-messages.ts';

export interface AfterTurnOptions {
  readonly rest: DiscordRest;
  readonly pacer: Pacer;
  readonly identity: Identity;
}

/** As `Platform.redraw`. */
export async function redraw(
  turn: ConcludedTurn,
  { rest, pacer, identity }: AfterTurnOptions,
): Promise<void> {
  const { request, verdict, ranked } = turn;
  const { channel, thread } = readThreadId(request.threadId);
  const offers = offersBelow(turn, hasChannel(request.threadId));
  const personas = personasOf(turn.seats);
  const message = verdictMessage(request.turnId, verdict, ranked, offers, personas);
  const messages = await readAfter(rest, thread, idBeforeQuestion(request));
  const own = messages.filter(({ author }) => author.id === identity.userId);
  const posted = (mark: number) => own.find(({ marks }) => marks.includes(mark));
  const first = posted(message.mark);
  const isInPieces = message.files !== undefined && first?.hasFile === false;
  const last = isInPieces ? message.fallback?.at(-1) : message;
  const shown = last && posted(last.mark);
  if (!shown) return;
  const body = { components: last.components };
  await inOpenThread(rest, thread, () =>
    pacer.post({ thread, channel }, () => editMessage(rest, thread, shown.id, body)),
  );
}

/** As `Platform.post`. */
export async function postVerdict(
  { request, verdict, ranked, posted }: ConcludedTurn,
  { rest, pacer, identity }: AfterTurnOptions,
): Promise<string | undefined> {
  const { turnId, threadId, question } = request;
  if (!hasChannel(threadId)) return undefined;
  const place = readThreadId(threadId);
  const { channel } = place;
  const mark = postMark(turnId);
  const key = `${turnId} posted`;
  const components = postedVerdict(question, { verdict, ranked }, mark, addressOf(place));
  try {
    const existing = posted && (await findPosts({ request, posted }, rest, identity))[0];
    if (existing !== undefined) return existing;
    const send = () => postMessage(rest, channel, { components, key });
    return await pacer.post({ thread: channel, channel }, send);
  } catch (error) {
    if (!(error instanceof DiscordRefusal)) throw error;
    throw new UnshowableError(error.message, { cause: error });
  }
}

/** As `Platform.unpost`. */
export async function unpostVerdict(
  { request, posted }: Pick<ConcludedTurn, 'request' | 'posted'>,
  { rest, identity }: Pick<AfterTurnOptions, 'rest' | 'identity'>,
): Promise<void> {
  if (!posted) return;
  const { channel } = readThreadId(request.threadId);
  const { post } = posted;
  const ids = post === undefined ? await findPosts({ request, posted }, rest, identity) : [post];
  for (const id of ids) await deleteMessage(rest, channel, id);
}

/** Looks for posted verdicts, because the response to the request may have been lost. */
async function findPosts(
  { request, posted }: Pick<ConcludedTurn, 'request'> & Required<Pick<ConcludedTurn, 'posted'>>,
  rest: DiscordRest,
  { userId }: Identity,
): Promise<readonly string[]> {
  const { channel } = readThreadId(request.threadId);
  const mark = postMark(request.turnId);
  const said = await readAfter(rest, channel, idBefore(posted.at));
  return said
    .filter(({ author, marks }) => author.id === userId && marks.includes(mark))
    .map(({ id }) => id);
}

function postMark(turnId: string): number {
  return markOf(turnId, 'posted');
}

/** As `Platform.retract`. Ignores refusals: those messages are gone, or not the bot's. */
export async function retract(
  { request, shownAt, posted }: Pick<ConcludedTurn, 'request' | 'shownAt' | 'posted'>,
  { rest, pacer, identity }: AfterTurnOptions,
): Promise<void> {
  await unlessRefused(() =>
    unpostVerdict({ request, ...(posted && { posted }) }, { rest, identity }),
  );
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
      const found = await unlessRefused(() => findCard(rest, channelId, request, identity.userId));
      if (found) cards.push({ channelId, messageId: found.id });
    }
  }
  for (const card of cards) {
    const { channelId } = card;
    const send = () => editCard(rest, card, withdrawnCard(turnId));
    await unlessRefused(() =>
      inOpenThread(rest, channelId, () => pacer.post({ thread: channelId, channel }, send)),
    );
  }
  if (!request.isPosted && isCutOnCard(request.question)) {
    const { question: marks } = marksOf(turnId);
    const said =
      (await unlessRefused(() => readAfter(rest, thread, idBeforeQuestion(request)))) ?? [];
    const whole = said.filter((one) => one.marks.some((mark) => marks.includes(mark)));
    for (const { id } of whole) {
      const remove = () => deleteMessage(rest, thread, id);
      await unlessRefused(() => inOpenThread(rest, thread, remove));
    }
  }
  if (!isOwnThread || (await threadOwner(rest, thread)) !== identity.userId) return;
  await unlessRefused(() =>
    inOpenThread(rest, thread, () => renameThread(rest, thread, plainTitle)),
  );
}
