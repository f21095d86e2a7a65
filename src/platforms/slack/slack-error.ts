/** Errors of Slack, by what a caller can do about them. */

import {
  PlatformRefusal,
  RateLimitedError,
  SetupError,
  UnansweredError,
} from '../chat/pacing/platform-error.ts';

/** See {@link SetupError}. */
export class SlackSetupError extends SetupError {
  override readonly name: string = 'SlackSetupError';
}

/**
 * The app is not in the workspace any more that a token was given for. Any other refusal of a token
 * is none: `invalid_auth` comes for one that was mistyped as well, and for an address that may not call.
 */
export class SlackTokenWithdrawn extends SlackSetupError {
  override readonly name = 'SlackTokenWithdrawn';
}

/** See {@link PlatformRefusal}; it came with `ok: false`. */
export class SlackRefusal extends PlatformRefusal {
  override readonly name = 'SlackRefusal';
  /** Slack's own word, e.g. `channel_not_found`, `missing_scope`. */
  readonly code: string;
  /** With `missing_scope`: the scope that it wants. */
  readonly neededScope: string | undefined;
  constructor(message: string, facts: { code: string; neededScope?: string; cause?: unknown }) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.neededScope = facts.neededScope;
  }

  get closesPlace(): boolean {
    return isRefusal(
      this,
      'channel_not_found',
      'is_archived',
      'not_in_channel',
      'thread_not_found',
      'message_not_found',
      'restricted_action',
      'restricted_action_thread_locked',
      'restricted_action_read_only_channel',
      'cannot_reply_to_message',
      'team_access_not_granted',
    );
  }
}

/** See {@link RateLimitedError}. */
export class SlackRateLimited extends RateLimitedError {
  override readonly name = 'SlackRateLimited';
}

/** See {@link UnansweredError}. */
export class SlackUnanswered extends UnansweredError {
  override readonly name = 'SlackUnanswered';
}

/** Whether Slack may do later what it does not do now: it is away, over its limits, or does not know the app any more. */
export function isUnavailable(error: unknown): error is Error {
  return (
    error instanceof SlackUnanswered ||
    error instanceof SlackRateLimited ||
    error instanceof SlackSetupError
  );
}

/** Whether an error is Slack's refusal with one of these words. */
export function isRefusal(error: unknown, ...codes: readonly string[]): error is SlackRefusal {
  return error instanceof SlackRefusal && codes.includes(error.code);
}
