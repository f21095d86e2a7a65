import type { LogLine } from './program.ts';

/** A server that is back is not at once heard by everybody. */
const settlesMs = 5000;

/** Learns from the logs who works on what, and how long a turn waited for another process. */
export class TakeOvers {
  /** By turn, the process that works on it. */
  readonly #runBy = new Map<string, number>();
  /** By turn, when the process died that worked on it (ms since 1970). */
  readonly #orphans = new Map<string, number>();
  readonly #waits: { readonly from: number; readonly to: number }[] = [];
  /** When Redis was away, from and to (ms since 1970). */
  readonly #outages: { readonly from: number; readonly to: number }[] = [];

  hear({ turnId, pid, msg, time }: LogLine): void {
    if (turnId === undefined) return;
    if (msg === 'turn begun') {
      const orphanedAt = this.#orphans.get(turnId);
      if (orphanedAt !== undefined) this.#waits.push({ from: orphanedAt, to: time.getTime() });
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

  /** Redis was away between these moments. */
  redisWasAway(from: number, to: number): void {
    this.#outages.push({ from, to });
  }

  /**
   * From the death of a process to the moment at which another one took up its turn, shortest first.
   *
   * @param whileAway - Those in whose time Redis was away, or those in which it was there throughout.
   */
  waitsMs(whileAway: boolean): readonly number[] {
    return this.#waits
      .filter(
        (wait) =>
          this.#outages.some(({ from, to }) => from < wait.to && wait.from < to + settlesMs) ===
          whileAway,
      )
      .map(({ from, to }) => Math.max(0, to - from))
      .toSorted((one, other) => one - other);
  }
}
