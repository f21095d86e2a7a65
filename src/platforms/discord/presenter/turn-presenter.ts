/** Shows one turn: keeps its card, and posts what is finished in the order in which it finished. */

import type { Review, SageAnswer, TurnEnd, TurnEvent, Verdict } from '../../../council/events.ts';
import type { Log } from '../../../domain/log.ts';
import type { FollowUpMode } from '../../../settings/schema.ts';
import { advance, notBegun } from '../../chat/show/turn-progress.ts';
import { type PresentedTurn, UndeliveredError } from '../../platform.ts';
import { DiscordRefusal, DiscordUnanswered } from '../discord-error.ts';
import { addressOf, readThreadId } from '../thread-id.ts';
import { answerMessages, answerPosts } from './answer-messages.ts';
import { type CardState, cardOf } from './card.ts';
import type { Component } from './components.ts';
import { endMessage, rankingMessage, verdictMessage } from './council-messages.ts';
import { cardMark, type OpenedTurn, openTurn, type TurnOpener } from './open-turn.ts';
import { outlast } from './outage.ts';
import { personasOf } from './persona.ts';
import { TurnCard } from './turn-card.ts';
import { TurnPoster, type TurnPosterOptions, unconfirmed } from './turn-poster.ts';

export interface TurnPresenterOptions extends TurnOpener, Pick<TurnPosterOptions, 'webhooks'> {
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly outageWaitsMs: readonly number[];
  /** How a follow-up is asked in this place, for the card; absent: nobody knows. */
  readonly followUpNote: (threadId: string, mode: FollowUpMode) => Promise<string | undefined>;
  /** Sages had to speak through the bot, because webhooks are not permitted in this channel. */
  readonly onNoPersonas: (channelId: string) => void;
}

/** Discord's bound for a message, in characters. */
const longestMessage = 2000;
/** Of ` (7)` and a line feed, which a label may take besides. */
const labelNumber = 10;

const noPersonasNote =
  'The sages speak through the bot here, because it lacks the permission Manage Webhooks.';

export class TurnPresenter {
  readonly #options: TurnPresenterOptions;
  readonly #turn: PresentedTurn;
  readonly #opened: OpenedTurn;
  readonly #poster: TurnPoster;
  readonly #card: TurnCard;
  readonly #reviews: Review[] = [];
  #state: CardState;
  #posting: Promise<void> = Promise.resolve();
  /** Why a message of the turn did not get through, though nobody refused it. */
  #failure: Error | undefined;

