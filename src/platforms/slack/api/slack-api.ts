/** Slack's Web API over its own client. Everything that this platform says or looks up goes through it. */

import {
  type Logger,
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import { within } from '../../../waiting.ts';
import {
  SlackRateLimited,
  SlackRefusal,
  SlackSetupError,
  SlackTokenWithdrawn,
  SlackUnanswered,
} from '../slack-error.ts';

/** What Slack answered, `ok: true` among it; each caller reads its own part of it with a schema. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

/** Calls methods in the name of a workspace's installation. Needs no connection for events. */
export interface SlackApi {
  /**
   * Makes one call, once: only the caller knows whether a second try could do harm.
   *
   * @param team - The workspace whose token is used.
   * @param method - e.g. `chat.postMessage`.
   * @param args - As Slack documents them; `undefined` values are left out.
   * @returns Rejects with `SlackRefusal`, `SlackRateLimited`, `SlackUnanswered`
   *   (see `slack-error.ts`), with `SlackSetupError` when the token is no longer good, and with the
   *   signal's reason.
   */
  call(
    team: string,
    method: string,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<SlackAnswer>;
}

export interface SlackWebApiOptions {
  /** The token of a workspace's installation; rejects with `SlackSetupError` where there is none. */
  readonly tokenOf: (team: string) => string | Promise<string>;
  /** Address of the API with a slash at its end; absent: Slack's own. */
  readonly apiUrl?: string;
  /** How long one call may take before it counts as unanswered. */
  readonly timeoutMs: number;
  /** Ends what is on its way; absent: it runs on until its timeout, because Slack may carry it out anyway. */
  readonly signal?: AbortSignal;
}

export function createSlackApi({
  tokenOf,
  apiUrl,
  timeoutMs,
  signal: end,
}: SlackWebApiOptions): SlackApi {
  // Not Bolt's client: its long retries are what keeps Socket Mode coming back, and would post twice here.
  const client = new WebClient(undefined, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    maxRequestConcurrency: maxConcurrent,
    timeout: timeoutMs,
    allowAbsoluteUrls: false,
    logger: silentLogger,
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    ...(end && { fetch: (url, init) => fetch(url, endedBy(end, init)) }),
  });
  return {
    async call(team, method, args, signal) {
      signal?.throwIfAborted();
      const token = await tokenOf(team);
      const answered = client.apiCall(method, { ...args, token }).then(answerOf, (error) => {
        throw failureOf(error, method);
      });
      return signal ? within(answered, { signal }) : answered;
    },
  };
}

function endedBy(end: AbortSignal, init: RequestInit = {}): RequestInit {
  return { ...init, signal: AbortSignal.any([end, ...(init.signal ? [init.signal] : [])]) };
}

/** Calls of one channel never wait for those of another. */
const maxConcurrent = 1000;
/** Where Slack names no time; its windows are as long. */
const usualRetryAfterMs = 60_000;

/** The client's errors say all that it would log. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.WARN,
  setName: () => undefined,
};

function answerOf(result: object): SlackAnswer {
  return { ...result };
}

/** Slack does not say with these whether the call was carried out. */
const unknownOutcomeCodes: readonly string[] = [
  'fatal_error',
  'internal_error',
  'service_unavailable',
  'request_timeout',
];
const badTokenCodes: readonly string[] = ['invalid_auth', 'not_authed', 'token_expired'];
/** What Slack says of a token that was good, where the app was taken out since. */
const revokedTokenCodes: readonly string[] = ['account_inactive', 'token_revoked'];
const rateLimitCodes: readonly string[] = ['ratelimited', 'rate_limited', 'message_limit_exceeded'];
/** Anything else in its place is a page from a proxy in between. */
const codeForm = /^[\w.:-]{1,100}$/;

function failureOf(error: unknown, method: string): unknown {
  if (error instanceof WebAPIPlatformError) return refusalOf(error, method);
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter * 1000;
    return new SlackRateLimited(`Slack takes no more ${method} for ${error.retryAfter} s.`, {
      retryAfterMs,
      cause: error,
    });
  }
  if (error instanceof WebAPIHTTPError) {
    const sentence = `Slack answered ${method} with HTTP ${error.statusCode}.`;
    return error.statusCode >= 500
      ? new SlackUnanswered(sentence)
      : new SlackRefusal(sentence, { code: `http_${error.statusCode}` });
  }
  if (error instanceof WebAPIRequestError) {
    const { message } = error.original;
    return new SlackUnanswered(`Slack did not answer ${method}: ${message}`, { cause: error });
  }
  // The client's own for a 429 without a time, and for an answer that broke off.
  return new SlackUnanswered(`Slack gave no whole answer to ${method}.`, { cause: error });
}

function refusalOf(error: WebAPIPlatformError, method: string): Error {
  const { error: code } = error.data;
  if (!codeForm.test(code)) return new SlackUnanswered(`Slack gave no whole answer to ${method}.`);
  if (unknownOutcomeCodes.includes(code))
    return new SlackUnanswered(`Slack failed at ${method} (${code}).`, { cause: error });
  if (rateLimitCodes.includes(code)) {
    const seconds = error.data.response_metadata?.retryAfter;
    const retryAfterMs = seconds === undefined ? usualRetryAfterMs : seconds * 1000;
    return new SlackRateLimited(`Slack takes no more ${method} at the moment (${code}).`, {
      retryAfterMs,
      cause: error,
    });
  }
  if (revokedTokenCodes.includes(code)) {
    return new SlackTokenWithdrawn(rejectedToken(code), { cause: error });
  }
  if (badTokenCodes.includes(code))
    return new SlackSetupError(rejectedToken(code), { cause: error });
  const neededScope = 'needed' in error.data ? `${error.data.needed}` : undefined;
  const scope = neededScope === undefined ? '' : `, it wants the scope ${neededScope}`;
  return new SlackRefusal(`Slack refused ${method}: ${code}${scope}.`, {
    code,
    ...(neededScope === undefined ? {} : { neededScope }),
    cause: error,
  });
}

function rejectedToken(code: string): string {
  return `Slack does not accept the bot’s token (${code}). Install the app in the workspace again (https://api.slack.com/apps → Install App), put the new token in SLACK_BOT_TOKEN if it stands there, and start again.`;
}
