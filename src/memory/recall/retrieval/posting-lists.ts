/** Posting lists for BM25: the documents that contain a term, by number, and how often. */

/** The documents that contain a term, each once, and the term's count in each. */
export interface Occurrences {
  readonly holders: readonly number[];
  readonly counts: readonly number[];
}

interface Postings {
  readonly holders: number[];
  readonly counts: number[];
}

/** As measured on the heap, rounded up. */
const bytesOf = { term: 350, posting: 24 } as const;

const none: Occurrences = { holders: [], counts: [] };

/** Terms with the weight of one occurrence. */
export type WeighedTerms = readonly (readonly [term: string, worth: number])[];

export class PostingLists {
  readonly #lists = new Map<string, Postings>();
  #newTerms = new Set<string>();
  #postings = 0;

  /** Approximate memory use, including the vocabulary built from its terms. */
  get bytes(): number {
    return bytesOf.term * this.#lists.size + bytesOf.posting * this.#postings;
  }

  /** The number of distinct terms. */
  get size(): number {
    return this.#lists.size;
  }

  terms(): Iterable<string> {
    return this.#lists.keys();
  }

  /** The terms added since the last call. */
  takeNewTerms(): Iterable<string> {
    const taken = this.#newTerms;
    this.#newTerms = new Set();
    return taken;
  }

  add(holder: number, terms: ReadonlyMap<string, number>): void {
    this.#postings += terms.size;
    for (const [term, count] of terms) {
      const list = this.#lists.get(term);
      if (list) {
        list.holders.push(holder);
        list.counts.push(count);
      } else {
        this.#lists.set(term, { holders: [holder], counts: [count] });
        this.#newTerms.add(term);
      }
    }
  }

  remove(holder: number, terms: ReadonlyMap<string, number>): void {
    for (const term of terms.keys()) {
      const list = this.#lists.get(term);
      const at = list?.holders.indexOf(holder) ?? -1;
      if (!list || at < 0) continue;
      removeAt(list.holders, at);
      removeAt(list.counts, at);
      this.#postings -= 1;
      if (list.holders.length > 0) continue;
      this.#lists.delete(term);
      this.#newTerms.delete(term);
    }
  }

  /** The combined occurrences of terms, e.g. the forms of a word. */
  occurrences(terms: WeighedTerms): Occurrences {
    const [only, ...more] = terms;
    if (only === undefined) return none;
    if (more.length === 0) {
      const [term, worth] = only;
      const list = this.#lists.get(term) ?? none;
      return worth === 1 ? list : { ...list, counts: list.counts.map((count) => count * worth) };
    }
    const found = new Map<number, number>();
    for (const [term, worth] of terms) {
      const { holders, counts } = this.#lists.get(term) ?? none;
      for (let index = 0; index < holders.length; index += 1) {
        const holder = holders[index] ?? 0;
        found.set(holder, (found.get(holder) ?? 0) + worth * (counts[index] ?? 0));
      }
    }
    return { holders: [...found.keys()], counts: [...found.values()] };
  }
}

/** The first entry is removed most often, because the oldest documents expire; `shift` costs a tenth of `splice`. */
function removeAt(numbers: number[], at: number): void {
  if (at === 0) numbers.shift();
  else numbers.splice(at, 1);
}
