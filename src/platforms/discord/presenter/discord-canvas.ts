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
import { isRefusal } from '../discord-error.ts';
import { inertDiscordLine } from '../discord-text.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { postMessage, sendDirect } from '../rest/messages.ts';
import { ChannelWebhooks } from '../rest/webhooks.ts';
import {
  addressOf,
  addressOfEvent,
  directMessages,
  hasChannel,
  readThreadId,
} from '../thread-id.ts';
import { cardOf, editCard, failedCard, isCutOnCard } from './card.ts';
import type { Component } from './components.ts';
import { type OpenedTurn, openTurn, type TurnContext } from './open-turn.ts';
import { Faces, type OwnPicture, personasOf } from './persona.ts';
import { rankingMessage } from './ranking-message.ts';
import { latePosts } from './turn-history.ts';
import { type CardPlace, findCard, idBeforeQuestion } from './turn-marks.ts';
import {
  answerMessages,
  endMessage,
  maxAnswerPosts,
  pingMessage,
  questionMessages,
  roundMessage,
  verdictMessage,
} from './turn-messages.ts';
import { TurnPoster, unconfirmedError } from './turn-poster.ts';

export interface DiscordCanvasesOptions
  extends Pick<TurnContext, 'rest' | 'pacer' | 'log' | 'now' | 'onNoPersonas'> {
  readonly outageWaitsMs: readonly number[];
  readonly whoAmI: (rest: DiscordRest) => Promise<Identity>;
  readonly ownPicture: OwnPicture;
  /** The card that responded to this interaction, if this process knows it. */
  readonly knownCard: (eventId: string) => CardPlace | undefined;
  /** The sentence on the card about how to ask a follow-up here. */
  readonly followUpNote: (threadId: string, mode: FollowUpMode) => Promise<string>;
}

/** Discord's limit for a message, in characters. */
const longestMessage = 2000;
/** For ` (7)` and a line feed after a label. */
const labelExtras = 10;
/** Per card, the last one included: edits are scarcer than a turn's events. */
const maxEdits = 12;
/** Discord allows only a few edits of messages older than an hour; the last edit matters most. */
const oldAfterMs = 50 * 60_000;
const noPersonasNote =
  'The sages speak through the bot here, because it lacks the permission Manage Webhooks.';

export class DiscordCanvases implements Canvases {
  readonly platform = 'Discord';
  readonly outageWaitsMs: readonly number[];
  readonly personasOf = personasOf;
  readonly #options: DiscordCanvasesOptions;
  #webhooks: ChannelWebhooks | undefined;
  #faces: Faces | undefined;
  /** Ends waits that turns share, e.g. for a channel's webhook, once no turn is being shown. */
  #shared = new AbortController();
  #running = 0;

  constructor(options: DiscordCanvasesOptions) {
    this.#options = options;
    this.outageWaitsMs = options.outageWaitsMs;
  }

  /** As `Platform.present`. */
  async present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void> {
    this.#running += 1;
    try {
      await presentTurn(turn, events, shutdown, this, this.#options.log);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) {
        this.#shared.abort(new Error('No turn is being shown.'));
        this.#shared = new AbortController();
      }
    }
  }

  async open(
    turn: PresentedTurn,
    first: ShownTurn,
    posts: TurnPosts,
    signal: AbortSignal,
  ): Promise<Canvas> {
    const { whoAmI, knownCard, followUpNote, ownPicture: _, ...options } = this.#options;
    const { turnId, threadId, eventId, askedAt } = turn.request;
    const identity = await whoAmI(options.rest.within(signal));
    let from = idBeforeQuestion(turn.request);
    const { thread } = readThreadId(threadId);
    const late = latePosts({ ...options, turnId, thread, since: () => from, identity });
    const rest = options.rest.within(signal, { turn, late });
    const webhooks = this.#webhooksOf(identity);
    const faces = this.facesOf(identity);
    const asked = askedBelow(turn.request);
    const followUp = await followUpNote(threadId, turn.followUpMode);
    const notes = [...(asked === undefined ? [] : [inertDiscordLine(asked)]), followUp];
    const opening = { ...options, turnId, rest, identity, webhooks, faces, posts, signal };
    const card = cardOf({ ...first, notes });
    const opened = await openTurn(turn, card, opening, knownCard(eventId));
    from = opened.from;
    const context = { ...opening, pacer: options.pacer.inTurn(askedAt) };
    const poster = new TurnPoster(opened, context);
    if (turn.isResumed) await poster.recall();
    return new DiscordCanvas({ threadId, opened, notes, context, poster });
  }

  async explainToAsker(
    { request }: PresentedTurn,
    why: string,
    refusal: Error,
    signal: AbortSignal,
  ): Promise<void> {
    // A person who has deleted the question expects no answer.
    if (request.isPosted && isRefusal(refusal, 'unknownMessage')) return;
    const rest = this.#options.rest.within(signal);
    if (await unlessRefused(() => this.#explainInPlace(rest, request, why))) return;
    const { turnId, threadId, author } = request;
    const text = `${why}\nYou asked in ${addressOfEvent(threadId)}`;
    await sendDirect(rest, author.id, text, `${turnId} not shown`);
  }

  /** Shows on the question's card, or as a reply to its message, why the turn can't be shown. */
  async #explainInPlace(rest: DiscordRest, request: TurnRequest, why: string): Promise<boolean> {
    const { turnId, eventId, threadId } = request;
    const { channel, thread } = readThreadId(threadId);
    const { userId } = await this.#options.whoAmI(rest);
    const card = await findCard(rest, channel, request, userId);
    if (card) {
      const place = { channelId: channel, messageId: card.id };
      await editCard(rest, place, failedCard(request, why));
      return true;
    }
    if (thread !== eventId) return false;
    await postMessage(rest, channel, {
      content: why,
      key: `${turnId} no thread`,
      replyTo: eventId,
    });
    return true;
  }

  backOff(milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.#options.rest.within(signal).backOff(milliseconds);
  }

  #webhooksOf({ applicationId }: Identity): ChannelWebhooks {
    const shared = () => this.#options.rest.within(this.#shared.signal);
    this.#webhooks ??= new ChannelWebhooks(shared, applicationId);
    return this.#webhooks;
  }

