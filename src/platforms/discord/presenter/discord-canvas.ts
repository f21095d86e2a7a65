/** Shows turns in Discord: a card that is edited, and messages that are posted once each. */

import { SnowflakeUtil } from 'discord.js';
import type { TurnEvent } from '../../../council/events.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { FollowUpMode } from '../../../settings/file-table.ts';
import { askedBelow, offersBelow } from '../../chat/asking/turn-actions.ts';
import type { PacedEdits } from '../../chat/pacing/pacer.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import type { AnswerPart, Canvas, Canvases, Part, ShownTurn } from '../../chat/show/canvas.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import { presentTurn } from '../../chat/show/turn-presenter.ts';
import type { PresentedTurn } from '../../platform.ts';
import { DiscordRefusal, isRefusal } from '../discord-error.ts';
import { inertDiscordLine } from '../discord-text.ts';
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
import { TurnPoster, unconfirmedError } from './turn-poster.ts';

export interface DiscordCanvasesOptions
  extends Pick<TurnContext, 'rest' | 'pacer' | 'log' | 'now'> {
  readonly outageWaitsMs: readonly number[];
  readonly whoAmI: (rest: DiscordRest) => Promise<Identity>;
  readonly ownPicture: OwnPicture;
  readonly cards: OpeningCards;
  /** The sentence on the card about how to ask a follow-up here. */
  readonly followUpNote: (threadId: string, mode: FollowUpMode) => Promise<string>;
}

/** Per card, the last one included: edits are scarcer than a turn's events. */
const maxEdits = 12;
/** Discord allows only a few edits of messages older than an hour; the last edit matters most. */
const oldAfterMs = 50 * 60_000;

export class DiscordCanvases implements Canvases {
  readonly platform = 'Discord';
  readonly outageWaitsMs: readonly number[];
  readonly personasOf = personasOf;
  readonly #options: DiscordCanvasesOptions;
  #webhooks: ChannelWebhooks | undefined;
  #faces: Faces | undefined;

  constructor(options: DiscordCanvasesOptions) {
    this.#options = options;
    this.outageWaitsMs = options.outageWaitsMs;
  }

