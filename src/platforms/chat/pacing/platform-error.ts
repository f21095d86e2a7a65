/** Errors that every chat platform has, by what a caller can do about them. Each platform's own are kinds of these. */

/** No answer came, or a broken one: the call may have been carried out or not. */
export class UnansweredError extends Error {
  override readonly name: string = 'UnansweredError';
}

/** The platform refused a call because of its limits; nothing was done. */
export class RateLimitedError extends Error {
  override readonly name: string = 'RateLimitedError';
  readonly retryAfterMs: number;
  /** The limit of the whole token, and not of one channel, method or webhook. */
  readonly isGlobal: boolean;
  constructor(
    message: string,
    facts: { retryAfterMs: number; isGlobal?: boolean; cause?: unknown },
  ) {
    super(message, { cause: facts.cause });
    this.retryAfterMs = facts.retryAfterMs;
    this.isGlobal = facts.isGlobal ?? false;
  }
}

/** The platform understood a call and said no. Asking again changes nothing. */
export abstract class PlatformRefusal extends Error {
  /** Nothing more can be said in this place, however plainly: it is gone, closed, or not allowed. */
  abstract readonly closesPlace: boolean;
}

/** The operator has to change something. The message says what; it never holds a token. */
export class SetupError extends Error {
  override readonly name: string = 'SetupError';
}

/** For what is refused where it is gone already, or not ours. */
export async function unlessRefused<Result>(
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformRefusal) return undefined;
    throw error;
  }
}
