/** Bolt's log, the errors after which it must not acknowledge an event, and the events that it is still handling. */

import {
  type AnyMiddlewareArgs,
  AuthorizationError,
  type Context,
  type Logger,
  type Middleware,
} from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import { SetupError } from '../../chat/pacing/platform-error.ts';
import { silentLogger } from '../api/slack-api.ts';

/**
 * Writes Bolt's warnings and errors to our log. Lower levels are dropped: debug lines contain whole
 * requests, and info lines report every path that a scanner tries.
 */
export function boltLog(log: Log): Logger {
  const factsIn = (words: readonly unknown[]) => ({
    error: words.find((word) => word instanceof Error),
    said: words.filter((word) => typeof word === 'string').join(' '),
  });
  return {
    ...silentLogger,
    warn: (...words: unknown[]) => log.warn(factsIn(words), 'Bolt warns'),
    error: (...words: unknown[]) => log.error(factsIn(words), 'Bolt reports an error'),
  };
}

/**
 * Whether Bolt skipped an event because its workspace could not be looked up, e.g. while the store is
 * down. Left unacknowledged, Slack delivers it again.
 */
export function isUndecided(error: Error): boolean {
  if (!(error instanceof AuthorizationError)) return false;
  let cause: unknown = error.original;
  while (cause instanceof Error) {
    // The app is not installed there, or its key is lost: redelivery would fail the same way.
    if (cause instanceof SetupError) return false;
    cause = 'original' in cause ? cause.original : cause.cause;
  }
  return true;
}

/** The workspace of an event; the organisation if the app is installed for all of it. */
export function teamIn({ teamId, enterpriseId, isEnterpriseInstall }: Context): string {
  const team = isEnterpriseInstall ? enterpriseId : teamId;
  if (!team) throw new Error('Slack did not say of which workspace an event is.');
  return team;
}

/** Events that were acknowledged and are still being handled. Slack won't redeliver them, so shutdown waits for them. */
export class PendingEvents {
  readonly #works = new Set<Promise<void>>();

  /** Register it before all listeners. */
  readonly middleware: Middleware<AnyMiddlewareArgs> = async ({ next }) => {
    const work = next();
    this.#works.add(work);
    await work.finally(() => this.#works.delete(work));
  };

  /** Waits until all of them are handled, for `withinMs` at most. */
  async settled(withinMs: number): Promise<void> {
    await within(Promise.allSettled(this.#works), { ms: withinMs });
  }
}
