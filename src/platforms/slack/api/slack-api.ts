/** Slack's Web API over the official client. All of this platform's calls go through it. */

import {
  type Logger,
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import { networkReason } from '../../../domain/failure.ts';
import { within } from '../../../waiting.ts';
import { RateLimitedError, SetupError, UnansweredError } from '../../chat/pacing/platform-error.ts';
import { SlackRefusal, SlackTokenWithdrawn } from '../slack-error.ts';

/** Slack's whole response, including `ok: true`; each caller parses the part that it needs. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

/** What the client declares at a method's name, e.g. `chat.postMessage`; `unknown` for other names. */
type MethodAt<Group, Name> = Name extends `${infer First}.${infer Rest}`
  ? First extends keyof Group
    ? MethodAt<Group[First], Rest>
    : unknown
  : Name extends keyof Group
    ? Group[Name]
    : unknown;

/** A method's arguments, as the client declares them; `undefined` values are left out. */
export type SlackArguments<Name extends string> =
  MethodAt<WebClient, Name> extends (args: infer Args) => unknown ? Given<Args> : never;

/** The same with `undefined` for what is optional, and with constants as lists. */
type Given<Args> = Args extends unknown
  ? {
      readonly [Key in keyof Args]:
        | AsConstant<Args[Key]>
        | (Partial<Args> extends Pick<Args, Key> ? undefined : never);
    }
  : never;
type AsConstant<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** Calls methods with a workspace's bot token. Needs no connection for events. */
export interface SlackApi {
  /**
   * Makes one call without retries: only the caller knows whether the call is safe to repeat.
   *
   * @param team - The workspace whose token is used.
   * @param method - e.g. `chat.postMessage`.
   * @returns Rejects with `SlackRefusal`, `RateLimitedError` or `UnansweredError`, with
   *   `SetupError` when the token is no longer valid, and with the signal's reason.
   */
  call<Name extends string>(
    team: string,
    method: Name,
    args: SlackArguments<Name>,
    signal?: AbortSignal,
  ): Promise<SlackAnswer>;
}

export interface SlackWebApiOptions {
  /** Returns a workspace's bot token; rejects with `SetupError` where there is none. */
  readonly tokenOf: (team: string) => string | Promise<string>;
  /** Base address of the API, with a trailing slash. */
  readonly apiUrl: string;
  /** How long one call may take before it counts as unanswered. */
  readonly timeoutMs: number;
  /** Aborts requests in flight; absent: they run until their timeout, because Slack may carry them out anyway. */
  readonly signal?: AbortSignal;
  /** Slack does not accept a workspace's token. Not called for `auth.test`, which asks about just that. */
  readonly onTokenRefused?: (team: string) => void;
}

export function createSlackApi({
  tokenOf,
  apiUrl,
  timeoutMs,
  signal: end,
  onTokenRefused,
}: SlackWebApiOptions): SlackApi {
  // Not Bolt's client: Socket Mode needs its long retries to reconnect, but here they would post twice.
  const client = new WebClient(undefined, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    maxRequestConcurrency: maxConcurrent,
    timeout: timeoutMs,
    allowAbsoluteUrls: false,
    logger: silentLogger,
    slackApiUrl: apiUrl,
    ...(end && { fetch: (url, init) => fetch(url, endedBy(end, init)) }),
  });
  return {
    async call(team, method, args, signal) {
      signal?.throwIfAborted();
      const token = await tokenOf(team);
      const answered = client.apiCall(method, { ...args, token }).catch((error: unknown) => {
        const failure = failureOf(error, method);
        if (failure instanceof SetupError && method !== 'auth.test') onTokenRefused?.(team);
        throw failure;
      });
      return { ...(await (signal ? within(answered, { signal }) : answered)) };
    },
  };
}

function endedBy(end: AbortSignal, init: RequestInit = {}): RequestInit {
  return { ...init, signal: AbortSignal.any([end, ...(init.signal ? [init.signal] : [])]) };
}

