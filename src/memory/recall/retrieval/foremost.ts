/**
 * The first few of many, in order: most of the many are looked at once and no more.
 *
 * @param order - Below 0 where the first comes before the second.
 */
export class Foremost<Item> {
  readonly #limit: number;
  readonly #order: (one: Item, other: Item) => number;
  readonly #items: Item[] = [];

  constructor(limit: number, order: (one: Item, other: Item) => number) {
    this.#limit = limit;
    this.#order = order;
  }

  /** In order. */
  get items(): readonly Item[] {
    return this.#items;
  }

  take(item: Item): void {
    const last = this.#items.at(-1);
    const isFull = this.#items.length >= this.#limit;
    if (isFull && last !== undefined && this.#order(item, last) >= 0) return;
    if (isFull) this.#items.pop();
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** By halves: where the first is that comes after it. */
  #placeOf(item: Item): number {
    let from = 0;
    let to = this.#items.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#order(item, other) < 0) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
