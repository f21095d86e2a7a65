/** Parallel work that does not wait forever for its slowest part. */

import { Cutoff, type Deadline, startDeadline } from './cutoff.ts';

/** One part: gets its own deadline, gives its result, and says whether that counts toward the quorum. */
export interface GatheredTask<Result> {
  /** Named in the message when it is cut off, e.g. `Nassim Taleb`. */
  readonly who: string;
  run(deadline: Pick<Deadline, 'signal' | 'pause'>): Promise<Result>;
  counts(result: Result): boolean;
}

export interface GatherLimits {
  /** For each task, from its own start; the time that it waits for its turn at a provider does not count. */
  readonly timeoutMs: number;
  readonly quorumShare: number;
  /** What the others still get once the quorum is there, counted in the same way. */
  readonly graceMs: number;
}

/**
 * Runs tasks in parallel as they are added. Once `close` has told how many there are and the
 * quorum of them has delivered, the rest gets the grace period and is then cut off as `late`.
 * Tasks turn a cut into a result of their own; what a task throws, `close` throws.
 */
export class Gathering<Result> {
  readonly #parent: AbortSignal;
  readonly #limits: GatherLimits;
  readonly #running = new Set<Deadline>();
  /** In the order of adding. */
  readonly #results = new Set<Promise<Result>>();
  #delivered = 0;
  #isClosed = false;
  #isInGrace = false;

  constructor(parent: AbortSignal, limits: GatherLimits) {
    this.#parent = parent;
    this.#limits = limits;
  }

  /**
   * Starts a task at once.
   *
   * @returns Takes the task back before `close`: it is cut off, and is as if it had never been added.
   */
  add(task: GatheredTask<Result>): (cutoff: Cutoff) => void {
    const deadline = startDeadline(this.#parent, this.#limits.timeoutMs, task.who);
    this.#running.add(deadline);
    const result = this.#run(task, deadline);
    // `close` throws the rejection; until then it must not count as unhandled.
    result.catch(() => undefined);
    this.#results.add(result);
    return (cutoff) => {
      this.#results.delete(result);
      this.#running.delete(deadline);
      deadline.cut(cutoff);
    };
  }

  /** Adds a result that is there already, e.g. from before a crash. */
  addResult(result: Result, counts: boolean): void {
    this.#results.add(Promise.resolve(result));
    if (counts) this.#delivered += 1;
  }

  /** No more tasks: waits for those that were added, in that order. */
  async close(): Promise<readonly Result[]> {
    this.#isClosed = true;
    this.#startGraceOnQuorum();
    return Promise.all(this.#results);
  }

  async #run(task: GatheredTask<Result>, deadline: Deadline): Promise<Result> {
    try {
      const result = await task.run(deadline);
      if (this.#running.has(deadline) && task.counts(result)) this.#delivered += 1;
      return result;
    } finally {
      deadline.clear();
      this.#running.delete(deadline);
      this.#startGraceOnQuorum();
    }
  }

  #startGraceOnQuorum(): void {
    if (!this.#isClosed || this.#isInGrace || this.#running.size === 0) return;
    if (this.#delivered < Math.ceil(this.#limits.quorumShare * this.#results.size)) return;
    this.#isInGrace = true;
    const late = 'Had not finished when the others had, and the council went on.';
    for (const deadline of this.#running) {
      deadline.shorten(this.#limits.graceMs, () => new Cutoff('late', late));
    }
  }
}

/**
 * Has each item give its result, side by side; what is known from before a crash is not asked again.
 *
 * @param from.who - Names an item where it is cut off.
 * @param from.ask - Gives a failure as its result, in the field `failure`.
 * @param from.tell - Gets each result as it is there, unless the turn has ended meanwhile: what a stop cut short is none.
 */
export async function gatherEach<Item, Result extends { readonly failure?: unknown }>(
  items: readonly Item[],
  from: {
    readonly signal: AbortSignal;
    readonly limits: GatherLimits;
    readonly who: (item: Item) => string;
    readonly earlier: (item: Item) => Result | undefined;
    readonly ask: (item: Item, deadline: Pick<Deadline, 'signal' | 'pause'>) => Promise<Result>;
    readonly tell: (result: Result) => void;
  },
): Promise<readonly Result[]> {
  const gathering = new Gathering<Result>(from.signal, from.limits);
  for (const item of items) {
    const earlier = from.earlier(item);
    if (earlier) {
      from.tell(earlier);
      gathering.addResult(earlier, !earlier.failure);
      continue;
    }
    gathering.add({
      who: from.who(item),
      counts: (result) => !result.failure,
      run: async (deadline) => {
        const result = await from.ask(item, deadline);
        from.signal.throwIfAborted();
        from.tell(result);
        return result;
      },
    });
  }
  return gathering.close();
}
