const dayMs = 86_400_000;

/** How long what was said is kept, and what time it is. */
export interface Keeping {
  /** Days, above 0, after which turns and messages are gone. Absent: they are kept. */
  readonly retentionDays?: number;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** The time as the scripts take it. */
export interface Clock {
  now(): number;
  /** What was made before this moment (ms since 1970) has expired; as text. */
  keptSince(): string;
}

/** Throws a RangeError for a retention of no time. */
export function clockOf({ retentionDays, now = Date.now }: Keeping): Clock {
  const retentionMs = (retentionDays ?? Number.POSITIVE_INFINITY) * dayMs;
  if (!(retentionMs > 0)) {
    throw new RangeError(`retentionDays is ${retentionDays}. Write a number above 0.`);
  }
  return {
    now,
    keptSince: () => String(Math.max(now() - retentionMs, Number.MIN_SAFE_INTEGER)),
  };
}

/** Days since 1970 in UTC. */
export function utcDay(milliseconds: number): number {
  return Math.floor(milliseconds / dayMs);
}