  /** As `Platform.present`. */
  present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void> {
    return presentTurn(turn, events, shutdown, this, this.#options.log);
  }

  async open(
    turn: PresentedTurn,
    first: ShownTurn,
    posts: TurnPosts,
    signal: AbortSignal,
  ): Promise<Canvas> {
    const { whoAmI, followUpNote, ...options } = this.#options;
    const { turnId, threadId, askedAt } = turn.request;
    const identity = await whoAmI(options.rest.within(signal));
    const { applicationId } = identity;
    let from = idBeforeQuestion(turn.request);
    const { thread } = readThreadId(threadId);
    const late = latePosts({ ...options, turnId, thread, since: () => from, identity });
    const rest = options.rest.within(signal, { turn, late });
    this.#webhooks ??= new ChannelWebhooks(applicationId, options.now);
    const asked = askedBelow(turn.request);
    const followUp = await followUpNote(threadId, turn.followUpMode);
    const notes = [...(asked === undefined ? [] : [inertDiscordLine(asked)]), followUp];
    const shared = { ...options, webhooks: this.#webhooks, faces: this.facesOf(identity) };
    const opening = { ...shared, turnId, threadId, rest, identity, posts, signal };
    const card = cardOf({ ...first, notes });
    const place = await openTurn(turn, card, opening);
    from = place.from;
    const opened = { ...opening, ...place, pacer: options.pacer.inTurn(askedAt) };
    const poster = new TurnPoster(opened);
    if (turn.isResumed) await poster.recall();
    return new DiscordCanvas(opened, poster, notes, hasChannel(turn.request));
  }

  /** The sages' pictures, shared by all turns. */
  facesOf({ applicationId }: Identity): Faces {
    this.#faces ??= new Faces({ ...this.#options, applicationId });
    return this.#faces;
  }

  async explainToAsker(
    { request }: PresentedTurn,
    lost: string,
    refusal: Error,
    signal: AbortSignal,
  ): Promise<void> {
    const why = `${lost}. ${refusal.message}`;
    // A person who has deleted the question expects no answer.
    if (request.isPosted && isRefusal(refusal, 'unknownMessage')) return;
    const rest = this.#options.rest.within(signal);
    if (await unlessRefused(() => this.#explainInPlace(rest, request, why, signal))) return;
    const { turnId, threadId, author } = request;
    const text = `${why}\nYou asked in ${addressOfEvent(threadId)}`;
    const send = () => sendDirect(rest, author.id, text, `${turnId} not shown`);
    await this.#options.pacer.post({ thread: author.id, channel: author.id }, send, signal);
  }

  /** Shows on the question's card, or as a reply to its message, why the turn can't be shown. */
  async #explainInPlace(
    rest: DiscordRest,
    request: TurnRequest,
    why: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { turnId, eventId, threadId } = request;
    const { pacer, cards } = this.#options;
    const { channel, thread } = readThreadId(threadId);
    if (await cards.fail(request, why, rest)) return true;
    if (thread !== eventId) return false;
    const reply = { content: why, key: `${turnId} no thread`, replyTo: eventId };
    const send = () => postMessage(rest, channel, reply);
    await pacer.post({ thread: channel, channel }, send, signal);
    return true;
  }

  backOff(milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.#options.rest.within(signal).backOff(milliseconds);
  }
}

class DiscordCanvas implements Canvas {
  readonly grows = false;
  readonly #opened: OpenedTurn;
  readonly #poster: TurnPoster;
  readonly #notes: readonly string[];
  readonly #hasChannel: boolean;
  readonly #card: PacedEdits<readonly Component[]>;
  #edits = 0;
  #isFinishing = false;
  #verdict: string | undefined;

  constructor(
    opened: OpenedTurn,
    poster: TurnPoster,
    notes: readonly string[],
    hasChannel: boolean,
  ) {
    const { turnId, pacer, log, posts, signal, shown, card, venue } = opened;
    const { channelId: thread } = card;
    this.#opened = opened;
    this.#poster = poster;
    this.#notes = notes;
    this.#hasChannel = hasChannel;
    this.#card = pacer.edits({
      ...{ shown, signal },
      destination: { thread, channel: venue.webhookChannelId ?? thread },
      edit: (components) => this.#edit(components),
      onEditFailed: (error) => {
        posts.missEdit(error);
        if (!signal.aborted) log.warn({ turnId, error }, 'a card could not be edited');
      },
    });
  }

  get notes(): readonly string[] {
    const why = this.#poster.whyNoPersonas;
    if (why === undefined) return this.#notes;
    return [...this.#notes, `The sages speak through the bot here, because ${why}.`];
  }

  progress(turn: ShownTurn): void {
    this.#poster.prepareFaces(turn.personas);
    const { messageId } = this.#opened.card;
    const isOld = this.#opened.now() - SnowflakeUtil.timestampFrom(messageId) > oldAfterMs;
    if (!isOld && this.#edits < maxEdits - 1) this.#card.show(cardOf(turn));
  }

  grow(): void {}

  async say(part: Part, turn: ShownTurn, isAgain: boolean): Promise<void> {
    if (isAgain && !(await this.#poster.recall())) throw unconfirmedError();
    const { turnId, personas } = turn;
    switch (part.kind) {
      case 'question':
        if (!isCutOnCard(part.question)) break;
        for (const message of questionMessages(turnId, part.question)) {
          await this.#poster.post(message);
        }
        break;
      case 'answer':
        return this.#sayAnswer(part, turn);
      case 'round':
        await this.#poster.post(roundMessage(turnId, part, personas));
        break;
      case 'ranking': {
        const faceOf = (sage: string) => this.#poster.faceOf(personas.get(sage));
        // Draws nothing that can't be posted.
        const draw = () => rankingMessage(turn, faceOf);
        const message = await this.#opened.posts.unlessLost(draw);
        if (message) await this.#poster.post(message);
        break;
      }
      case 'verdict':
        if (part.verdict) {
          const { seats, ranked } = turn.progress;
          const concluded = { seats, verdict: part.verdict };
          const offers = offersBelow(concluded, this.#hasChannel);
          const message = verdictMessage(turnId, part.verdict, ranked, offers, personas);
          this.#verdict = await this.#poster.post(message);
        }
        break;
      case 'ping':
        // Direct messages notify people anyway.
        if (readThreadId(this.#opened.threadId).guild !== directMessages) {
          await this.#poster.post(pingMessage(turnId, part.personId, part.words));
        }
        break;
      case 'end':
        // People in the thread don't see the card, which is in the channel.
        if (this.#isElsewhere) await this.#poster.post(endMessage(turnId, part.end));
        break;
    }
  }

  async finish(turn: ShownTurn): Promise<void> {
    const { guild } = readThreadId(this.#opened.threadId);
    const thread = this.#opened.venue.channelId;
    const isApart = this.#isElsewhere;
    const hasLink = this.#verdict !== undefined || isApart;
    const link = hasLink ? addressOf({ guild, thread }, this.#verdict) : undefined;
    this.#isFinishing = true;
    try {
      await this.#card.finish(cardOf(turn, { link, isApart }));
    } catch (error) {
      if (!isApart || !(error instanceof DiscordRefusal) || error.closesPlace) throw error;
      // Discord may refuse what is quoted of the verdict, e.g. a link.
      await this.#card.finish(cardOf(turn, { link, isApart: false }));
    }
  }

  async #sayAnswer(part: AnswerPart, { progress }: ShownTurn): Promise<void> {
    const { persona, text = '', cutShort, isOnlyEnding } = part;
    if (isOnlyEnding) return;
    const suffix = cutShort ? `\n-# ${cutShort.words}` : '';
    await this.#poster.speak(persona, answerMessages(persona, text, suffix, progress.seats.length));
  }

  async #edit(components: readonly Component[]): Promise<void> {
    this.#edits += 1;
    const { rest, card } = this.#opened;
    const edit = () => editCard(rest, card, components);
    // In a thread that people have closed, only the end is worth opening it again.
    await (this.#isFinishing ? inOpenThread(rest, card.channelId, edit) : edit());
  }

  /** Whether the sages speak somewhere other than where the card is. */
  get #isElsewhere(): boolean {
    const { card, venue } = this.#opened;
    return card.channelId !== venue.channelId;
  }
}