  private constructor(
    turn: PresentedTurn,
    opened: OpenedTurn,
    state: CardState,
    options: TurnPresenterOptions,
  ) {
    this.#turn = turn;
    this.#opened = opened;
    this.#state = state;
    this.#options = options;
    const { rest, identity, webhooks, log, pacer, signal } = options;
    const { request } = turn;
    const { card, venue } = opened;
    this.#poster = new TurnPoster({
      ...{ rest, identity, webhooks, log, pacer, signal, venue, card },
      turnId: request.turnId,
      after: opened.from,
      onNoPersonas: () => this.#noteNoPersonas(),
    });
    this.#card = new TurnCard(opened, { ...options, turnId: request.turnId });
  }

  /** @throws As {@link openTurn} does. */
  static async open(turn: PresentedTurn, options: TurnPresenterOptions): Promise<TurnPresenter> {
    const { request, isResumed, followUpMode } = turn;
    const note = await options.followUpNote(request.threadId, followUpMode);
    const state = beginning(turn, note);
    const opened = await openTurn(turn, cardOf(state, cardMark(request.turnId)), options);
    const presenter = new TurnPresenter(turn, opened, state, options);
    if (isResumed) await presenter.#poster.recall();
    presenter.#showCard();
    return presenter;
  }

  take(event: TurnEvent): void {
    this.#advance(event);
    switch (event.type) {
      case 'answered':
        this.#postAnswer(event.answer);
        break;
      case 'reviewed':
        this.#reviews.push(event.review);
        break;
      case 'ranked':
        if (event.ranking.places.length > 0) this.#postRanking(event);
        break;
      case 'concluded':
        this.#postVerdict(event.verdict);
        break;
      case 'ended':
        if (event.end.outcome !== 'answered') this.#postEnd(event.end);
        break;
    }
  }

  /** The end is shown when everything before it is posted, see {@link finish}. */
  #advance(event: TurnEvent): void {
    const progress = advance(this.#state.progress, event);
    if (progress === this.#state.progress) return;
    const personas =
      progress.seats === this.#state.progress.seats
        ? this.#state.personas
        : personasOf(progress.seats);
    this.#state = { ...this.#state, progress, personas };
    if (!progress.end) this.#showCard();
  }

  /**
   * Resolves when all is posted and the card shows the last state.
   *
   * @throws {UndeliveredError}; the signal's reason.
   */
  async finish(): Promise<void> {
    await this.#posting;
    // A turn that is left to be resumed keeps the card as it is.
    this.#options.signal.throwIfAborted();
    const { card, venue } = this.#opened;
    const isElsewhere = card.channelId !== venue.channelId;
    this.#state = {
      ...this.#state,
      link: this.#state.link ?? (isElsewhere ? this.#linkTo() : undefined),
    };
    const missed = this.#poster.missed ?? this.#failure;
    if (missed) this.#state = { ...this.#state, notes: [...this.#state.notes, missedNote(missed)] };
    await this.#card.finish(this.#cardComponents());
  }

  #showCard(): void {
    this.#card.show(this.#cardComponents());
  }

  #cardComponents(): readonly Component[] {
    return cardOf(this.#state, cardMark(this.#turn.request.turnId));
  }

  #postAnswer({ sage, status, answer }: SageAnswer): void {
    const persona = this.#state.personas.get(sage);
    if (!persona || status === 'failed' || answer.trim() === '') return;
    const { seats } = this.#state.progress;
    const seat = seats.findIndex((one) => one.sage.key === sage);
    const messages = answerMessages(answer, {
      // The label of a sage that speaks through the bot takes room as well.
      room: longestMessage - persona.label.length - labelNumber,
      most: answerPosts(seats.length, seat),
      suffix: status === 'stopped' ? '\n-# Stopped here.' : '',
      fileName: persona.name,
    });
    this.#post('answer', () => this.#poster.speak(persona, messages));
  }

  #postVerdict(verdict: Verdict): void {
    const message = verdictMessage(this.#turn.request.turnId, verdict, this.#state.personas);
    this.#post('verdict', async () => {
      const messageId = await this.#poster.post(message);
      if (messageId) this.#state = { ...this.#state, link: this.#linkTo(messageId) };
    });
  }

  #postRanking(ranked: Extract<TurnEvent, { type: 'ranked' }>): void {
    const { turnId } = this.#turn.request;
    const message = rankingMessage(turnId, ranked, this.#reviews, this.#state.personas);
    this.#post('ranking', async () => {
      await this.#poster.post(message);
    });
  }

  /** Whoever reads the thread does not see the card, which is where it began. */
  #postEnd(end: TurnEnd): void {
    const { card, venue } = this.#opened;
    if (card.channelId === venue.channelId) return;
    const message = endMessage(this.#turn.request.turnId, end);
    this.#post('end', async () => {
      await this.#poster.post(message);
    });
  }

  /** @param message - Absent: where all of it is. */
  #linkTo(message?: string): string {
    const { guild } = readThreadId(this.#turn.request.threadId);
    return addressOf({ guild, thread: this.#opened.venue.channelId }, message);
  }

  /** One after another; what is refused is told in the log and does not hold up the rest. */
  #post(what: string, post: () => Promise<void>): void {
    this.#posting = this.#posting.then(() => this.#untilPosted(what, post));
    // Whoever finishes hears of it, which may be later.
    this.#posting.catch(() => undefined);
  }

  async #untilPosted(what: string, post: () => Promise<void>): Promise<void> {
    const { log, signal } = this.#options;
    const { turnId } = this.#turn.request;
    const attempt = async (isAgain: boolean) => {
      if (isAgain && !(await this.#poster.recall())) throw unconfirmed();
      await post();
    };
    try {
      await outlast(attempt, { ...this.#options, turnId });
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.error({ turnId, what, error }, 'a message of the turn could not be posted');
      this.#failure ??= error instanceof Error ? error : new Error('unknown');
    }
  }

  #noteNoPersonas(): void {
    const { webhookChannelId } = this.#opened.venue;
    if (webhookChannelId === undefined) return;
    this.#state = { ...this.#state, notes: [...this.#state.notes, noPersonasNote] };
    this.#options.onNoPersonas(webhookChannelId);
  }
}

function beginning({ request }: PresentedTurn, note: string | undefined): CardState {
  return {
    turnId: request.turnId,
    question: request.question,
    progress: notBegun,
    personas: new Map(),
    link: undefined,
    notes: note === undefined ? [] : [note],
  };
}

/** What only the log should tell stays there. */
function missedNote(missed: Error): string {
  const isOfDiscord = missed instanceof DiscordRefusal || missed instanceof DiscordUnanswered;
  const reason = isOfDiscord ? `: ${missed.message.replace(/\.$/, '')}` : '';
  return `Not everything could be posted${reason}. \`/council receipt\` still knows the turn.`;
}
