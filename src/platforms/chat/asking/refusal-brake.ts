/** How often, in any span of this length, a person is told in a channel that a question was not taken. */
const most = 3;
const spanMs = 30_000;
/** How often at most a person is told that the operator lets them ask nothing at all. */
const strangerSpanMs = 86_400_000;
/** How many are remembered. Beyond that no stranger is told, which is what a flood deserves. */
const mostStrangers = 1000;

/**
 * Keeps the bot from filling a channel with refusals of one person's flood of questions: they would hold up
 * the answers to everybody else. Being told a few times is enough.
 */
export class RefusalBrake {
  readonly #now: () => number;
  /** By whom and where, until when each time counts. */
  readonly #told = new Map<string, readonly number[]>();

  /** @param now - Milliseconds from any fixed moment. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Whether a person may be told once more now; if so, it counts. */
  take(personId: string, channelId: string): boolean {
    return this.#take(`${personId} ${channelId}`, most, spanMs);
  }

  /**
   * Whether a person may be told now that the operator lets them ask nothing at all; if so, it counts.
   *
   * @param hearers - Who reads it: a channel, or one person in it.
   */
  takeStranger(hearers: string): boolean {
    return this.#told.size < mostStrangers && this.#take(`stranger ${hearers}`, 1, strangerSpanMs);
  }

  #take(key: string, mostTold: number, forMs: number): boolean {
    const now = this.#now();
    this.#forget(now);
    const told = this.#told.get(key) ?? [];
    if (told.length >= mostTold) return false;
    this.#told.set(key, [...told, now + forMs]);
    return true;
  }

  #forget(now: number): void {
    for (const [key, told] of this.#told) {
      const counting = told.filter((until) => until > now);
      if (counting.length === 0) this.#told.delete(key);
      else if (counting.length < told.length) this.#told.set(key, counting);
    }
  }
}
