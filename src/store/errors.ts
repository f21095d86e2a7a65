/** What a store throws, beside a RangeError for what it was asked wrongly. */

/** The turn was taken by somebody else in the meantime, or has ended: give it up, write nothing more. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
  constructor(turnId: string) {
    super(`Turn ${turnId} is run by somebody else by now, or has ended. Nothing was written.`);
  }
}

/** The store can't be used. The message is for the operator: what is wrong with which file or server, and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly reason:
    | 'corrupt'
    | 'read_only'
    | 'full'
    | 'in_use'
    | 'too_new'
    | 'refused'
    | 'unreachable';
  constructor(message: string, facts: { reason: StoreError['reason']; cause?: unknown }) {
    super(message, { cause: facts.cause });
    this.reason = facts.reason;
  }
}
