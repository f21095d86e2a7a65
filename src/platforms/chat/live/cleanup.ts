/** What a trial has made on a platform, and has to delete in the end. */

interface Made {
  /** For people, e.g. `Message`. */
  readonly kind: string;
  readonly remove: () => Promise<unknown>;
}

export class Cleanup {
  /** By id, oldest first. */
  readonly #made = new Map<string, Made>();
  /** What could not be deleted, by id; it is not tried again. */
  readonly #left = new Map<string, string>();

  /** @param remove - Resolves too where it is gone already. */
  add(kind: string, id: string, remove: () => Promise<unknown>): void {
    this.#made.set(id, { kind, remove });
  }

  /** It is gone. */
  drop(id: string): void {
    this.#made.delete(id);
  }

  /** Ids of what is there. */
  of(kind: string): readonly string[] {
    return [...this.#made].flatMap(([id, one]) => (one.kind === kind ? [id] : []));
  }

  /**
   * Deletes all of it, newest first. Never rejects.
   *
   * @param look - Adds what is there and nothing was answered to.
   * @param mostLooks - What was cut off by the end of the trial may arrive later.
   * @returns What is left, for people.
   */
  async clear(look: () => Promise<void>, mostLooks = 1): Promise<readonly string[]> {
    for (let looks = 0; looks < mostLooks; looks += 1) {
      // Where nothing can be read, what is known is deleted.
      await look().catch(() => undefined);
      const found = [...this.#made].filter(([id]) => !this.#left.has(id));
      if (found.length === 0) break;
      for (const [id, { kind, remove }] of found.toReversed()) {
        try {
          await remove();
          this.drop(id);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          this.#left.set(id, `${kind} ${id} is still there: ${why}`);
        }
      }
    }
    return [...this.#left.values()];
  }
}
