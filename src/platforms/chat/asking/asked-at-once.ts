/** Taking one in takes a moment; nobody types as fast. */
const most = 5;

/** What somebody is told whose question was not taken because of it. */
export const askedTooFast =
  'You ask faster than the council can take it in. Wait until your last questions have been taken.';

/** Bounds how many questions of one person are being taken in at a moment, so that a flood is refused quickly. */
export class AskedAtOnce {
  readonly #asking = new Map<string, number>();

  /** @returns Whether the question was taken in; `take` is called only then. Throws as `take` does. */
  async within(personId: string, take: () => Promise<void>): Promise<boolean> {
    const begun = this.#asking.get(personId) ?? 0;
    if (begun >= most) return false;
    this.#asking.set(personId, begun + 1);
    try {
      await take();
    } finally {
      const left = (this.#asking.get(personId) ?? 1) - 1;
      if (left === 0) this.#asking.delete(personId);
      else this.#asking.set(personId, left);
    }
    return true;
  }
}
