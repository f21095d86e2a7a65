/** Which documents hold a term, and how often: the lists that BM25 is computed from. Documents go by number. */

/** The documents that hold a term, by number, each once; and how often each of them holds it. */
interface Postings {
  readonly holders: number[];
  readonly counts: number[];
}

/** Terms that count as one, e.g. the forms of a word. */
export type Occurrences = readonly {
  readonly postings: Readonly<Postings>;
  /** What one occurrence counts for. */
  readonly worth: number;
}[];

/** As measured on the heap: rather too many than too few. */
const bytesOf = { term: 350, posting: 24 } as const;

/** Terms with what one occurrence of each counts for. */
export type WeighedTerms = readonly (readonly [term: string, worth: number])[];

export class PostingLists {
  readonly #lists = new Map<string, Postings>();
  #newTerms = new Set<string>();
  #postings = 0;

  /** About how much room it takes, with all that is made of its terms elsewhere. */
  get bytes(): number {
    return bytesOf.term * this.#lists.size + bytesOf.posting * this.#postings;
  }

  /** How many different terms there are. */
  get size(): number {
    return this.#lists.size;
  }

  terms(): Iterable<string> {
    return this.#lists.keys();
  }

  /** The terms that were not there when this was last asked for. */
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

  occurrences(terms: WeighedTerms): Occurrences {
    return terms.flatMap(([term, worth]) => {
      const postings = this.#lists.get(term);
      return postings ? [{ postings, worth }] : [];
    });
  }
}

/** The oldest is what goes most often, and it stands first: from there it costs a tenth. */
function removeAt(numbers: number[], at: number): void {
  if (at === 0) numbers.shift();
  else numbers.splice(at, 1);
}
