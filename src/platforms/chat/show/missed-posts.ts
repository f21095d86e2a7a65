import type { Log } from '../../../domain/log.ts';

/**
 * What an error of a platform means: nothing more can be said in this place; this alone is refused;
 * nothing is answered, so it is tried again; the process is not let in any more.
 */
export type Failure = 'closed' | 'refused' | 'away' | 'shut out';

export interface TurnPostsOptions {
  readonly turnId: string;
  readonly log: Log;
  readonly failureOf: (error: unknown) => Failure | undefined;
}

/** What becomes of the messages of one turn. */
export class TurnPosts {
  readonly #options: TurnPostsOptions;
  #missed: Error | undefined;
  /** The channel or thread is gone or closed: nothing more can be posted. */
  #isLost = false;

  constructor(options: TurnPostsOptions) {
    this.#options = options;
  }

  /** Why the first message that is missing is not there; absent: all are. */
  get missed(): Error | undefined {
    return this.#missed;
  }

  /**
   * Posts to the right place or not at all: once it is closed, all that follows is left out.
   *
   * @returns What `post` gives; `undefined` when nothing can be posted. Rejects as `post` does otherwise.
   */
  async unlessLost<Result>(post: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#isLost) return undefined;
    try {
      return await post();
    } catch (error) {
      if (this.#options.failureOf(error) !== 'closed') throw error;
      this.#isLost = true;
      this.miss(error);
      return undefined;
    }
  }

  /** Something of the turn could not be shown: told in the log, and in the end to the people. */
  miss(error: unknown): void {
    const { turnId, log, failureOf } = this.#options;
    const level = failureOf(error) === undefined ? 'error' : 'warn';
    log[level]({ turnId, error }, 'a message of the turn could not be shown');
    this.#missed ??= error instanceof Error ? error : new Error('unknown');
  }
}
