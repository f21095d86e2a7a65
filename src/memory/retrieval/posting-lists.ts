/** Which documents hold a term, and how often: the lists that BM25 is computed from. */

interface Postings<Holder> {
  readonly holders: Holder[];
  readonly counts: number[];
}

/** Terms with what one occurrence of each counts for. */
export type WeighedTerms = Iterable<readonly [term: string, worth: number]>;

export class PostingLists<Holder> {
  readonly #lists = new Map<string, Postings<Holder>>();

  /** How many different terms there are. */
  get size(): number {
    return this.#lists.size;
  }

  terms(): IterableIterator<string> {
    return this.#lists.keys();
  }

  add(holder: Holder, terms: ReadonlyMap<string, number>): void {
    for (const [term, count] of terms) {
      const list = this.#lists.get(term) ?? { holders: [], counts: [] };
      list.holders.push(holder);
      list.counts.push(count);
      this.#lists.set(term, list);
    }
  }

  remove(holder: Holder, terms: ReadonlyMap<string, number>): void {
    for (const term of terms.keys()) {
      const list = this.#lists.get(term);
      // The oldest is what goes most often, and it stands first.
      const at = list?.holders.indexOf(holder) ?? -1;
      if (!list || at < 0) continue;
      list.holders.splice(at, 1);
      list.counts.splice(at, 1);
      if (list.holders.length === 0) this.#lists.delete(term);
    }
  }

  /** Occurrences by holder of terms that count as one, e.g. the forms of a word. */
  occurrences(terms: WeighedTerms): ReadonlyMap<Holder, number> {
    const found = new Map<Holder, number>();
    for (const [term, worth] of terms) {
      const { holders = [], counts = [] } = this.#lists.get(term) ?? {};
      for (const [index, holder] of holders.entries()) {
        found.set(holder, (found.get(holder) ?? 0) + worth * (counts[index] ?? 0));
      }
    }
    return found;
  }
}
