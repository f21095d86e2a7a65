/** Changes a finished turn: redraws its verdict, posts that to the channel, or retracts the question. */

import { turnWordsIn } from '../../../domain/languages/languages.ts';
import type { Log } from '../../../domain/log.ts';
import { verdictTitle } from '../../../domain/turn-words.ts';
import { offersBelow } from '../../chat/asking/turn-actions.ts';
import { briefWaitsMs } from '../../chat/pacing/back-off.ts';
import { reasonFor, unlessRefused } from '../../chat/pacing/platform-error.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { type ConcludedTurn, type Platform, UnshowableError } from '../../platform.ts';
import { findMarked, type MessageBody, postOnce, updateMessage } from '../api/messages.ts';
import { withRetries, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { endStream, setStatus, setTitle } from '../api/streams.ts';
import type { SlackIdentity } from '../connection/identity.ts';
import { addressOf, beginsDirect, hasChannel, readThreadId } from '../place.ts';
import { isRefusal, SlackRefusal } from '../slack-error.ts';
import { inertSlackMarkdown, slackNotice } from '../slack-text.ts';
import { drawnOrInText, link, markdownBlock, paragraphs, words } from './blocks.ts';
import { bodyIn } from './growing-message.ts';
import { personasOf, verdictVoice } from './persona.ts';
import { verdictParts } from './turn-messages.ts';
import { firstPart, postedPart, questionPart, readTurn, sinceAsked } from './turn-poster.ts';

const longest = { question: 900, verdict: 3000, notice: 300 } as const;

interface AfterTurnOptions {
  readonly api: SlackApi;
  /** Identifies the app's own messages. */
  readonly identityOf: (team: string) => Promise<Pick<SlackIdentity, 'botId'>>;
  readonly log: Log;
}

/** Each method does as the method of `Platform` with its name. */
export function afterTurn({
  api,
  identityOf,
  log,
}: AfterTurnOptions): Pick<Platform, 'redraw' | 'post' | 'unpost' | 'retract'> {
  /** Retries calls that are safe to repeat, for about 16 s. */
  const patient = withRetries(withRetryAfter(api), briefWaitsMs);

  async function redraw(turn: ConcludedTurn): Promise<void> {
    const { request, seats, reviews, ranked, verdict, round } = turn;
    const { turnId, threadId, askedAt } = request;
    const place = readThreadId(threadId);
    const { botId } = await identityOf(place.team);
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

  async function post({ request, verdict, posted }: ConcludedTurn): Promise<string | undefined> {
    const place = readThreadId(request.threadId);
    if (!hasChannel(place)) return undefined;
    const { team, channel } = place;
    const mark = { turnId: request.turnId, part: postedPart };
    const find = (since: string, until?: string) =>
      findMarked(patient, { team, channel }, mark, since, until);
    try {
      const { post: known, at } = posted ?? {};
      // A busy channel has more messages after it than a search reads.
      const there = (known && (await find(known, known))) ?? (at && (await find(sinceAsked(at))));
      if (there) return there;
      const body = { ...postedBody(request, verdict), mark };
      return await postOnce(withRetryAfter(api), { team, channel }, body, briefWaitsMs, () =>
        find(sinceAsked(Date.now())),
      );
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      throw new UnshowableError(reasonFor(error), { cause: error });
    }
  }

  async function unpost({
    request: { turnId, threadId },
    posted,
  }: Pick<ConcludedTurn, 'request' | 'posted'>): Promise<void> {
    if (!posted) return;
    const { team, channel } = readThreadId(threadId);
    const mark = { turnId, part: postedPart };
    const find = () => findMarked(patient, { team, channel }, mark, sinceAsked(posted.at));
    const ts = posted.post ?? (await find());
    if (ts === undefined) return;
    try {
      await patient.call(team, 'chat.delete', { channel, ts });
    } catch (error) {
      if (!isRefusal(error, 'message_not_found')) throw error;
    }
  }

  /** Ignores refusals: those messages are gone or can't be changed any more. */
  async function retract(turn: Pick<ConcludedTurn, 'request' | 'posted'>): Promise<void> {
    await unlessRefused(() => unpost(turn));
    const { request } = turn;
    const { turnId, threadId, askedAt } = request;
    const place = readThreadId(threadId);
    const { botId } = await identityOf(place.team);
    const own = turnWordsIn(request.language);
    const { withdrawn } = own;
    const emptied = { text: withdrawn, blocks: [paragraphs([words(withdrawn)])] };
    const asked = { turnId, place, askedAt, botId };
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

  return { redraw, post, unpost, retract };
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
