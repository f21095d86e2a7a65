/** Discord's documented refusals that the fake can give: HTTP status, error code, message. */
const refusals = {
  notFound: [404, 0, '404: Not Found'],
  unauthorized: [401, 0, '401: Unauthorized'],
  unknownChannel: [404, 10_003, 'Unknown Channel'],
  unknownGuild: [404, 10_004, 'Unknown Guild'],
  unknownMember: [404, 10_007, 'Unknown Member'],
  unknownMessage: [404, 10_008, 'Unknown Message'],
  unknownUser: [404, 10_013, 'Unknown User'],
  unknownEmoji: [404, 10_014, 'Unknown Emoji'],
  unknownWebhook: [404, 10_015, 'Unknown Webhook'],
  unknownInteraction: [404, 10_062, 'Unknown interaction'],
  tooManyEmojis: [400, 30_008, 'Maximum number of emojis reached (2000)'],
  tooManyWebhooks: [400, 30_007, 'Maximum number of webhooks reached (15)'],
  alreadyAcknowledged: [400, 40_060, 'Interaction has already been acknowledged.'],
  tooManyServerWebhooks: [400, 30_058, 'Maximum number of webhooks per guild reached (1000)'],
  tooManyFollowUps: [400, 40_094, 'This interaction has reached the maximum number of follow ups'],
  missingAccess: [403, 50_001, 'Missing Access'],
  notYourMessage: [403, 50_005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50_006, 'Cannot send an empty message'],
  cannotMessageUser: [403, 50_007, 'Cannot send messages to this user'],
  notATextChannel: [400, 50_008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50_013, 'Missing Permissions'],
  systemMessage: [403, 50_021, 'Cannot execute action on a system message'],
  wrongChannelType: [400, 50_024, 'Cannot execute action on this channel type'],
  invalidWebhookToken: [401, 50_027, 'Invalid Webhook Token'],
  archivedThread: [400, 50_083, 'Thread is archived'],
  noMutualServer: [403, 50_278, 'Cannot send messages to this user due to having no mutual guilds'],
  invalidJson: [400, 50_109, 'The request body contains invalid JSON.'],
  replyNeedsHistory: [400, 160_002, 'Cannot reply without permission to read message history'],
  threadExists: [400, 160_004, 'A thread has already been created for this message'],
  twoFactorRequired: [403, 60_003, 'Two factor is required for this operation'],
  lockedThread: [400, 160_005, 'This thread is locked'],
  tooManyThreads: [400, 160_006, 'Maximum number of active threads reached'],
  titleBlocked: [400, 200_001, 'Title was blocked by automatic moderation'],
  forumNeedsThread: [
    400,
    220_001,
    'Webhooks posted to forum channels must have a thread_name or thread_id',
  ],
  threadNamedTwice: [
    400,
    220_002,
    'Webhooks posted to forum channels cannot have both a thread_name and thread_id',
  ],
  threadNameOutsideForum: [400, 220_003, 'Webhooks can only create threads in forum channels'],
} as const satisfies Record<string, readonly [status: number, code: number, message: string]>;

/** One thing that is wrong with a body: where, Discord's name for the mistake, a sentence. */
export interface FieldProblem {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

/** The `errors` of a 50035 answer: the path as nested objects, the problems under `_errors`. */
export interface FieldErrors {
  [field: string]: FieldErrors | { code: string; message: string }[];
}

/** A request that Discord would not do. Becomes the answer. */
export class DiscordError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: FieldErrors | undefined;
  /** When this is a 429: milliseconds until it may be tried again. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    code: number,
    message: string,
    details: { readonly errors?: FieldErrors; readonly retryAfterMs?: number } = {},
  ) {
    super(message);
    this.name = 'DiscordError';
    this.status = status;
    this.code = code;
    this.errors = details.errors;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** One of Discord's documented refusals, ready to throw. */
export function refusal(reason: keyof typeof refusals): DiscordError {
  const [status, code, message] = refusals[reason];
  return new DiscordError(status, code, message);
}

/** Discord's answer to one edit too many of messages that are older than an hour. */
export function tooManyOldEdits(retryAfterMs: number): DiscordError {
  const message = 'Maximum number of edits to messages older than 1 hour reached. Try again later.';
  return new DiscordError(429, 30_046, message, { retryAfterMs });
}

/** Discord's answer to a body that breaks its schema or its limits. */
export function invalidForm(problems: readonly FieldProblem[]): DiscordError {
  const errors: FieldErrors = {};
  for (const { path, code, message } of problems) {
    let node = errors;
    for (const key of path) {
      const next = node[key];
      const child: FieldErrors = next === undefined || Array.isArray(next) ? {} : next;
      node[key] = child;
      node = child;
    }
    const known = node._errors;
    node._errors = [...(Array.isArray(known) ? known : []), { code, message }];
  }
  return new DiscordError(400, 50_035, 'Invalid Form Body', { errors });
}
