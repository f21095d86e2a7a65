/** Records the calls of a trial, and what it created and has to delete. */

import { PlatformRefusal, SetupError, UnansweredError } from '../pacing/platform-error.ts';

/** What the trial refuses before sending, to try the simpler form that replaces it. */
export type Refused = 'nothing' | 'charts' | 'forms';

export interface TriedCall {
  /** Matched by {@link Subject}; never reported. */
  readonly line: string;
  /** Absent: the platform accepted it. */
  readonly error?: Error;
}

export class TrialRecord {
  readonly calls: TriedCall[] = [];
  refusing: Refused = 'nothing';
  readonly #inProgress = new Set<Promise<unknown>>();
  /** By id, oldest first. */
  readonly #made = new Map<string, { readonly kind: string; readonly remove: Remove }>();
  /** What could not be deleted, with the reason, by id; it is not retried. */
  readonly #left = new Map<string, string>();

  /** Makes a call and records it, unless it hit a rate limit, which is retried. */
  async call<Answer>(name: string, sent: unknown, make: () => Promise<Answer>): Promise<Answer> {
    const line = `${this.refusing} ${name} ${JSON.stringify(sent) ?? ''}`;
    const made = make();
    this.#inProgress.add(made);
    try {
      const answer = await made;
      this.calls.push({ line });
      return answer;
    } catch (error) {
      if (isFromPlatform(error)) this.calls.push({ line, error });
      throw error;
    } finally {
      this.#inProgress.delete(made);
    }
  }

  /**
   * Records something to delete.
   *
   * @param kind - For people, e.g. `Message`.
   * @param remove - Resolves also if it is already gone.
   */
  made(kind: string, id: string, remove: Remove): void {
    this.#made.set(id, { kind, remove });
  }

  /** Records a deletion. */
  gone(id: string): void {
    this.#made.delete(id);
  }

  /** Ids of what exists of a kind. */
  ids(kind: string): readonly string[] {
    return [...this.#made].flatMap(([id, one]) => (one.kind === kind ? [id] : []));
  }

  /**
   * Waits for calls in progress, then deletes everything that was created, newest first; tries each once. Never
   * rejects.
   *
   * @param look - Finds and records what was created by unanswered calls.
   * @param mostLooks - More than 1 if calls cut off by the end of the trial may still arrive.
   * @returns What is left, for people.
   */
  async clear(look: () => Promise<unknown>, mostLooks = 1): Promise<readonly string[]> {
    await Promise.allSettled(this.#inProgress);
    for (let looks = 0; looks < mostLooks; looks += 1) {
      // If nothing can be read, deletes what is known.
      await look().catch(() => undefined);
      const found = [...this.#made].filter(([id]) => !this.#left.has(id));
      if (found.length === 0) break;
      for (const [id, { kind, remove }] of found.toReversed()) {
        try {
          await remove();
          this.gone(id);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          this.#left.set(id, `${kind} ${id} is still there: ${why}`);
        }
      }
    }
    return [...this.#left.values()];
  }
}

type Remove = () => Promise<unknown>;

/** Whether an error came from the platform, and not e.g. from the end of the trial. */
function isFromPlatform(error: unknown): error is Error {
  return [PlatformRefusal, SetupError, UnansweredError].some((kind) => error instanceof kind);
}
