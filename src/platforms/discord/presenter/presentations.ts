/** Shows turns, each by a presenter of its own, with what they have in common. */

import type { TurnEvent } from '../../../council/events.ts';
import { type PresentedTurn, UndeliveredError } from '../../platform.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { ChannelWebhooks } from '../rest/webhooks.ts';
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
    const { log } = this.#options;
    const { turnId } = turn.request;
    this.#running += 1;
    try {
      const presenter = await this.#open(turn, shutdown);
      for await (const event of events) presenter.take(event);
      await presenter.finish();
    } catch (error) {
      if (shutdown.aborted || error instanceof UndeliveredError) throw error;
      log.error({ turnId, error }, 'a turn could not be shown');
      // The council goes on, and what it says is kept.
      for await (const _ of events);
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
