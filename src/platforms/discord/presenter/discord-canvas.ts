/** Shows turns in Discord: a card that is edited, and what is said, each message once. */

import { SnowflakeUtil } from 'discord.js';
import type { TurnEvent } from '../../../council/events.ts';
import type { FollowUpMode } from '../../../settings/file-table.ts';
import { askedBelow, offersBelow } from '../../chat/asking/turn-actions.ts';
import type { PacedEdits } from '../../chat/pacing/pacer.ts';
import type { AnswerPart, Canvas, Canvases, Part, ShownTurn } from '../../chat/show/canvas.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import { presentTurn } from '../../chat/show/turn-presenter.ts';
import type { PresentedTurn } from '../../platform.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import { Faces, type OwnPicture } from '../rest/faces.ts';
import type { Identity } from '../rest/identity.ts';
import { sendDirect } from '../rest/messages.ts';
import { ChannelWebhooks } from '../rest/webhooks.ts';
import { inertDiscordLine } from '../text/discord-text.ts';
import {
  addressOf,
  addressOfEvent,
  directMessages,
  hasChannel,
  readThreadId,
} from '../thread-id.ts';
import { cardOf, editCard, isCutOnCard } from './card.ts';
import type { Component } from './components.ts';
import { latePosts } from './late-posts.ts';
import { type OpenedTurn, openTurn, ToldRefusal, type TurnSurroundings } from './open-turn.ts';
import { personasOf } from './persona.ts';
import { rankingMessage } from './ranking-message.ts';
import { askedAfter, type CardPlace } from './turn-marks.ts';
import {
  answerMessages,
  answerPosts,
  endMessage,
  pingMessage,
  questionMessages,
  roundMessage,
  verdictMessage,
} from './turn-messages.ts';
import { TurnPoster, unconfirmed } from './turn-poster.ts';

export interface DiscordCanvasesOptions
  extends Pick<TurnSurroundings, 'rest' | 'pacer' | 'log' | 'now' | 'onNoPersonas'> {
  readonly outageWaitsMs: readonly number[];
  readonly whoAmI: (rest: DiscordRest) => Promise<Identity>;
  readonly ownPicture: OwnPicture;
  /** The card that answered the interaction with this id, where this process knows it. */
  readonly knownCard: (eventId: string) => CardPlace | undefined;
  /** How a follow-up is asked in this place, for the card. */
  readonly followUpNote: (threadId: string, mode: FollowUpMode) => Promise<string>;
}

/** Discord's bound for a message, in characters. */
const longestMessage = 2000;
/** Of ` (7)` and a line feed, which a label may take besides. */
const labelNumber = 10;
/** Of one card, its last one included: edits are scarcer than what happens in a turn. */
const mostEdits = 12;
/** From an hour on Discord takes only a few edits; then the last one is the one that counts. */
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
  /** Ends what turns wait for together, e.g. the search for a channel's webhook. */
  #shared = new AbortController();
  #running = 0;
  #isClosing = false;

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
      this.#endShared();
    }
  }

  /** From now on nothing is waited for when no turn is shown any more. */
  close(): void {
    this.#isClosing = true;
    this.#endShared();
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
    let from = askedAfter(turn.request);
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
    const around = { ...opening, pacer: options.pacer.inTurn(askedAt) };
    const poster = new TurnPoster(opened, around);
    if (turn.isResumed) await poster.recall();
    return new DiscordCanvas({ threadId, opened, notes, around, poster });
  }

  async explainToAsker(
    { request }: PresentedTurn,
    why: string,
    refusal: Error,
    signal: AbortSignal,
  ): Promise<void> {
    if (refusal instanceof ToldRefusal) return;
    const { turnId, threadId, author } = request;
    const text = `${why}\nYou asked in ${addressOfEvent(threadId)}`;
    await sendDirect(this.#options.rest.within(signal), author.id, text, `${turnId} not shown`);
  }

  backOff(milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.#options.rest.within(signal).backOff(milliseconds);
  }

  #webhooksOf({ applicationId }: Identity): ChannelWebhooks {
    const shared = this.#options.rest.within(this.#shared.signal);
    this.#webhooks ??= new ChannelWebhooks(shared, applicationId);
    return this.#webhooks;
  }

  /** The pictures of sages; one for all turns. */
  facesOf({ applicationId }: Identity): Faces {
    const { rest, ownPicture, log } = this.#options;
    this.#faces ??= new Faces({ rest, applicationId, ownPicture, log });
    return this.#faces;
  }

  #endShared(): void {
    if (!this.#isClosing || this.#running > 0) return;
    this.#shared.abort(new Error('No turn is shown any more.'));
    this.#shared = new AbortController();
    this.#webhooks = undefined;
  }
}

