import type { LogLine } from './program.ts';

/** Learns from the logs who works on what, and how long a turn waited for another process. */
export class TakeOvers {
  /** By turn, the process that works on it. */
  readonly #runBy = new Map<string, number>();
  /** By turn, when the process died that worked on it (ms since 1970). */
  readonly #orphans = new Map<string, number>();
  readonly #waitsMs: number[] = [];

  hear({ turnId, pid, msg, time }: LogLine): void {
    if (turnId === undefined) return;
    if (msg === 'turn begun') {
      const orphanedAt = this.#orphans.get(turnId);
      if (orphanedAt !== undefined) this.#waitsMs.push(Math.max(0, time.getTime() - orphanedAt));
      this.#orphans.delete(turnId);
      this.#runBy.set(turnId, pid);
    }
    if (msg === 'turn ended' && this.#runBy.get(turnId) === pid) this.#runBy.delete(turnId);
  }

  /** A process was killed at this moment. */
  killed(pid: number, at: number): void {
    for (const [turnId, runner] of this.#runBy) {
      if (runner !== pid) continue;
      this.#orphans.set(turnId, at);
      this.#runBy.delete(turnId);
    }
  }

  /** From the death of a process to the moment at which another one took up its turn, shortest first. */
  get waitsMs(): readonly number[] {
    return this.#waitsMs.toSorted((one, other) => one - other);
  }
}
