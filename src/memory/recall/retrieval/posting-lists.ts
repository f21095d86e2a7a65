/** Posting lists for BM25: the documents that contain a term, by number, and how often. */

/** The documents that contain a term, by number and without repeats, and the term's count in each. */
interface Postings {
  readonly holders: number[];
  readonly counts: number[];
}

/** The occurrences of terms that count as one, e.g. the forms of a word. */
export type Occurrences = readonly {
  readonly postings: Readonly<Postings>;
  /** The weight of one occurrence. */
  readonly worth: number;
}[];

/** How many documents have these terms; one with several of them counts several times. */
export function holdersOf(terms: Occurrences): number {
  return terms.reduce((sum, { postings }) => sum + postings.holders.length, 0);
}

/** As measured on the heap, rounded up. */
const bytesOf = { term: 350, posting: 24 } as const;

/** Terms with the weight of one occurrence. */
export type WeighedTerms = readonly (readonly [term: string, worth: number])[];

export class PostingLists {
  /** How many terms each document has, repeats included, by its number. */
  readonly lengths: number[] = [];
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
    let length = 0;
    for (const [term, count] of terms) {
      length += count;
      const list = this.#lists.get(term);
      if (list) {
        list.holders.push(holder);
        list.counts.push(count);
      } else {
        this.#lists.set(term, { holders: [holder], counts: [count] });
        this.#newTerms.add(term);
      }
    }
    this.lengths[holder] = length;
  }

  remove(holder: number, terms: ReadonlyMap<string, number>): void {
    for (const term of terms.keys()) {
      const list = this.#lists.get(term);
      const at = list?.holders.indexOf(holder) ?? -1;
      if (!list || at < 0) continue;
      list.holders.splice(at, 1);
      list.counts.splice(at, 1);
      this.#postings -= 1;
      if (list.holders.length > 0) continue;
      this.#lists.delete(term);
      this.#newTerms.delete(term);
    }
  }

  occurrences(terms: WeighedTerms): Occurrences {
    return terms.flatMap(([term, worth]) => {
      const postings = this.#lists.get(term);
      return postings ? [{ postings, worth }] : [];
    });
  }
}
