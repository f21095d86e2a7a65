/** A turn after its end: its verdict is drawn again and put into the channel, or its question is taken back. */

import { offersBelow } from '../../chat/asking/turn-actions.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import { type ConcludedTurn, UnshowableError } from '../../platform.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { deleteMessage, editMessage, postMessage, readAfter } from '../rest/messages.ts';
import { inOpenThread, ownerOf, plainTitle, renameThread } from '../rest/threads.ts';
import { addressOf, hasChannel, readThreadId } from '../thread-id.ts';
import { editCard, emptiedCard, isCutOnCard, postedVerdict } from './card.ts';
import { isOpenedFor } from './open-turn.ts';
import { personasOf } from './persona.ts';
import { askedAfter, findCard, markOf, marksOf, momentBefore } from './turn-marks.ts';
import { verdictMessage } from './turn-messages.ts';

export interface AfterVerdictOptions {
  readonly rest: DiscordRest;
  readonly pacer: Pacer;
  readonly identity: Identity;
}

/** As `Platform.redraw`. */
export async function redraw(
  turn: ConcludedTurn,
  { rest, pacer, identity }: AfterVerdictOptions,
): Promise<void> {
  const { request, verdict, ranked } = turn;
  const { channel, thread } = readThreadId(request.threadId);
  const offers = offersBelow(turn, hasChannel(request.threadId));
  const personas = personasOf(turn.seats);
  const message = verdictMessage(request.turnId, verdict, ranked, offers, personas);
  const said = await readAfter(rest, thread, askedAfter(request));
  const own = said.filter(({ author }) => author.id === identity.userId);
  const posted = (mark: number) => own.find(({ marks }) => marks.includes(mark));
  const whole = posted(message.mark);
  const isInPieces = message.files !== undefined && whole?.hasFile === false;
  const last = isInPieces ? message.instead?.at(-1) : message;
  const there = last && posted(last.mark);
  if (!there) return;
  const body = { components: last.components, isOnlyComponents: true };
  await inOpenThread(rest, thread, () =>
    pacer.post({ thread, channel }, () => editMessage(rest, thread, there.id, body)),
  );
}

/** As `Platform.post`. */
export async function postVerdict(
  { request, verdict, ranked, posted }: ConcludedTurn,
  { rest, pacer, identity }: AfterVerdictOptions,
): Promise<string | undefined> {
  const { turnId, threadId, question } = request;
  if (!hasChannel(threadId)) return undefined;
  const place = readThreadId(threadId);
  const { channel } = place;
  const mark = postMark(turnId);
  const key = `${turnId} posted`;
  const components = postedVerdict(question, { verdict, ranked }, mark, addressOf(place));
  try {
    const there = posted && (await findPosts({ request, posted }, rest, identity))[0];
    if (there !== undefined) return there;
    const send = () => postMessage(rest, channel, { components, isOnlyComponents: true, key });
    return await pacer.post({ thread: channel, channel }, send);
  } catch (error) {
    if (!(error instanceof DiscordRefusal)) throw error;
    throw new UnshowableError(error.message, { cause: error });
  }
}

/** As `Platform.unpost`. */
export async function unpostVerdict(
  { request, posted }: Pick<ConcludedTurn, 'request' | 'posted'>,
  { rest, identity }: Pick<AfterVerdictOptions, 'rest' | 'identity'>,
): Promise<void> {
  if (!posted) return;
  const { channel } = readThreadId(request.threadId);
  const { post } = posted;
  const there = post === undefined ? await findPosts({ request, posted }, rest, identity) : [post];
  for (const id of there) await deleteMessage(rest, channel, id);
}

/** Where the answer to a request may have been lost, it is looked for. */
async function findPosts(
  { request, posted }: Pick<ConcludedTurn, 'request'> & Required<Pick<ConcludedTurn, 'posted'>>,
  rest: DiscordRest,
  { userId }: Identity,
): Promise<readonly string[]> {
  const { channel } = readThreadId(request.threadId);
  const mark = postMark(request.turnId);
  const said = await readAfter(rest, channel, momentBefore(posted.at));
  return said
    .filter(({ author, marks }) => author.id === userId && marks.includes(mark))
    .map(({ id }) => id);
}

function postMark(turnId: string): number {
  return markOf(turnId, 'posted');
}

/** As `Platform.retract`. What Discord refuses is gone, or not ours. */
export async function retract(
  { request, shownAt, posted }: Pick<ConcludedTurn, 'request' | 'shownAt' | 'posted'>,
  { rest, pacer, identity }: AfterVerdictOptions,
): Promise<void> {
  await unlessRefused(() =>
    unpostVerdict({ request, ...(posted && { posted }) }, { rest, identity }),
  );
  const { channel, thread } = readThreadId(request.threadId);
  const { eventId, turnId } = request;
  const isForThis = thread !== channel && (thread === eventId || isOpenedFor(eventId, thread));
  const cards = [
    ...(shownAt === undefined ? [] : [{ channelId: thread, messageId: shownAt }]),
    // A command's card is what its thread hangs on.
    ...(isForThis && thread !== eventId ? [{ channelId: channel, messageId: thread }] : []),
  ];
  if (cards.length === 0) {
    for (const channelId of new Set([channel, thread])) {
      const found = await unlessRefused(() => findCard(rest, channelId, request, identity.userId));
      if (found) cards.push({ channelId, messageId: found.id });
    }
  }
  for (const card of cards) {
    const { channelId } = card;
    const send = () => editCard(rest, card, emptiedCard(turnId));
    await unlessRefused(() =>
      inOpenThread(rest, channelId, () => pacer.post({ thread: channelId, channel }, send)),
    );
  }
  if (!request.isPosted && isCutOnCard(request.question)) {
    const { question: marks } = marksOf(turnId);
    const said = (await unlessRefused(() => readAfter(rest, thread, askedAfter(request)))) ?? [];
    const whole = said.filter((one) => one.marks.some((mark) => marks.includes(mark)));
    for (const { id } of whole) {
      const remove = () => deleteMessage(rest, thread, id);
      await unlessRefused(() => inOpenThread(rest, thread, remove));
    }
  }
  if (!isForThis || (await ownerOf(rest, thread)) !== identity.userId) return;
  await unlessRefused(() =>
    inOpenThread(rest, thread, () => renameThread(rest, thread, plainTitle)),
  );
}
