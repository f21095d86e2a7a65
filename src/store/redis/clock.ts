import { retentionMsOf } from '../retention.ts';

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
  /**
   * What was made before this moment (ms since 1970) has expired, and what time it is, by which a
   * script tells whether a workspace keeps things for less long: `<kept since> <now>`.
   */
  keeping(): string;
}

/** Throws a RangeError for a retention of no time. */
export function clockOf({ retentionDays, now = Date.now }: Keeping): Clock {
  const retentionMs = retentionMsOf(retentionDays);
  return {
    now,
    keeping: () => {
      const time = now();
      return `${Math.max(time - retentionMs, Number.MIN_SAFE_INTEGER)} ${time}`;
    },
  };
}
