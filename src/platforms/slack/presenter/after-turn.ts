/** Changes a finished turn: redraws its verdict, posts that to the channel, or retracts the question. */

import { turnWordsIn } from '../../../domain/languages/languages.ts';
import type { Log } from '../../../domain/log.ts';
import { verdictTitle } from '../../../domain/turn-words.ts';
import { offersBelow } from '../../chat/asking/turn-actions.ts';
import { briefWaitsMs } from '../../chat/pacing/back-off.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { type ConcludedTurn, UnshowableError } from '../../platform.ts';
import { findMarked, type MessageBody, postOnce, updateMessage } from '../api/messages.ts';
import { withRetries, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { endStream, setStatus, setTitle } from '../api/streams.ts';
import { addressOf, beginsDirect, hasChannel, readThreadId } from '../place.ts';
import { isRefusal, SlackRefusal } from '../slack-error.ts';
import { inertSlackMarkdown, slackNotice } from '../slack-text.ts';
import { drawnOrInText, link, markdownBlock, paragraphs, words } from './blocks.ts';
import { bodyIn } from './growing-message.ts';
import { personasOf, verdictVoice } from './persona.ts';
import { verdictParts } from './turn-messages.ts';
import { firstPart, postedPart, questionPart, readTurn, sinceAsked } from './turn-poster.ts';

const longest = { question: 900, verdict: 3000, notice: 300 } as const;

/** Retries calls that are safe to repeat, for about 16 s. */
function patiently(api: SlackApi): SlackApi {
  return withRetries(withRetryAfter(api), briefWaitsMs);
}

/** As `Platform.redraw`. */
export async function redraw(
  turn: ConcludedTurn,
  api: SlackApi,
  botId: string,
  log: Log,
): Promise<void> {
  const { request, seats, reviews, ranked, verdict, round } = turn;
  const { turnId, threadId, askedAt } = request;
  const place = readThreadId(threadId);
  const patient = patiently(api);
  const own = turnWordsIn(request.language);
  const offers = offersBelow(turn, hasChannel(place), own);
  const personas = personasOf(seats);
  const docket = round?.docket;
  const shown = { turnId, words: own, verdict, docket, ranked, reviews, personas, offers };
  const { pieces, below } = verdictParts(shown);
  const part = pieces.length === 1 ? 'verdict' : `verdict ${pieces.length}`;
  const { parts } = await readTurn(patient, { turnId, place, askedAt, botId });
  const ts = parts.get(part);
  if (ts === undefined) return;
  await drawnOrInText(below, { turnId, log, rejected: new Set() }, (blocks) =>
    updateMessage(patient, place, ts, bodyIn(verdictVoice(own), pieces.at(-1) ?? '', blocks)),
  );
}

/** As `Platform.post`. */
export async function postVerdict(
  { request, verdict, posted }: ConcludedTurn,
  api: SlackApi,
): Promise<string | undefined> {
  const { turnId, threadId } = request;
  const place = readThreadId(threadId);
  if (!hasChannel(place)) return undefined;
  const { team, channel } = place;
  const spot = { team, channel };
  const mark = { turnId, part: postedPart };
  const find = (since: string, until?: string) =>
    findMarked(patiently(api), spot, mark, since, until);
  try {
    const { post, at } = posted ?? {};
    // A busy channel has more messages after it than a search reads.
    const known = post && (await find(post, post));
    const there = known ?? (at && (await find(sinceAsked(at))));
    if (there) return there;
    const body = postedBody(request, verdict);
    return await postOnce(withRetryAfter(api), spot, { ...body, mark }, briefWaitsMs, () =>
      find(sinceAsked(Date.now())),
    );
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    throw new UnshowableError(error.message, { cause: error });
  }
}

/** As `Platform.unpost`. */
export async function unpostVerdict(
  { request, posted }: Pick<ConcludedTurn, 'request' | 'posted'>,
  api: SlackApi,
): Promise<void> {
  if (!posted) return;
  const { turnId, threadId } = request;
  const { team, channel } = readThreadId(threadId);
  const mark = { turnId, part: postedPart };
  const patient = patiently(api);
  const find = () => findMarked(patient, { team, channel }, mark, sinceAsked(posted.at));
  const ts = posted.post ?? (await find());
  if (ts === undefined) return;
  try {
    await patient.call(team, 'chat.delete', { channel, ts });
  } catch (error) {
    if (!isRefusal(error, 'message_not_found')) throw error;
  }
}

function postedBody(
  { question, threadId, language }: ConcludedTurn['request'],
  verdict: ConcludedTurn['verdict'],
): MessageBody {
  const asked = excerpt(inertSlackMarkdown(question), longest.question).replace(/^/gm, '> ');
  const text = excerpt(inertSlackMarkdown(verdict.verdict), longest.verdict);
  const own = turnWordsIn(language);
  const title = verdictTitle(verdict, own);
  return {
    text: slackNotice(`${title}: ${text}`, longest.notice),
    blocks: [
      markdownBlock(`${asked}\n\n**${title}**\n\n${text}`),
      paragraphs([link(own.readCouncil, addressOf(threadId))]),
    ],
  };
}

/**
 * As `Platform.retract`. Ignores refusals: those messages are gone or can't be changed any more.
 *
 * @param botId - Identifies the app's own messages.
 */
export async function retract(
  { request, posted }: Pick<ConcludedTurn, 'request' | 'posted'>,
  api: SlackApi,
  botId: string,
): Promise<void> {
  await unlessRefused(() => unpostVerdict({ request, ...(posted && { posted }) }, api));
  const { turnId, threadId, askedAt } = request;
  const place = readThreadId(threadId);
  const patient = patiently(api);
  const asked = { turnId, place, askedAt, botId };
  const own = turnWordsIn(request.language);
  const { withdrawn } = own;
  const emptied = { text: withdrawn, blocks: [paragraphs([words(withdrawn)])] };
  const said = await unlessRefused(() => readTurn(patient, asked));
  for (const part of [firstPart, questionPart]) {
    const ts = said?.parts.get(part);
    if (ts !== undefined) await unlessRefused(() => updateMessage(patient, place, ts, emptied));
  }
  if (beginsDirect(request)) await unlessRefused(() => setTitle(patient, place, withdrawn));
  const { team, channel } = place;
  for (const message of said?.unfinished ?? []) {
    if (message.username === undefined && !verdictVoice(own).isOwn(message)) continue;
    const { ts } = message;
    await unlessRefused(() => endStream(patient, place, ts));
    await unlessRefused(() => patient.call(team, 'chat.delete', { channel, ts }));
  }
  if (said?.isLast) await unlessRefused(() => setStatus(patient, place, ''));
}
