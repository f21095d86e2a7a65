/** The edits of a turn's card: few, and the last one always. */

import { SnowflakeUtil } from 'discord.js';
import type { PacedEdits, Pacer } from '../../chat/pacing/pacer.ts';
import { UndeliveredError } from '../../platform.ts';
import { editMessage } from '../rest/messages.ts';
import type { Component } from './components.ts';
import type { OpenedTurn } from './open-turn.ts';
import { type Outage, outlast } from './outage.ts';

export interface TurnCardOptions extends Outage {
  readonly pacer: Pacer;
  /** Ends the edits. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Of one card, its last one included: edits are scarcer than what happens in a turn. */
const mostEdits = 12;
/** From an hour on Discord takes only a few edits; then the last one is the one that counts. */
const oldAfterMs = 50 * 60_000;

export class TurnCard {
  readonly #options: TurnCardOptions;
  readonly #opened: OpenedTurn;
  readonly #message: PacedEdits<readonly Component[]>;
  #edits = 0;

  constructor(opened: OpenedTurn, options: TurnCardOptions) {
    const { pacer, log, signal, turnId } = options;
    this.#options = options;
    this.#opened = opened;
    this.#message = pacer.edits({
      destination: this.#destination,
      shown: opened.shown,
      edit: (components) => this.#edit(components),
      onEditFailed: (error) => {
        if (!signal.aborted) log.warn({ turnId, error }, 'a card could not be edited');
      },
      signal,
    });
  }

  show(components: readonly Component[]): void {
    const { messageId } = this.#opened.card;
    const isOld = this.#options.now() - SnowflakeUtil.timestampFrom(messageId) > oldAfterMs;
    if (!isOld && this.#edits < mostEdits - 1) this.#message.show(components);
  }

  /**
   * Shows the last state. A refusal is in the log.
   *
   * @throws {UndeliveredError}; the signal's reason.
   */
  async finish(components: readonly Component[]): Promise<void> {
    const { log, pacer, signal, turnId } = this.#options;
    const attempt = (isAgain: boolean) =>
      isAgain
        ? pacer.post(this.#destination, () => this.#edit(components), signal)
        : this.#message.finish(components);
    try {
      await outlast(attempt, this.#options);
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.warn({ turnId, error }, 'the last state of a card could not be shown');
    }
  }

  async #edit(components: readonly Component[]): Promise<void> {
    const { channelId, messageId } = this.#opened.card;
    this.#edits += 1;
    const message = { components, isOnlyComponents: true };
    await editMessage(this.#options.rest, channelId, messageId, message);
  }

  get #destination() {
    const { card, venue } = this.#opened;
    return { thread: card.channelId, channel: venue.webhookChannelId ?? card.channelId };
  }
}
