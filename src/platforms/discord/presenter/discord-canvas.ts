/** Shows turns in Discord: a card that is edited, and messages that are posted once each. */

import { SnowflakeUtil } from 'discord.js';
import { turnStages } from '../../../council/events.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { askedBelow, offersBelow } from '../../chat/asking/turn-actions.ts';
import type { PacedEdits } from '../../chat/pacing/pacer.ts';
import { reasonFor, unlessRefused } from '../../chat/pacing/platform-error.ts';
import type { AnswerPart, Canvas, Canvases, ShownTurn } from '../../chat/show/canvas.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import type { PresentedTurn } from '../../platform.ts';
import { DiscordRefusal, isRefusal } from '../discord-error.ts';
import { hidesWords, inertDiscordLine } from '../discord-text.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { postMessage, sendDirect } from '../rest/messages.ts';
import { inOpenThread } from '../rest/threads.ts';
import { ChannelWebhooks } from '../rest/webhooks.ts';
import {
  addressOf,
  addressOfEvent,
  directMessages,
  hasChannel,
  readThreadId,
} from '../thread-id.ts';
import { cardOf, editCard, isCutOnCard } from './card.ts';
import type { Component } from './components.ts';
import { type OpenedTurn, openTurn, type TurnContext } from './open-turn.ts';
import type { OpeningCards } from './opening-cards.ts';
import { Faces, type OwnPicture, personasOf } from './persona.ts';
import { rankingMessage } from './ranking-message.ts';
import { latePosts } from './turn-history.ts';
import { idBeforeQuestion } from './turn-marks.ts';
import {
  answerMessages,
  endMessage,
  pingMessage,
  questionMessages,
  roundMessage,
  verdictMessage,
} from './turn-messages.ts';
import { type TurnPoster, turnPoster, unconfirmedError } from './turn-poster.ts';

export interface DiscordCanvasesOptions
  extends Pick<TurnContext, 'rest' | 'pacer' | 'log' | 'now'> {
  readonly outageWaitsMs: readonly number[];
  readonly whoAmI: (rest: DiscordRest) => Promise<Identity>;
  readonly ownPicture: OwnPicture;
  readonly cards: OpeningCards;
  /** The sentence on the card about how to ask a follow-up here. */
  readonly followUpNote: (turn: Pick<PresentedTurn, 'request' | 'followUpMode'>) => Promise<string>;
}

/** Per card, besides one for each later stage and the last one: edits are scarcer than a turn's events. */
const maxEdits = 7;
/** Discord allows only a few edits of messages older than an hour; the last edit matters most. */
const oldAfterMs = 50 * 60_000;

export function discordCanvases(options: DiscordCanvasesOptions) {
  const { pacer, cards, now, outageWaitsMs } = options;
  let webhooks: ChannelWebhooks | undefined;
  let faces: Faces | undefined;

  /** The sages' pictures, shared by all turns. */
  function facesOf({ applicationId }: Identity): Faces {
    faces ??= new Faces({ ...options, applicationId });
    return faces;
  }

  async function open(
    turn: PresentedTurn,
    first: ShownTurn,
    posts: TurnPosts,
    signal: AbortSignal,
  ): Promise<Canvas> {
    const { request } = turn;
    const identity = await options.whoAmI(options.rest.within(signal));
    let from = idBeforeQuestion(request);
    const late = latePosts({ ...options, request, since: () => from, identity });
    const rest = options.rest.within(signal, { turn, late });
    webhooks ??= new ChannelWebhooks(identity.applicationId, now);
    const asked = askedBelow(request);
    const followUp = await options.followUpNote(turn);
    const notes = [...(asked === undefined ? [] : [inertDiscordLine(asked)]), followUp];
    const opening = {
      ...options,
      webhooks,
      faces: facesOf(identity),
      request,
      rest,
      identity,
      posts,
      signal,
    };
    const place = await openTurn(turn, cardOf({ ...first, notes }), opening);
    from = place.from;
    const opened = { ...opening, ...place, pacer: pacer.inTurn(request.askedAt) };
    const poster = turnPoster(opened);
    if (turn.isResumed) await poster.recall();
    return canvasOf(opened, poster, notes);
  }

  async function tellAsker(
    { request }: PresentedTurn,
    told: string,
    signal: AbortSignal,
    refusal?: Error,
  ): Promise<void> {
    const why = refusal ? `${told}: ${reasonFor(refusal)}` : told;
    // A person who has deleted the question expects no answer.
    if (request.isPosted && isRefusal(refusal, 'unknownMessage')) return;
    const rest = options.rest.within(signal);
    if (refusal && (await unlessRefused(() => explainInPlace(rest, request, why, signal)))) return;
    const { turnId, threadId, author } = request;
    const text = `${why}\nYou asked in ${addressOfEvent(threadId)}`;
    const send = () => sendDirect(rest, author.id, text, `${turnId} not shown`);
    await pacer.post({ thread: author.id, channel: author.id }, send, signal);
  }

  /** Shows on the question's card, or as a reply to its message, why the turn can't be shown. */
  async function explainInPlace(
    rest: DiscordRest,
    request: TurnRequest,
    why: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { turnId, eventId, threadId } = request;
    const { channel, thread } = readThreadId(threadId);
    if (await cards.fail(request, why, rest)) return true;
    if (thread !== eventId) return false;
    const reply = { content: why, key: `${turnId} no thread`, replyTo: eventId };
    const send = () => postMessage(rest, channel, reply);
    await pacer.post({ thread: channel, channel }, send, signal);
    return true;
  }

  const canvases: Canvases = {
    platform: 'Discord',
    outageWaitsMs,
    personasOf,
    open,
    tellAsker,
    backOff: (milliseconds, signal) => options.rest.within(signal).backOff(milliseconds),
  };
  return { ...canvases, facesOf };
}

