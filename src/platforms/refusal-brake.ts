/** In any span of so long a time a person is told so often in a channel that a question was not taken. */
const most = 3;
const spanMs = 30_000;

/**
 * Keeps the bot from filling a channel with refusals for somebody who floods it with questions: they
 * would hold up the answers to everybody else. Whoever was told a few times just now knows.
 */
export class RefusalBrake {
  readonly #now: () => number;
  /** By person and channel, when they were told, oldest first. */
  readonly #told = new Map<string, readonly number[]>();

  /** @param now - Milliseconds from any fixed moment. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Whether a person may be told once more now; if so, it counts. */
  take(personId: string, channelId: string): boolean {
    const now = this.#now();
    this.#forgetBefore(now - spanMs);
    const key = `${personId} ${channelId}`;
    const told = this.#told.get(key) ?? [];
    if (told.length >= most) return false;
    this.#told.set(key, [...told, now]);
    return true;
  }

  #forgetBefore(moment: number): void {
    for (const [key, told] of this.#told) {
      const recent = told.filter((at) => at > moment);
      if (recent.length === 0) this.#told.delete(key);
      else if (recent.length < told.length) this.#told.set(key, recent);
    }
  }
}
