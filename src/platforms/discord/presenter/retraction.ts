/** Empties what shows a question that was taken back. */

import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import type { ConcludedTurn } from '../../platform.ts';
import { deleteMessage, readAfter } from '../rest/messages.ts';
import { inOpenThread, ownerOf, plainTitle, renameThread } from '../rest/threads.ts';
import { readThreadId } from '../thread-id.ts';
import { type AfterVerdictOptions, unpostVerdict } from './after-verdict.ts';
import { editCard, emptiedCard, isCutOnCard } from './card.ts';
import { isOpenedFor } from './open-turn.ts';
import { askedAfter, findCard, questionMarks } from './turn-marks.ts';

/** As `Platform.retract`. What Discord refuses is gone, or not ours. */
export async function retract(
  { request, place, posted }: Pick<ConcludedTurn, 'request' | 'place' | 'posted'>,
  { rest, pacer, identity }: AfterVerdictOptions,
): Promise<void> {
  await unlessRefused(() =>
    unpostVerdict({ request, ...(posted && { posted }) }, { rest, identity }),
  );
  const { channel, thread } = readThreadId(request.threadId);
  const { eventId, turnId } = request;
  const isForThis = thread !== channel && (thread === eventId || isOpenedFor(eventId, thread));
  const cards = [
    ...(place === undefined ? [] : [{ channelId: thread, messageId: place }]),
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
    const marks = questionMarks(turnId);
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
