/** What Bolt is told about events beyond its own options: where it logs, what it must not acknowledge, what is still in hand. */

import {
  type AnyMiddlewareArgs,
  AuthorizationError,
  type Context,
  type Logger,
  type Middleware,
} from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import { silentLogger } from '../api/slack-api.ts';
import { SlackSetupError } from '../slack-error.ts';

/**
 * Bolt's log as lines of ours. What it says below a warning is left out: its debug lines hold whole
 * requests, its others tell every address that a passer-by tried.
 */
export function boltLog(log: Log): Logger {
  const said = (words: readonly unknown[]) => ({
    error: words.find((word) => word instanceof Error),
    said: words.filter((word) => typeof word === 'string').join(' '),
  });
  return {
    ...silentLogger,
    warn: (...words: unknown[]) => log.warn(said(words), 'Bolt warns'),
    error: (...words: unknown[]) => log.error(said(words), 'Bolt reports an error'),
  };
}

/**
 * Whether Bolt left something alone only because its workspace could not be looked up, e.g. while the
 * store is away: it has not been acknowledged, and Slack tells it again if it is not.
 */
export function isUndecided(error: Error): boolean {
  if (!(error instanceof AuthorizationError)) return false;
  let cause: unknown = error.original;
  while (cause instanceof Error) {
    // The app is not there, or its key is lost: the next try would end the same way.
    if (cause instanceof SlackSetupError) return false;
    cause = 'original' in cause ? cause.original : cause.cause;
  }
  return true;
}

/** The workspace, or the organisation where the app is installed for all of it. */
export function teamIn({ teamId, enterpriseId, isEnterpriseInstall }: Context): string {
  const team = isEnterpriseInstall ? enterpriseId : teamId;
  if (!team) throw new Error('Slack did not say of which workspace an event is.');
  return team;
}

/**
 * What was acknowledged and is being worked on: Slack will not deliver it again, so that it must not
 * be lost when the process ends.
 */
export class PendingEvents {
  readonly #works = new Set<Promise<void>>();

  /** Goes before all listeners. */
  readonly middleware: Middleware<AnyMiddlewareArgs> = async ({ next }) => {
    const work = next();
    this.#works.add(work);
    await work.finally(() => this.#works.delete(work));
  };

  /** Waits until all of it is done, but no longer than so many milliseconds. */
  async settled(withinMs: number): Promise<void> {
    await within(Promise.allSettled(this.#works), { ms: withinMs });
  }
}
