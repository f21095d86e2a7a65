/** Slack's refusals. Its other errors are those of every chat, see `platform-error.ts`. */

import {
  PlatformRefusal,
  RateLimitedError,
  SetupError,
  UnansweredError,
} from '../chat/pacing/platform-error.ts';

/**
 * The app was removed from the token's workspace. Other rejected tokens do not prove that: Slack also
 * answers `invalid_auth` to a mistyped token and to an address that is not allowed to call.
 */
export class SlackTokenWithdrawn extends SetupError {
  override readonly name = 'SlackTokenWithdrawn';
}

/** See {@link PlatformRefusal}; Slack answered `ok: false`. */
export class SlackRefusal extends PlatformRefusal {
  override readonly name = 'SlackRefusal';
  /** Slack's error code, e.g. `channel_not_found`, `missing_scope`. */
  readonly code: string;
  /** With `missing_scope`: the scope that is missing. */
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
      'is_inactive',
      'not_in_channel',
      'thread_not_found',
      'message_not_found',
      'restricted_action',
      'restricted_action_thread_locked',
      'restricted_action_read_only_channel',
      'restricted_action_non_threadable_channel',
      // The organisation has withdrawn its key.
      'ekm_access_denied',
      'cannot_reply_to_message',
      'team_access_not_granted',
    );
  }
}

/** Whether the same call may succeed later: Slack is down or rate limits the app. */
export function isTemporary(error: unknown): boolean {
  return error instanceof UnansweredError || error instanceof RateLimitedError;
}

/** Whether an error is Slack's refusal with one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly string[]): error is SlackRefusal {
  return error instanceof SlackRefusal && codes.includes(error.code);
}