/** High enough that calls of one channel never wait for those of another. */
const maxConcurrent = 1000;
/** Where Slack gives no time; its windows are one minute. */
const usualRetryAfterS = 60;

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

/** With these errors it is unknown whether Slack carried out the call, and a later one may succeed. */
const unknownOutcomeCodes: readonly string[] = [
  'fatal_error',
  'internal_error',
  'service_unavailable',
  'request_timeout',
  'update_failed',
  // For a while, as a channel is being shared with another organisation.
  'external_channel_migrating',
  // For hours, while a workspace is moved into an organisation.
  'team_added_to_org',
  'org_login_required',
];
const badTokenCodes: readonly string[] = ['invalid_auth', 'not_authed', 'token_expired'];
/** Errors for a token that was valid until the app was removed. */
const revokedTokenCodes: readonly string[] = ['account_inactive', 'token_revoked'];
const rateLimitCodes: readonly string[] = ['ratelimited', 'rate_limited', 'message_limit_exceeded'];
/** Anything else is the page of a proxy in between. */
const codeForm = /^[\w.:-]{1,100}$/;

function failureOf(error: unknown, method: string): Error {
  if (error instanceof WebAPIPlatformError) return refusalOf(error, method);
  if (error instanceof WebAPIRateLimitedError) return limited(method, error.retryAfter, error);
  if (error instanceof WebAPIHTTPError) {
    const { statusCode } = error;
    const refused = `Slack refused ${method}: HTTP ${statusCode}.`;
    return statusCode >= 500
      ? unanswered(method, `HTTP ${statusCode}`)
      : new SlackRefusal(refused, { code: `http_${statusCode}` });
  }
  // Other errors are the client's own, for a 429 without a time and for a response that broke off.
  const why =
    error instanceof WebAPIRequestError
      ? `${networkReason(error.original)}. Check that this machine can reach slack.com.`
      : 'the answer is incomplete';
  return unanswered(method, why, error);
}

function unanswered(method: string, why: string, cause?: unknown): UnansweredError {
  return new UnansweredError(`Slack did not answer ${method}: ${why}`, { cause });
}

function limited(method: string, seconds: number, cause: unknown): RateLimitedError {
  const sentence = `Slack rate limits ${method} for ${seconds} s.`;
  return new RateLimitedError(sentence, { retryAfterMs: seconds * 1000, cause });
}

function refusalOf(error: WebAPIPlatformError, method: string): Error {
  const { error: code, response_metadata } = error.data;
  if (!codeForm.test(code)) return unanswered(method, 'the answer is incomplete');
  if (unknownOutcomeCodes.includes(code)) return unanswered(method, code, error);
  if (rateLimitCodes.includes(code)) {
    return limited(method, response_metadata?.retryAfter ?? usualRetryAfterS, error);
  }
  if (revokedTokenCodes.includes(code)) {
    return new SlackTokenWithdrawn(rejectedToken(code), { cause: error });
  }
  if (badTokenCodes.includes(code)) return new SetupError(rejectedToken(code), { cause: error });
  const neededScope = 'needed' in error.data ? `${error.data.needed}` : undefined;
  const scope = neededScope === undefined ? '' : `, it wants the scope ${neededScope}`;
  return new SlackRefusal(`Slack refused ${method}: ${code}${scope}.`, {
    code,
    ...(neededScope === undefined ? {} : { neededScope }),
    cause: error,
  });
}

function rejectedToken(code: string): string {
  if (code === 'token_expired') {
    return 'The bot’s token has expired, because the app has token rotation on, which can’t be switched off again. Create the app again from config/slack-manifest.yaml, and use its tokens.';
  }
  return `Slack does not accept the bot’s token (${code}). Install the app in the workspace again (https://api.slack.com/apps → Install App), put the new token in SLACK_BOT_TOKEN if it is set there, and start again.`;
}
