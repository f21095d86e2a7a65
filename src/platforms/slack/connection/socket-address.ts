/** Asking Slack where a socket may be opened. */

import { WebAPIPlatformError } from '@slack/web-api';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { retry } from '../../../waiting.ts';
import { reconnectWaitMs } from '../../chat/pacing/back-off.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { SlackRateLimited, SlackSetupError } from '../slack-error.ts';

/** Slack's words for an app token that will not be accepted later either. */
const finalWords: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
  'missing_scope',
  'no_permission',
  'access_denied',
  'team_disabled',
  'user_removed_from_team',
]);

const openedSchema = z.object({ url: z.string() });

/**
 * Asks once.
 *
 * @param api - Calls with the app's token.
 * @throws {SlackSetupError} when that is not accepted; else as {@link SlackApi.call} does.
 */
export async function socketAddress(api: SlackApi, signal?: AbortSignal): Promise<string> {
  try {
    return openedSchema.parse(await api.call('app', 'apps.connections.open', {}, signal)).url;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const word = cause instanceof WebAPIPlatformError ? cause.data.error : '';
    throw finalWords.has(word) ? refusedAppToken(word) : error;
  }
}

/**
 * Asks until Slack names one. Socket Mode's own client would wait longer and longer, for hours after an outage
 * of hours, and would bring the process down when the token is no longer good.
 *
 * @param signal - Ends every wait; the promise then rejects with its reason.
 * @throws {SlackSetupError} when the token is not accepted.
 */
export function steadySocketAddress(api: SlackApi, log: Log, signal: AbortSignal): Promise<string> {
  return retry(
    () => socketAddress(api, signal),
    (failures, error) => {
      if (error instanceof SlackSetupError) return undefined;
      const askedForMs = error instanceof SlackRateLimited ? error.retryAfterMs : 0;
      const waitMs = Math.max(reconnectWaitMs(failures), askedForMs);
      const reason = error instanceof Error ? error.message : 'unknown';
      log.warn({ reason, waitMs }, 'Slack gave no socket address; trying again');
      return waitMs;
    },
    signal,
  );
}

function refusedAppToken(word: string): SlackSetupError {
  const wrong =
    word === 'missing_scope' || word === 'no_permission'
      ? 'SLACK_APP_TOKEN lacks the scope connections:write.'
      : `Slack does not accept SLACK_APP_TOKEN (${word}).`;
  return new SlackSetupError(
    `${wrong} Make a new one on your app’s page at api.slack.com/apps, under Basic Information, App-Level Tokens, with the scope connections:write; and see that Socket Mode is on.`,
  );
}
