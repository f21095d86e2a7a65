import type { LogLine } from './program.ts';

/** From and to, in milliseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** How long a turn waited for another process. */
export interface TakeOver {
  readonly turnId: string;
  readonly waitMs: number;
  /** Redis was away in between; its coming back is what the wait counts from. */
  readonly wasRedisAway: boolean;
}

/**
 * Learns from the logs who works on what, and how long a turn waited for another process.
 *
 * A wait begins when the process dies that has the turn, that is, has taken it from the queue and
 * neither ended it nor put it off to a later try. It ends when another process takes the turn from
 * the queue. It counts from the last moment in between at which nobody could have taken it: while
 * Redis was away, or no worker was up.
 */
export class TakeOvers {
  /** By turn, the process that has it, since when. */
  readonly #held = new Map<string, { readonly pid: number; readonly since: number }>();
  /** By turn, when the process died that had it. */
  readonly #orphans = new Map<string, number>();
  readonly #deaths = new Map<number, number>();
  readonly #waits: (Span & { readonly turnId: string })[] = [];
  readonly #redisAway: Span[] = [];
  readonly #nobodyUp: Span[] = [];

  hear({ turnId, pid, msg, time }: LogLine): void {
    if (turnId === undefined) return;
    const at = time.getTime();
    const held = this.#held.get(turnId);
    // What a process said before it died may be read after what its follower says.
    if (held && held.since > at) return;
    if (msg === 'turn taken from the queue') {
      this.#take(turnId, pid, at);
      return;
    }
    const isLeft = msg === 'turn ended' || msg === 'turn is tried again';
    if (!isLeft || held?.pid !== pid) return;
    this.#held.delete(turnId);
    this.#orphans.delete(turnId);
  }

  #take(turnId: string, pid: number, at: number): void {
    const orphanedAt = this.#orphans.get(turnId);
    if (orphanedAt !== undefined) this.#waits.push({ turnId, from: orphanedAt, to: at });
    this.#held.set(turnId, { pid, since: at });
    const diedAt = this.#deaths.get(pid);
    if (diedAt === undefined) this.#orphans.delete(turnId);
    else this.#orphans.set(turnId, diedAt);
  }

  /** A process was killed at this moment. */
  killed(pid: number, at: number): void {
    this.#deaths.set(pid, at);
    for (const [turnId, held] of this.#held) if (held.pid === pid) this.#orphans.set(turnId, at);
  }

  /** Redis was away between these moments. */
  redisWasAway(from: number, to: number): void {
    this.#redisAway.push({ from, to });
  }

  /** No worker was up between these moments. */
  nobodyWasUp(from: number, to: number): void {
    this.#nobodyUp.push({ from, to });
  }

  /** Shortest first. */
  all(): readonly TakeOver[] {
    return this.#waits
      .map((wait) => {
        const away = this.#redisAway.filter((span) => overlap(span, wait));
        const hindered = [...away, ...this.#nobodyUp.filter((span) => overlap(span, wait))];
        const from = Math.max(wait.from, ...hindered.map(({ to }) => to));
        const waitMs = Math.max(0, wait.to - from);
        return { turnId: wait.turnId, waitMs, wasRedisAway: away.length > 0 };
      })
      .toSorted((one, other) => one.waitMs - other.waitMs);
  }
}

function overlap(one: Span, other: Span): boolean {
  return one.from < other.to && other.from < one.to;
}
