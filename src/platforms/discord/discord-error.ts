/** Errors of Discord, by what a caller can do about them. */

import {
  PlatformRefusal,
  RateLimitedError,
  SetupError,
  UnansweredError,
} from '../chat/pacing/platform-error.ts';

/** See {@link SetupError}. */
export class DiscordSetupError extends SetupError {
  override readonly name = 'DiscordSetupError';
}

/** See {@link PlatformRefusal}. */
export class DiscordRefusal extends PlatformRefusal {
  override readonly name = 'DiscordRefusal';
  /** Discord's own code, e.g. 10003 for an unknown channel; 0 where it gave none. */
  readonly code: number;
  /** HTTP status, 400 to 499. */
  readonly status: number;
  readonly #said: string;
  constructor(message: string, facts: { code: number; status: number; said?: string }) {
    super(message);
    this.code = facts.code;
    this.status = facts.status;
    this.#said = facts.said ?? '';
  }

  /** What of the message may quote what was refused: for people, and not for the log. */
  get said(): string {
    return this.#said;
  }

  get closesPlace(): boolean {
    return isRefusal(
      this,
      'unknownChannel',
      'missingAccess',
      'missingPermissions',
      'archivedThread',
      'lockedThread',
    );
  }
}

/** See {@link UnansweredError}. */
export class DiscordUnanswered extends UnansweredError {
  override readonly name = 'DiscordUnanswered';
}

/** See {@link RateLimitedError}. */
export class DiscordRateLimited extends RateLimitedError {
  override readonly name = 'DiscordRateLimited';
  constructor(facts: { retryAfterMs: number; isGlobal: boolean }) {
    super(`Discord takes no such request for ${Math.ceil(facts.retryAfterMs / 1000)} s.`, facts);
  }
}

/** Discord's codes that this project decides by. */
export const refusalCodes = {
  unknownChannel: 10003,
  unknownGuild: 10004,
  unknownMessage: 10008,
  unknownEmoji: 10014,
  wrongChannelType: 50024,
  unknownWebhook: 10015,
  missingAccess: 50001,
  missingPermissions: 50013,
  invalidWebhookToken: 50027,
  invalidForm: 50035,
  archivedThread: 50083,
  lockedThread: 160005,
  tooManyOldEdits: 30046,
  tooManyWebhooks: 30007,
  threadExists: 160004,
  titleBlocked: 200001,
} as const;

/** Whether an error is Discord's refusal with one of these codes. */
export function isRefusal(
  error: unknown,
  ...names: readonly (keyof typeof refusalCodes)[]
): error is DiscordRefusal {
  return error instanceof DiscordRefusal && names.some((name) => refusalCodes[name] === error.code);
}

/** For `catch`: what a refusal with one of these codes means here; any other error is thrown again. */
export function onRefusal<Meaning>(
  meaning: Meaning,
  ...names: readonly (keyof typeof refusalCodes)[]
): (error: unknown) => Meaning {
  return (error) => {
    if (isRefusal(error, ...names)) return meaning;
    throw error;
  };
}
