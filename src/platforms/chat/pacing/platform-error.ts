/** Errors of chat platforms, by what a caller can do about them. A platform extends one where it knows more. */

import { networkReason } from '../../../domain/failure.ts';

/** The platform gave no answer or a broken one. The call may have been carried out. */
export class UnansweredError extends Error {
  override readonly name: string = 'UnansweredError';
}

/** The platform refused a call because of its rate limits. The call was not carried out. */
export class RateLimitedError extends Error {
  override readonly name: string = 'RateLimitedError';
  readonly retryAfterMs: number;
  /** The limit applies to the whole token, not to a channel, method or webhook. */
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

/** The platform understood a call and refused it. A retry would be refused too. */
export abstract class PlatformRefusal extends Error {
  /** The bot can't post here at all: the place, or the message to edit, is gone, closed, or forbidden. */
  abstract readonly closesPlace: boolean;
  /** Why it was refused and what helps, for people; `undefined`: only the message says. */
  abstract readonly why: string | undefined;
}

/** Why something could not be shown, for people. */
export function reasonFor(error: Error): string {
  return (error instanceof PlatformRefusal && error.why) || error.message;
}

/** The operator has to change something. The message says what; it never contains a token. */
export class SetupError extends Error {
  override readonly name: string = 'SetupError';
}

/** Returns `undefined` if the platform refuses, e.g. because the target is already gone. */
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

const reachWithinMs = 10_000;

/**
 * Asks the host of an address, which may be a socket's, for anything. Leaves out path and query, where the ticket of
 * a socket is.
 *
 * @throws {UnansweredError} if it gives no HTTP response at all.
 */
export async function reach(address: string, what: string): Promise<void> {
  const { origin, host } = new URL(address.replace(/^ws/, 'http'));
  await fetch(origin, { signal: AbortSignal.timeout(reachWithinMs) }).catch((error: Error) => {
    throw new UnansweredError(
      `${what} can't be reached: no answer from ${host} (${networkReason(error)}). Check that no proxy or firewall blocks it.`,
      { cause: error },
    );
  });
}
