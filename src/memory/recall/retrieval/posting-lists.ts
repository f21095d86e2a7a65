/** Which documents hold a term, and how often: the lists that BM25 is computed from. Documents go by number. */

/** Documents by number, each once, with how often each has something. */
export interface Occurrences {
  readonly holders: readonly number[];
  readonly counts: readonly number[];
}

interface Postings {
  readonly holders: number[];
  readonly counts: number[];
}

/** As measured on the heap: rather too many than too few. */
const bytesOf = { term: 350, posting: 24 } as const;

const none: Occurrences = { holders: [], counts: [] };

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

  /** Occurrences of terms that count as one, e.g. the forms of a word. */
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

/** The oldest is what goes most often, and it stands first: from there it costs a tenth. */
function removeAt(numbers: number[], at: number): void {
  if (at === 0) numbers.shift();
  else numbers.splice(at, 1);
}