  /** The sages' pictures, shared by all turns. */
  facesOf({ applicationId }: Identity): Faces {
    const { rest, ownPicture, log } = this.#options;
    this.#faces ??= new Faces({ rest, applicationId, ownPicture, log });
    return this.#faces;
  }
}

interface Parts {
  readonly threadId: string;
  readonly notes: readonly string[];
  readonly opened: OpenedTurn;
  readonly context: TurnContext;
  readonly poster: TurnPoster;
}

class DiscordCanvas implements Canvas {
  readonly grows = false;
  readonly #parts: Parts;
  readonly #card: PacedEdits<readonly Component[]>;
  #edits = 0;
  #verdict: string | undefined;

  constructor(parts: Parts) {
    const { turnId, pacer, log, signal } = parts.context;
    this.#parts = parts;
    this.#card = pacer.edits({
      destination: this.#destination,
      shown: parts.opened.shown,
      edit: (components) => this.#edit(components),
      onEditFailed: (error) => {
        if (!signal.aborted) log.warn({ turnId, error }, 'a card could not be edited');
      },
      signal,
    });
  }

  get notes(): readonly string[] {
    return [...this.#parts.notes, ...(this.#parts.poster.lacksPersonas ? [noPersonasNote] : [])];
  }

  progress(turn: ShownTurn): void {
    this.#parts.poster.prepareFaces(turn.personas);
    const { messageId } = this.#parts.opened.card;
    const isOld = this.#parts.context.now() - SnowflakeUtil.timestampFrom(messageId) > oldAfterMs;
    if (!isOld && this.#edits < maxEdits - 1) this.#card.show(cardOf(turn));
  }

  grow(): void {}

  async say(part: Part, turn: ShownTurn, isAgain: boolean): Promise<void> {
    if (isAgain && !(await this.#parts.poster.recall())) throw unconfirmedError();
    const { turnId, personas } = turn;
    switch (part.kind) {
      case 'question':
        if (!isCutOnCard(part.question)) break;
        for (const message of questionMessages(turnId, part.question)) {
          await this.#parts.poster.post(message);
        }
        break;
      case 'answer':
        return this.#sayAnswer(part, turn);
      case 'round':
        await this.#parts.poster.post(roundMessage(turnId, part, personas));
        break;
      case 'ranking': {
        const faceOf = (sage: string) => this.#parts.poster.faceOf(personas.get(sage));
        // Draws nothing that can't be posted.
        const draw = () => rankingMessage(turn, faceOf);
        const message = await this.#parts.context.posts.unlessLost(draw);
        if (message) await this.#parts.poster.post(message);
        break;
      }
      case 'verdict':
        if (part.verdict) {
          const { seats, ranked } = turn.progress;
          const concluded = { seats, verdict: part.verdict };
          const offers = offersBelow(concluded, hasChannel(this.#parts.threadId));
          const message = verdictMessage(turnId, part.verdict, ranked, offers, personas);
          this.#verdict = await this.#parts.poster.post(message);
        }
        break;
      case 'ping':
        // Direct messages notify people anyway.
        if (readThreadId(this.#parts.threadId).guild !== directMessages) {
          await this.#parts.poster.post(pingMessage(turnId, part.personId, part.words));
        }
        break;
      case 'end':
        // People in the thread don't see the card, which is in the channel.
        if (this.#isElsewhere) await this.#parts.poster.post(endMessage(turnId, part.end));
        break;
    }
  }

  async finish(turn: ShownTurn, isAgain: boolean): Promise<void> {
    const { guild } = readThreadId(this.#parts.threadId);
    const thread = this.#parts.opened.venue.channelId;
    const isApart = this.#isElsewhere;
    const hasLink = this.#verdict !== undefined || isApart;
    const link = hasLink ? addressOf({ guild, thread }, this.#verdict) : undefined;
    const components = cardOf(turn, { link, isApart });
    if (!isAgain) return this.#card.finish(components);
    const { pacer, signal } = this.#parts.context;
    return pacer.post(this.#destination, () => this.#edit(components), signal);
  }

  async #sayAnswer({ persona, ...part }: AnswerPart, { progress }: ShownTurn): Promise<void> {
    const { text = '', cutShort, isOnlyEnding } = part;
    if (isOnlyEnding) return;
    const { seats } = progress;
    const messages = answerMessages(text, {
      // Leaves room for the label of a sage that speaks through the bot.
      room: longestMessage - persona.label.length - labelExtras,
      most: maxAnswerPosts(seats.length),
      suffix: cutShort ? `\n-# ${cutShort.words}` : '',
      fileName: persona.name,
    });
    await this.#parts.poster.speak(persona, messages);
  }

  async #edit(components: readonly Component[]): Promise<void> {
    this.#edits += 1;
    await editCard(this.#parts.context.rest, this.#parts.opened.card, components);
  }

  /** Whether the sages speak somewhere other than where the card is. */
  get #isElsewhere(): boolean {
    const { card, venue } = this.#parts.opened;
    return card.channelId !== venue.channelId;
  }

  get #destination() {
    const { card, venue } = this.#parts.opened;
    return { thread: card.channelId, channel: venue.webhookChannelId ?? card.channelId };
  }
}