function canvasOf(opened: OpenedTurn, poster: TurnPoster, notes: readonly string[]): Canvas {
  const { request, rest, pacer, log, posts, signal, shown, card, now } = opened;
  const { turnId } = request;
  const { guild, channel, thread } = readThreadId(request.threadId);
  const { channelId } = card;
  /** Whether the sages speak somewhere other than where the card is. */
  const isApart = channelId !== thread;
  let editCount = 0;
  let isFinishing = false;
  let verdict: string | undefined;

  const edits: PacedEdits<readonly Component[]> = pacer.edits({
    shown,
    signal,
    destination: { thread: channelId, channel },
    edit: async (components) => {
      editCount += 1;
      const edit = () => editCard(rest, card, components);
      // In a thread that people have closed, only the end is worth opening it again.
      await (isFinishing ? inOpenThread(rest, channelId, edit) : edit());
    },
    onEditFailed: (error) => {
      posts.missEdit(error);
      if (!signal.aborted) log.warn({ turnId, error }, 'a card could not be edited');
    },
  });

  async function sayAnswer(part: AnswerPart, { words, progress: { seats } }: ShownTurn) {
    const { persona, text = '', cutShort, isOnlyEnding } = part;
    if (isOnlyEnding) return;
    const suffix = cutShort ? `\n-# ${cutShort.words}` : '';
    await poster.speak(persona, answerMessages(persona, text, suffix, seats.length, words));
  }

  return {
    grows: false,
    get notes() {
      const why = poster.whyNoPersonas;
      if (why === undefined) return notes;
      return [...notes, `The sages speak through the bot here, because ${why}.`];
    },

    progress(turn) {
      poster.prepareFaces(turn.personas);
      const isOld = now() - SnowflakeUtil.timestampFrom(card.messageId) > oldAfterMs;
      // One more for each stage, so that none stays hidden because those before it took long.
      const allowed = maxEdits + turnStages.indexOf(turn.progress.stage ?? 'moderator');
      if (!isOld && editCount < allowed) edits.show(cardOf(turn));
    },

    grow() {},

    async say(part, turn, isAgain) {
      if (isAgain && !(await poster.recall())) throw unconfirmedError();
      const { personas, words } = turn;
      switch (part.kind) {
        case 'question':
          if (!isCutOnCard(part.question)) break;
          for (const message of questionMessages(turnId, part.question, words))
            await poster.post(message);
          break;
        case 'answer':
          return sayAnswer(part, turn);
        case 'round':
          await poster.post(roundMessage(turnId, part, personas, words));
          break;
        case 'ranking': {
          const faceOf = (sage: string) => poster.faceOf(personas.get(sage));
          // Draws nothing that can't be posted.
          const message = await posts.unlessLost(() => rankingMessage(turn, faceOf));
          if (message) await poster.post(message);
          break;
        }
        case 'verdict':
          if (part.verdict) {
            const { seats, ranked } = turn.progress;
            const mayPost = hasChannel(request);
            const offers = offersBelow({ seats, verdict: part.verdict }, mayPost, words);
            const message = verdictMessage(turnId, part.verdict, ranked, offers, personas, words);
            verdict = await poster.post(message);
          }
          break;
        case 'ping':
          // Direct messages notify people anyway.
          if (guild !== directMessages) {
            await poster.post(pingMessage(turnId, part.personId, part.words));
          }
          break;
        case 'end':
          // People in the thread don't see the card, which is in the channel.
          if (isApart) await poster.post(endMessage(turnId, part.end, words));
          break;
      }
    },

    async finish(turn) {
      const isSpoiler = hidesWords(request.question);
      const hasLink = verdict !== undefined || isApart;
      const link = hasLink ? addressOf({ guild, thread }, verdict) : undefined;
      isFinishing = true;
      try {
        await edits.finish(cardOf(turn, { link, isApart, isSpoiler }));
      } catch (error) {
        if (!isApart || !(error instanceof DiscordRefusal) || error.closesPlace) throw error;
        // Discord may refuse what is quoted of the verdict, e.g. a link.
        await edits.finish(cardOf(turn, { link, isApart: false }));
      }
    },
  };
}
