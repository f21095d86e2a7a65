/** Runs parallel tasks until a quorum has delivered and a grace period is over. */

import { type CallDeadline, Cutoff, type Deadline, startDeadline } from './cutoff.ts';

/** A task with its own deadline. */
export interface GatheredTask<Result> {
  /** Named in the message when it is cut off, e.g. `Nassim Taleb`. */
  readonly who: string;
  run(deadline: CallDeadline): Promise<Result>;
  /** Whether the result counts toward the quorum. */
  counts(result: Result): boolean;
}

export interface GatherLimits {
  /** For each task from its start, without the time it waits for a provider's permit. */
  readonly timeoutMs: number;
  readonly quorumShare: number;
  /** The time left for the others once the quorum is reached and they have run as long as its slowest, counted alike. */
  readonly graceMs: number;
}

/**
 * Runs tasks in parallel as they are added. After `close`, and once a quorum of all tasks has delivered, the others
 * get the grace period and are then cut off as `late`. A task turns the cutoff into a result; `close` rethrows the
 * error of a task.
 */
export class Gathering<Result> {
  readonly #parent: AbortSignal;
  readonly #limits: GatherLimits;
  readonly #running = new Set<Deadline>();
  /** In the order in which they were added. */
  readonly #results = new Set<Promise<Result>>();
  #delivered = 0;
  #slowestMs = 0;
  #isClosed = false;
  #isInGrace = false;

  constructor(parent: AbortSignal, limits: GatherLimits) {
    this.#parent = parent;
    this.#limits = limits;
  }

  /**
   * Starts a task at once.
   *
   * @returns A function that cuts the task off and removes it as if it had never been added; call it before `close`.
   */
  add(task: GatheredTask<Result>): (cutoff: Cutoff) => void {
    const deadline = startDeadline(this.#parent, this.#limits.timeoutMs, task.who);
    this.#running.add(deadline);
    const result = this.#run(task, deadline);
    // `close` throws the rejection; until then it must not be reported as unhandled.
    result.catch(() => undefined);
    this.#results.add(result);
    return (cutoff) => {
      this.#results.delete(result);
      this.#running.delete(deadline);
      deadline.cut(cutoff);
    };
  }

  /** Adds an existing result, e.g. from before a crash. */
  addResult(result: Result, counts: boolean): void {
    this.#results.add(Promise.resolve(result));
    if (counts) this.#delivered += 1;
  }

  /** Accepts no more tasks, and returns the results in the order of adding. */
  async close(): Promise<readonly Result[]> {
    this.#isClosed = true;
    this.#startGraceOnQuorum();
    return Promise.all(this.#results);
  }

  async #run(task: GatheredTask<Result>, deadline: Deadline): Promise<Result> {
    try {
      const result = await task.run(deadline);
      if (this.#running.has(deadline) && task.counts(result)) {
        this.#delivered += 1;
        this.#slowestMs = Math.max(this.#slowestMs, deadline.usedMs());
      }
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
    const late = 'Had not finished when the others had, so the council continued.';
    for (const deadline of this.#running) {
      const behindMs = Math.max(0, this.#slowestMs - deadline.usedMs());
      deadline.shorten(behindMs + this.#limits.graceMs, () => new Cutoff('late', late));
    }
  }
}

/**
 * Asks for the result of each item in parallel, except for results from before a crash.
 *
 * @param from.who - Names an item in the message of a timeout.
 * @param from.earlier - Returns a result from before a crash.
 * @param from.ask - Returns a failure in the field `failure`.
 * @param from.onResult - Gets each result when it's complete, unless the turn was stopped meanwhile.
 */
export async function gatherEach<Item, Result extends { readonly failure?: unknown }>(
  items: readonly Item[],
  from: {
    readonly signal: AbortSignal;
    readonly limits: GatherLimits;
    readonly who: (item: Item) => string;
    readonly earlier: (item: Item) => Result | undefined;
    readonly ask: (item: Item, deadline: CallDeadline) => Promise<Result>;
    readonly onResult: (result: Result) => void;
  },
): Promise<readonly Result[]> {
  const gathering = new Gathering<Result>(from.signal, from.limits);
  for (const item of items) {
    const earlier = from.earlier(item);
    if (earlier) {
      from.onResult(earlier);
      gathering.addResult(earlier, !earlier.failure);
      continue;
    }
    gathering.add({
      who: from.who(item),
      counts: (result) => !result.failure,
      run: async (deadline) => {
        const result = await from.ask(item, deadline);
        from.signal.throwIfAborted();
        from.onResult(result);
        return result;
      },
    });
  }
  return gathering.close();
}
