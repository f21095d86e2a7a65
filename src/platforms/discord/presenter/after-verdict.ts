/** A verdict after its turn: what stands below it is drawn again when it was used, and it is put into the channel. */

import type { Pacer } from '../../chat/pacing/pacer.ts';
import { offersBelow } from '../../chat/show/verdict-offers.ts';
import { type ConcludedTurn, UnshowableError } from '../../platform.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { deleteMessage, editMessage, postMessage, readAfter } from '../rest/messages.ts';
import { inOpenThread } from '../rest/threads.ts';
import { addressOf, hasChannel, readThreadId } from '../thread-id.ts';
import { postedVerdict } from './card.ts';
import { personasOf } from './persona.ts';
import { askedAfter, markOf, momentBefore } from './turn-marks.ts';
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
