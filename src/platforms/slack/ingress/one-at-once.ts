import { LRUCache } from 'lru-cache';

/** Events of so many posts are remembered; the store knows those that made a turn for good. */
const most = 2000;

/**
 * Lets one thing be done once, however often and by whichever way it is told: whoever tells it again
 * waits for the first. What has failed may be told again.
 */
export class OneAtOnce {
  readonly #done = new LRUCache<string, Promise<void>>({ max: most });

  /** Throws as `work` does, also to those who tell it again meanwhile. */
  async do(key: string, work: () => Promise<void>): Promise<void> {
    const known = this.#done.get(key);
    if (known) return known;
    const begun = work();
    this.#done.set(key, begun);
    try {
      await begun;
    } catch (error) {
      if (this.#done.get(key) === begun) this.#done.delete(key);
      throw error;
    }
  }

  /** Resolves when what is being done under this key is done, whether or not it failed. */
  async settled(key: string): Promise<void> {
    await this.#done.get(key)?.catch(() => undefined);
  }
}
