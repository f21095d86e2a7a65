/** Shows turns in Slack: an edited progress message, a status line, and answers that are streamed where Slack allows it. */

import { z } from 'zod';
import { turnWordsIn } from '../../../domain/languages/languages.ts';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import { followUpNote } from '../../chat/asking/asking-words.ts';
import { askedBelow, offersBelow } from '../../chat/asking/turn-actions.ts';
import { backOff } from '../../chat/pacing/back-off.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import type {
  AnswerPart,
  Canvas,
  Canvases,
  CutShort,
  ShownTurn,
  Speaker,
  VerdictPart,
} from '../../chat/show/canvas.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import { notBegun } from '../../chat/show/turn-progress.ts';
import { shortName } from '../../chat/text/visible-text.ts';
import type { PresentedTurn } from '../../platform.ts';
import { latePosts } from '../api/late-posts.ts';
import { postPrivately } from '../api/messages.ts';
import { whileHeld, withEnd, withRetries, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Scope, SlackIdentity } from '../connection/identity.ts';
import {
  addressOf,
  beginsDirect,
  eventIdOf,
  hasChannel,
  isDirect,
  readThreadId,
} from '../place.ts';
import { failureWords, isRefusal } from '../slack-error.ts';
import { escapeSlackText, inertSlackMarkdown, slackMoments } from '../slack-text.ts';
import { mention, paragraphs, words } from './blocks.ts';
import { personasOf, sageVoice, verdictVoice } from './persona.ts';
import { openProgress, type ProgressMessage } from './progress-message.ts';
import { entitle, type StatusLine, statusLine } from './status-line.ts';
import { type StreamedText, streamedText } from './streamed-text.ts';
import { longestReason, roundMessage, verdictParts } from './turn-messages.ts';
import { type TurnContext, type TurnPoster, turnPoster } from './turn-poster.ts';

export interface SlackCanvasesOptions {
  readonly api: SlackApi;
  /** Returns a workspace's own pacer. */
  readonly pacerOf: (team: string) => Pacer;
  readonly log: Log;
  readonly identityOf: (team: string) => Promise<Pick<SlackIdentity, 'botId' | 'scopes'>>;
  /** Waits before each retry of an unanswered call. */
  readonly retryWaitsMs: readonly number[];
}

/** For the sages' own names and pictures. */
export const personaScope: Scope = 'chat:write.customize';
const noPersonasNote = `The sages speak through the bot here, because it lacks the scope ${personaScope}.`;

export function slackCanvases(options: SlackCanvasesOptions): Canvases {
  const { log, retryWaitsMs, identityOf } = options;

  async function open(
    turn: PresentedTurn,
    first: ShownTurn,
    posts: TurnPosts,
    signal: AbortSignal,
  ): Promise<Canvas> {
    const { turnId, threadId, askedAt, author } = turn.request;
    const place = readThreadId(threadId);
    const { team, channel } = place;
    // Without the turn's signal, which would also end the deletion of late posts.
    const late = latePosts({
      api: withRetryAfter(options.api),
      turnId,
      log,
      botId: async () => (await identityOf(team)).botId,
      settle: () => backOff(retryWaitsMs[0] ?? 0),
    });
    const api = whileHeld(withEnd(options.api, signal), turn, late);
    const status = statusLine(api, place, log);
    const patientApi = withRetries(api, retryWaitsMs, signal);
    const lookingApi = withEnd(withRetryAfter(patientApi), signal);
    const [{ botId, scopes }, ofPlace] = await Promise.all([
      within(identityOf(team), { signal }),
      notesOf(turn),
    ]);
    // If Slack does not name the scopes, try.
    const hasPersonas = scopes?.includes(personaScope) ?? true;
    const notes = [...ofPlace, ...(hasPersonas ? [] : [noPersonasNote])];
    const context: TurnContext = {
      turnId,
      place,
      askedAt,
      botId,
      hasPersonas,
      retryWaitsMs,
      signal,
      api,
      patientApi,
      lookingApi,
      pacer: options.pacerOf(team),
      posts,
      log,
      rejected: new Set(),
      recipient: isDirect(channel)
        ? undefined
        : { recipient_user_id: author.id, recipient_team_id: author.workspace ?? team },
    };
    const poster = turnPoster(context);
    if (turn.isResumed) await poster.recall();
    const message = await openProgress({ ...first, notes }, context, poster);
    if (!turn.isAlreadyShown) status.show(first);
    if (!turn.isResumed && beginsDirect(turn.request)) void entitle(lookingApi, turn.request, log);
    return canvasOf(first, notes, context, poster, status, message);
  }

  async function tellAsker(
    { request }: PresentedTurn,
    told: string,
    signal: AbortSignal,
    refusal?: Error,
  ): Promise<void> {
    // A person who has deleted the question expects no answer.
    if (isRefusal(refusal, 'thread_not_found')) return;
    const what = refusal ? failureWords(refusal, told) : told;
    const api = withEnd(withRetryAfter(options.api), signal);
    const { team, channel } = readThreadId(request.threadId);
    // In the channel, because a thread without replies does not show ephemeral messages.
    const where = `You asked in ${addressOf(request.threadId)}`;
    const said = { text: slackMoments(escapeSlackText(`${what}\n${where}`)), blocks: [] };
    await postPrivately(api, { team, channel, userId: request.author.id }, said);
  }

  // No waits for outages: retries already wait long enough, and look for the post first.
  return { platform: 'Slack', outageWaitsMs: [], personasOf, backOff, open, tellAsker };
}

