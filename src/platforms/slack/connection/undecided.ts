import { AuthorizationError } from '@slack/bolt';
import { SlackSetupError } from '../slack-error.ts';

/**
 * Whether Bolt left something alone only because its workspace could not be looked up, e.g. while the
 * store is away: it has not been acknowledged, and Slack tells it again if it is not.
 */
export function isUndecided(error: Error): boolean {
  if (!(error instanceof AuthorizationError)) return false;
  let cause: unknown = error.original;
  while (cause instanceof Error) {
    // The app is not there, or nobody has the key: it would be the same next time.
    if (cause instanceof SlackSetupError) return false;
    cause = 'original' in cause ? cause.original : cause.cause;
  }
  return true;
}
