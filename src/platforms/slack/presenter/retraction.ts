/** Empties what shows a question that was taken back. */

import { takenBackWords } from '../../chat/asking/asking-words.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import type { ConcludedTurn } from '../../platform.ts';
import { type MessageBody, readReplies, updateMessage } from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isClosed, setStatus, setTitle, stopStream } from '../api/streams.ts';
import { beginsDirect } from '../ingress/scene.ts';
import { SlackRefusal } from '../slack-error.ts';
import { readThreadId, type SlackPlace } from '../thread-id.ts';
import { unpostVerdict } from './after-verdict.ts';
import { paragraphs, words } from './blocks.ts';
import { firstPart, questionPart, sinceAsked } from './turn-poster.ts';
import { verdictVoice } from './voices.ts';

const emptied: MessageBody = {
  text: takenBackWords,
  blocks: [paragraphs([words(takenBackWords)])],
};

/**
 * As `Platform.retract`. What Slack refuses is gone, or not to be changed any more.
 *
 * @param api - That asks again where that does no harm.
 * @param botId - By which the app's own messages are known.
 */
export async function retract(
  { request, posted }: Pick<ConcludedTurn, 'request' | 'posted'>,
  api: SlackApi,
  botId: string,
): Promise<void> {
  await unlessRefused(() => unpostVerdict({ request, ...(posted && { posted }) }, api));
  const place = readThreadId(request.threadId);
  const said = await unlessRefused(() => readReplies(api, place, sinceAsked(request.askedAt)));
  const own = (said ?? []).filter((message) => message.botId === botId);
  const quoting = own.filter(
    ({ mark }) =>
      mark?.turnId === request.turnId && (mark.part === firstPart || mark.part === questionPart),
  );
  for (const { ts } of quoting) await unlessRefused(() => updateMessage(api, place, ts, emptied));
  if (beginsDirect(request)) await unlessRefused(() => setTitle(api, place, takenBackWords));
  const first = own.find(({ mark }) => mark?.turnId === request.turnId && mark.part === firstPart);
  if (!first) return;
  const after = own.filter(({ ts }) => ts > first.ts);
  const next = after.find(({ mark }) => mark?.part === firstPart);
  // The turns of a thread come one after another: what lies between is this one's.
  const between = after.filter(({ ts }) => next === undefined || ts < next.ts);
  const begun = between.filter(
    (one) => !one.mark && (one.username !== undefined || verdictVoice.isOwn(one)),
  );
  for (const { ts } of begun) await deleteBegun(api, place, ts);
  if (!next) await unlessRefused(() => setStatus(api, place, ''));
}

async function deleteBegun(api: SlackApi, place: SlackPlace, ts: string): Promise<void> {
  const { team, channel } = place;
  await stopStream(api, place, ts, { markdown: '' }).catch((error: unknown) => {
    if (!isClosed(error) && !(error instanceof SlackRefusal)) throw error;
  });
  await unlessRefused(() => api.call(team, 'chat.delete', { channel, ts }));
}