/** What a turn is shown by. */
interface Parts {
  readonly threadId: string;
  readonly notes: readonly string[];
  readonly opened: OpenedTurn;
  readonly around: TurnSurroundings;
  readonly poster: TurnPoster;
}

class DiscordCanvas implements Canvas {
  readonly grows = false;
  readonly #parts: Parts;
  readonly #card: PacedEdits<readonly Component[]>;
  #edits = 0;
  /** Id of the verdict's first message. */
  #verdict: string | undefined;

  constructor(parts: Parts) {
    const { turnId, pacer, log, signal } = parts.around;
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
    const isOld = this.#parts.around.now() - SnowflakeUtil.timestampFrom(messageId) > oldAfterMs;
    if (!isOld && this.#edits < mostEdits - 1) this.#card.show(cardOf(turn));
  }

  grow(): void {}

  async say(part: Part, turn: ShownTurn, isAgain: boolean): Promise<void> {
    if (isAgain && !(await this.#parts.poster.recall())) throw unconfirmed();
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
        // Nothing is drawn that can't be posted.
        const draw = () => rankingMessage(turn, faceOf);
        const message = await this.#parts.around.posts.unlessLost(draw);
        if (message) await this.#parts.poster.post(message);
        break;
      }
      case 'verdict':
        if (part.verdict) {
          const { seats, ranked } = turn.progress;
          const told = { seats, verdict: part.verdict };
          const offers = offersBelow(told, hasChannel(this.#parts.threadId));
          const message = verdictMessage(turnId, part.verdict, ranked, offers, personas);
          this.#verdict = await this.#parts.poster.post(message);
        }
        break;
      case 'ping':
        // A direct message rings by itself.
        if (readThreadId(this.#parts.threadId).guild !== directMessages) {
          await this.#parts.poster.post(pingMessage(turnId, part.personId, part.words));
        }
        break;
      case 'end':
        // In the thread people don't see the card, which is where it began.
        if (this.#isElsewhere) await this.#parts.poster.post(endMessage(turnId, part.end));
        break;
    }
  }

  async finish(turn: ShownTurn, isAgain: boolean): Promise<void> {
    const { guild } = readThreadId(this.#parts.threadId);
    const thread = this.#parts.opened.venue.channelId;
    const isApart = this.#isElsewhere;
    const leadsOn = this.#verdict !== undefined || isApart;
    const link = leadsOn ? addressOf({ guild, thread }, this.#verdict) : undefined;
    const components = cardOf(turn, { link, isApart });
    if (!isAgain) return this.#card.finish(components);
    const { pacer, signal } = this.#parts.around;
    return pacer.post(this.#destination, () => this.#edit(components), signal);
  }

  async #sayAnswer({ persona, ...part }: AnswerPart, { progress }: ShownTurn): Promise<void> {
    const { text = '', cutShort, isOnlyEnding } = part;
    if (isOnlyEnding) return;
    const { seats } = progress;
    const messages = answerMessages(text, {
      // The label of a sage that speaks through the bot takes room as well.
      room: longestMessage - persona.label.length - labelNumber,
      most: answerPosts(seats.length),
      suffix: cutShort ? `\n-# ${cutShort.words}` : '',
      fileName: persona.name,
    });
    await this.#parts.poster.speak(persona, messages);
  }

  async #edit(components: readonly Component[]): Promise<void> {
    this.#edits += 1;
    await editCard(this.#parts.around.rest, this.#parts.opened.card, components);
  }

  /** The card is not where the sages speak. */
  get #isElsewhere(): boolean {
    const { card, venue } = this.#parts.opened;
    return card.channelId !== venue.channelId;
  }

  get #destination() {
    const { card, venue } = this.#parts.opened;
    return { thread: card.channelId, channel: venue.webhookChannelId ?? card.channelId };
  }
}
