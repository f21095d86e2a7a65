/** Outlasts an outage of Discord that is longer than a request is tried for. */

import type { Log } from '../../../domain/log.ts';
import { UndeliveredError } from '../../platform.ts';
import { DiscordSetupError, DiscordUnanswered } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';

export interface Outage {
  readonly rest: DiscordRest;
  /** Waits before each further attempt. */
  readonly outageWaitsMs: readonly number[];
  readonly log: Log;
  readonly turnId: string;
}

/**
 * Attempts something until Discord answers.
 *
 * @param attempt - Told whether it was attempted before: then part of it may have been done, long enough
 *   ago for Discord to have forgotten its nonce, so it has to look.
 * @throws What `attempt` throws, but {UndeliveredError} when no answer comes, or the token is not valid.
 */
export async function outlast<Result>(
  attempt: (isAgain: boolean) => Promise<Result>,
  { rest, outageWaitsMs, log, turnId }: Outage,
): Promise<Result> {
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await attempt(attempts > 0);
    } catch (error) {
      const waitMs = outageWaitsMs[attempts];
      if (error instanceof DiscordSetupError) throw undelivered(error);
      if (!(error instanceof DiscordUnanswered)) throw error;
      if (waitMs === undefined) throw undelivered(error);
      log.warn({ turnId, error }, 'Discord does not answer; what the turn says waits');
      await rest.backOff(waitMs);
    }
  }
}

function undelivered(cause: Error): UndeliveredError {
  return new UndeliveredError(`What the turn says could not be posted. ${cause.message}`, {
    cause,
  });
}