function canvasOf(
  first: ShownTurn,
  notes: readonly string[],
  context: TurnContext,
  poster: TurnPoster,
  status: StatusLine,
  message: ProgressMessage,
): Canvas {
  const texts = new Map<string, StreamedText>();
  let shown = notBegun;
  let verdictUrl: string | undefined;

  const textOf = (speaker: Speaker): StreamedText => {
    const voice =
      speaker.kind === 'verdict'
        ? verdictVoice(first.words)
        : sageVoice(speaker.sage, speaker.persona, context.hasPersonas);
    const streamed = texts.get(voice.part) ?? streamedText(voice, context, poster);
    texts.set(voice.part, streamed);
    return streamed;
  };

  async function sayAnswer({ text, cutShort, isOnlyEnding, ...speaker }: AnswerPart) {
    const streamed = textOf(speaker);
    const note = cutShort && noteFor(cutShort);
    if (isOnlyEnding) return streamed.breakOff(note ?? '', text);
    await streamed.end(streamed.voice.pieces(text ?? '', note));
  }

  async function sayVerdict(
    { turnId, words, progress, reviews, personas }: ShownTurn,
    { verdict, cutShort }: VerdictPart,
  ): Promise<void> {
    const streamed = textOf({ kind: 'verdict' });
    if (!verdict) return streamed.breakOff(cutShort ? noteFor(cutShort) : '');
    const { ranked, docket, seats } = progress;
    const offers = offersBelow({ seats, verdict }, hasChannel(context.place), words);
    const concluded = { turnId, words, verdict, docket, ranked, reviews, personas, offers };
    const { pieces, below } = verdictParts(concluded);
    const ts = await streamed.end(pieces, below);
    if (ts !== undefined) verdictUrl = await permalinkOf(ts, context);
  }

  return {
    grows: true,
    notes,

    progress(turn) {
      const { progress } = turn;
      const isNews = progress.seats !== shown.seats || progress.stage !== shown.stage;
      shown = progress;
      if (isNews) status.show(turn);
      message.show(turn);
    },

    grow: (speaker, text) => textOf(speaker).grow(text),

    // Rankings and ends are not posted: they are part of the verdict and the progress message.
    async say(part, turn) {
      if (part.kind === 'answer') await sayAnswer(part);
      if (part.kind === 'round') {
        await poster.post(`round ${part.index}`, roundMessage(part, turn));
      }
      if (part.kind === 'verdict') await sayVerdict(turn, part);
      // Direct messages notify people anyway.
      if (part.kind === 'ping' && !isDirect(context.place.channel)) {
        const { personId, words: why } = part;
        const blocks = [paragraphs([mention(personId), words(` ${why}`)])];
        await poster.post('ping', { text: why, blocks });
      }
    },

    async finish(turn) {
      // At once: the last edit may wait for Slack's limits, and nothing else clears the status.
      await Promise.all([status.clear(), message.finish(turn, verdictUrl)]);
    },
  };
}

const permalinkSchema = z.object({ permalink: z.string() });

async function permalinkOf(
  ts: string,
  { lookingApi, place: { team, channel }, turnId, log }: TurnContext,
): Promise<string | undefined> {
  const args = { channel, message_ts: ts };
  try {
    return permalinkSchema.parse(await lookingApi.call(team, 'chat.getPermalink', args)).permalink;
  } catch (error) {
    log.info({ turnId, error }, 'the address of a verdict is unknown');
    return undefined;
  }
}

/** Says as Markdown why an answer was cut short. */
function noteFor({ words, reason }: CutShort): string {
  const why =
    reason === undefined ? '' : ` ${inertSlackMarkdown(shortName(reason, longestReason))}`;
  return `_${words}_${why}`;
}

/** Says how to ask a follow-up here; quotes a question that was picked below a verdict, because it has no post of its own. */
async function notesOf({ request, followUpMode: mode, wasAsked }: PresentedTurn) {
  const { channel, thread } = readThreadId(request.threadId);
  const asked = askedBelow(request);
  const quoted = asked ? [asked, `“${shortName(request.question, longestReason)}”`] : [];
  const isHeard = mode !== 'mention' && (await wasAsked(eventIdOf(channel, thread)));
  const where = isDirect(channel) ? 'direct message' : isHeard ? 'thread' : 'elsewhere';
  return [...quoted, followUpNote({ where, mode, canReply: false }, turnWordsIn(request.language))];
}
