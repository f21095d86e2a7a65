/** Slack's refusals, and how people are told of them. Its other errors are those of every chat, see `platform-error.ts`. */

import { faultWords } from '../../../commands/command.ts';
import { waitInWords } from '../../domain/words.ts';
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

  get why(): string | undefined {
    return this.neededScope === undefined
      ? closedPlaces.get(this.code.replace(/^(restricted_action)_.*/, '$1'))
      : `the app lacks the permission ${this.neededScope} in this workspace. A manager of the workspace can grant it by installing the app again.`;
  }

  get closesPlace(): boolean {
    // E.g. `restricted_action_read_only_channel`.
    if (this.code.startsWith('restricted_action')) return true;
    return isRefusal(
      this,
      'channel_not_found',
      'is_archived',
      'is_inactive',
      'not_in_channel',
      'thread_not_found',
      'message_not_found',
      // The organisation has withdrawn its key.
      'ekm_access_denied',
      'cannot_reply_to_message',
      'team_access_not_granted',
    );
  }
}

/** A person could not be shown an answer. Whatever it answers may be done. */
export class UnshownAnswer extends Error {
  override readonly name = 'UnshownAnswer';
}

/** Whether the same call may succeed later: Slack is down or rate limits the app. */
export function isTemporary(error: unknown): boolean {
  return error instanceof UnansweredError || error instanceof RateLimitedError;
}

/** Whether an error is Slack's refusal with one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly string[]): error is SlackRefusal {
  return error instanceof SlackRefusal && codes.includes(error.code);
}

const unshownWords =
  'I could not show you my answer. What you asked for may be done all the same, so have a look before you try again.';

/** Slack's error codes for a conversation that the app is not in. */
export const notMemberCodes = ['not_in_channel', 'channel_not_found'];
const notMemberWords = 'I am not in the conversation. Invite me with /invite, and ask again.';
/** By Slack's error code for a place in which the app can't post. */
const closedPlaces = new Map([
  ...notMemberCodes.map((code) => [code, notMemberWords] as const),
  ['is_archived', 'the channel is archived. Ask in another one.'],
  ['restricted_action', 'I may not post in the channel. Ask in another one.'],
]);

/**
 * Tells a person why something failed, without details that belong in the log.
 *
 * @param lost - What failed, without a full stop.
 */
export function failureWords(error: unknown, lost = 'That did not work'): string {
  if (error instanceof UnshownAnswer) return unshownWords;
  if (isRefusal(error, 'expired_trigger_id')) {
    return `${lost}: it took longer than the 3 seconds that Slack gives me (${error.code}). Try again.`;
  }
  if (error instanceof SlackRefusal) {
    return `${lost}: ${error.why ?? `Slack refused it (${error.code}).`}`;
  }
  if (error instanceof SetupError) return `${lost}: ${error.message}`;
  if (!isTemporary(error)) return faultWords;
  const waitMs = error instanceof RateLimitedError ? error.retryAfterMs : 0;
  return `${lost}: Slack did not accept it. Try again in ${waitInWords(waitMs)}.`;
}
