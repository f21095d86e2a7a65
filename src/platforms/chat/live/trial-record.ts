/** What a trial has asked of a platform, and what it has made there and has to delete in the end. */

import { PlatformRefusal, SetupError, UnansweredError } from '../pacing/platform-error.ts';

/** What is refused before it is sent, so that the plainer form in its place is tried. */
export type Refused = 'nothing' | 'charts' | 'forms';

export interface TriedCall {
  /** As {@link Subject} reads it; never for the report. */
  readonly line: string;
  /** Absent: the platform took it. */
  readonly error?: Error;
}

export class TrialRecord {
  readonly calls: TriedCall[] = [];
  refusing: Refused = 'nothing';
  readonly #underWay = new Set<Promise<unknown>>();
  /** By id, oldest first. */
  readonly #made = new Map<string, { readonly kind: string; readonly remove: Remove }>();
  /** What could not be deleted, by id; it is not tried again. */
  readonly #left = new Map<string, string>();

  /** Makes a call and notes it. Limits of the platform are no refusal: such a call is made again. */
  async call<Answer>(name: string, sent: unknown, make: () => Promise<Answer>): Promise<Answer> {
    const line = `${this.refusing} ${name} ${JSON.stringify(sent) ?? ''}`;
    const made = make();
    this.#underWay.add(made);
    try {
      const answer = await made;
      this.calls.push({ line });
      return answer;
    } catch (error) {
      if (isSaid(error)) this.calls.push({ line, error });
      throw error;
    } finally {
      this.#underWay.delete(made);
    }
  }

  /** Resolves when no call is under way, whatever still waits for it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /**
   * @param kind - For people, e.g. `Message`.
   * @param remove - Resolves too where it is gone already.
   */
  made(kind: string, id: string, remove: Remove): void {
    this.#made.set(id, { kind, remove });
  }

  gone(id: string): void {
    this.#made.delete(id);
  }

  /** Of what is there. */
  ids(kind: string): readonly string[] {
    return [...this.#made].flatMap(([id, one]) => (one.kind === kind ? [id] : []));
  }

  /**
   * Deletes all that was made, newest first; each is tried once. Never rejects.
   *
   * @param look - Finds what is there and nothing was answered to.
   * @param mostLooks - What was cut off by the end of the trial may arrive later.
   * @returns What is left, for people.
   */
  async clear(look: () => Promise<unknown>, mostLooks = 1): Promise<readonly string[]> {
    for (let looks = 0; looks < mostLooks; looks += 1) {
      // Where nothing can be read, what is known is deleted.
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

/** Whether an error is what the platform said, and not e.g. the end of the trial. */
function isSaid(error: unknown): error is Error {
  return [PlatformRefusal, SetupError, UnansweredError].some((kind) => error instanceof kind);
}
