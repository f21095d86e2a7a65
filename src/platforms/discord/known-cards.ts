import type { CardPlace } from './presenter/turn-history.ts';

/** More do not wait to be begun; the cards of others are found by asking Discord. */
const most = 1000;

/** The cards that answered an interaction, until their turn begins. */
export class KnownCards {
  readonly #cards = new Map<string, CardPlace>();

  /** @param eventId - Id of the interaction. */
  keep(eventId: string, card: CardPlace): void {
    this.#cards.set(eventId, card);
    const [oldest] = this.#cards.keys();
    if (this.#cards.size > most && oldest !== undefined) this.#cards.delete(oldest);
  }

  take(eventId: string): CardPlace | undefined {
    const card = this.#cards.get(eventId);
    this.#cards.delete(eventId);
    return card;
  }
}
