/** Tells the time. Every limit, deadline and timestamp of the fake reads this and nothing else. */
export interface Clock {
  /** Milliseconds since the Unix epoch; never goes back. */
  now(): number;
}

/** A clock that can be moved forward, so that no test waits for an hour to pass. */
export interface AdjustableClock extends Clock {
  advance(milliseconds: number): void;
}

/** The real time plus whatever it was advanced by. Clients go on living in the real time. */
export function adjustableClock(source: () => number = Date.now): AdjustableClock {
  let offsetMs = 0;
  return {
    now: () => source() + offsetMs,
    advance: (milliseconds) => {
      if (milliseconds < 0) throw new RangeError('A clock cannot be moved back.');
      offsetMs += milliseconds;
    },
  };
}
