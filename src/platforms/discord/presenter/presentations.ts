/** Shows turns, each by a presenter of its own, with what they have in common. */

import type { TurnEvent } from '../../../council/events.ts';
import { type PresentedTurn, UndeliveredError, UnshowableError } from '../../platform.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { sendDirect } from '../rest/messages.ts';
import { ChannelWebhooks } from '../rest/webhooks.ts';
import { addressOfEvent } from '../thread-id.ts';
import { NotOpenedError } from './open-turn.ts';
import { outlast } from './outage.ts';
import { TurnPresenter, type TurnPresenterOptions } from './turn-presenter.ts';

export interface PresentationsOptions
  extends Omit<TurnPresenterOptions, 'signal' | 'identity' | 'webhooks'> {
  readonly whoAmI: (rest: DiscordRest) => Promise<Identity>;
}

export class Presentations {
  readonly #options: PresentationsOptions;
  #webhooks: ChannelWebhooks | undefined;
  /** Ends what turns wait for together, e.g. the search for a channel's webhook. */
  #shared = new AbortController();
  #running = 0;
  #isClosing = false;

  constructor(options: PresentationsOptions) {
    this.#options = options;
  }

  /** As `Platform.present`. */
  async present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void> {
    this.#running += 1;
    try {
      const presenter = await this.#openOrTell(turn, shutdown);
      await this.#show(presenter, turn, events, shutdown);
    } finally {
      this.#running -= 1;
      this.#endShared();
    }
  }

  async #show(
    presenter: TurnPresenter,
    { request: { turnId } }: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void> {
    const { log } = this.#options;
    try {
      for await (const event of events) presenter.take(event);
      await presenter.finish();
    } catch (error) {
      if (shutdown.aborted || error instanceof UndeliveredError) throw error;
      log.error({ turnId, error }, 'a turn could not be shown');
      // The council goes on, and what it says is kept.
      for await (const _ of events);
    }
  }

  /** From now on nothing is waited for when no turn is shown any more. */
  close(): void {
    this.#isClosing = true;
    this.#endShared();
  }

  /** What is refused at the beginning is told to the person who asked, and nothing else comes of the turn. */
  async #openOrTell(turn: PresentedTurn, signal: AbortSignal): Promise<TurnPresenter> {
    const { turnId, threadId, author } = turn.request;
    try {
      return await this.#open(turn, signal);
    } catch (error) {
      const refusal = error instanceof NotOpenedError ? error.refusal : error;
      if (!(refusal instanceof DiscordRefusal)) throw error;
      const { log, rest } = this.#options;
      log.warn({ turnId, error: refusal }, 'a turn can’t be shown, and ends before it costs');
      const why = `The answers can’t be shown there. ${refusal.message}`;
      if (!(error instanceof NotOpenedError && error.isTold)) {
        const text = `${why}\nYou asked in ${addressOfEvent(threadId)}`;
        const key = `${turnId} not shown`;
        await sendDirect(rest.within(signal), author.id, text, key).catch((again: unknown) => {
          signal.throwIfAborted();
          log.warn({ turnId, error: again }, 'nor could the person be told');
        });
      }
      throw new UnshowableError(why, { cause: refusal });
    }
  }

  #open(turn: PresentedTurn, signal: AbortSignal): Promise<TurnPresenter> {
    const rest = this.#options.rest.within(signal, turn);
    const open = async (isAgain: boolean) => {
      const identity = await this.#options.whoAmI(rest);
      const webhooks = this.#webhooksOf(identity);
      const options = { ...this.#options, rest, signal, identity, webhooks };
      return TurnPresenter.open(isAgain ? { ...turn, isResumed: true } : turn, options);
    };
    return outlast(open, { ...this.#options, rest, turnId: turn.request.turnId });
  }

  #webhooksOf({ applicationId }: Identity): ChannelWebhooks {
    const shared = this.#options.rest.within(this.#shared.signal);
    this.#webhooks ??= new ChannelWebhooks(shared, applicationId);
    return this.#webhooks;
  }

  #endShared(): void {
    if (!this.#isClosing || this.#running > 0) return;
    this.#shared.abort(new Error('No turn is shown any more.'));
    this.#shared = new AbortController();
    this.#webhooks = undefined;
  }
}
