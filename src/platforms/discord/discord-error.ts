/** Discord's refusals and their codes. Its other errors are those of every chat, see `platform-error.ts`. */

import { DiscordAPIError } from 'discord.js';
import { PlatformRefusal } from '../chat/pacing/platform-error.ts';

/** See {@link PlatformRefusal}. */
export class DiscordRefusal extends PlatformRefusal {
  override readonly name = 'DiscordRefusal';
  /** Discord's error code, e.g. 10003 for an unknown channel; 0 if it sent none. */
  readonly code: number;
  /** HTTP status, 400 to 499. */
  readonly status: number;
  readonly #said: string;
  constructor(
    message: string,
    facts: { code: number; status: number; said?: string; cause?: unknown },
  ) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.#said = facts.said ?? '';
  }

  /** The part of the message that may quote the refused request: shown to people, kept out of the log. */
  get said(): string {
    return this.#said;
  }

  get why(): string | undefined {
    return reasons.get(this.code);
  }

  get closesPlace(): boolean {
    return isRefusal(
      this,
      'unknownChannel',
      'unknownMessage',
      'missingAccess',
      'missingPermissions',
      'cannotMessageUser',
      'noMutualServer',
      'archivedThread',
      'lockedThread',
    );
  }
}

/** The error codes that Council handles. */
export const refusalCodes = {
  unknownChannel: 10003,
  unknownGuild: 10004,
  unknownMessage: 10008,
  unknownEmoji: 10014,
  unknownWebhook: 10015,
  missingAccess: 50001,
  cannotMessageUser: 50007,
  missingPermissions: 50013,
  invalidWebhookToken: 50027,
  invalidForm: 50035,
  alreadyAcknowledged: 40060,
  blockedByProxy: 40333,
  archivedThread: 50083,
  twoFactorRequired: 60003,
  noMutualServer: 50278,
  replyNeedsHistory: 160002,
  lockedThread: 160005,
  tooManyOldEdits: 30046,
  tooManyWebhooks: 30007,
  tooManyServerWebhooks: 30058,
  threadExists: 160004,
  tooManyThreads: 160006,
  tooManyAnnouncementThreads: 160007,
  titleBlocked: 200001,
} as const;

const closedWords = 'the thread is locked or closed. A moderator can open it again.';
/** By error code, for people. */
const reasons: ReadonlyMap<number, string> = new Map([
  [refusalCodes.unknownChannel, 'the channel or thread is gone.'],
  [
    refusalCodes.missingAccess,
    'I lack the permission View Channel there. A manager of the channel can grant it.',
  ],
  [
    refusalCodes.missingPermissions,
    'I lack a permission there: Send Messages, Send Messages in Threads or Create Public Threads. A manager of the channel can grant it.',
  ],
  [refusalCodes.archivedThread, closedWords],
  [refusalCodes.lockedThread, closedWords],
]);

/** Whether Discord refused a request, by whichever client, with one of these codes. */
export function isRefusal(
  error: unknown,
  ...names: readonly (keyof typeof refusalCodes)[]
): boolean {
  return (
    (error instanceof DiscordRefusal || error instanceof DiscordAPIError) &&
    names.some((name) => refusalCodes[name] === error.code)
  );
}

/** For `catch`: returns `meaning` for a refusal with one of these codes and rethrows any other error. */
export function onRefusal<Meaning>(
  meaning: Meaning,
  ...names: readonly (keyof typeof refusalCodes)[]
): (error: unknown) => Meaning {
  return (error) => {
    if (isRefusal(error, ...names)) return meaning;
    throw error;
  };
}
