/** What each platform allows. Obeying its Retry-After comes first: these keep it from being needed. */

export type CallKind =
  | 'post'
  | 'edit'
  /** What a message is to show in the end; room is kept for it. */
  | 'last_edit'
  | 'webhook_post'
  | 'webhook_edit'
  /** A message that grows begins, and is there from then on. */
  | 'stream_start'
  | 'stream_append'
  | 'stream_stop';

/**
 * Whose calls a limit counts together. Both `everything` and `method` count all calls of these kinds
 * wherever they go; a refusal says nothing of `everything`, but holds back all calls of its `method`.
 */
export type CallScope = 'everything' | 'method' | 'channel' | 'thread' | 'webhook';

/** So many calls in any span of so long a time. */
export interface CallLimit {
  readonly of: readonly CallKind[];
  /** Each channel, thread or webhook has its own count. */
  readonly per: CallScope;
  readonly calls: number;
  readonly windowMs: number;
  /** `observed`: the platform promises nothing, and may change it. */
  readonly basis: 'documented' | 'observed';
}

export interface PacingLimits {
  readonly calls: readonly CallLimit[];
  /** From the end of one edit of a message to the beginning of its next. */
  readonly editGapMs: number;
}

const ofBot: readonly CallKind[] = ['post', 'edit'];
const ofWebhook: readonly CallKind[] = ['webhook_post', 'webhook_edit'];

/**
 * A thread is a channel of its own to Discord, but its webhook is its parent channel's. What a webhook
 * does is counted for the address that it comes from, and not for the bot.
 */
export const discordLimits = {
  calls: [
    { of: ofBot, per: 'everything', calls: 50, windowMs: 1000, basis: 'documented' },
    { of: ofWebhook, per: 'everything', calls: 50, windowMs: 1000, basis: 'documented' },
    { of: ['post'], per: 'thread', calls: 5, windowMs: 5000, basis: 'observed' },
    { of: ['edit'], per: 'thread', calls: 5, windowMs: 5000, basis: 'observed' },
    { of: ['webhook_post'], per: 'webhook', calls: 5, windowMs: 2000, basis: 'observed' },
    { of: ['webhook_edit'], per: 'webhook', calls: 5, windowMs: 2000, basis: 'observed' },
    { of: ['webhook_post'], per: 'channel', calls: 30, windowMs: 60_000, basis: 'observed' },
  ],
  editGapMs: 1500,
} as const satisfies PacingLimits;

/**
 * Slack counts posts by channel, whatever the thread, and all else by method for the whole
 * workspace. What is shown of work in progress is spread evenly over the minute that Slack counts
 * by, so that it does not stand still at its end. A pacer with these is for one workspace.
 */
export const slackLimits = {
  calls: [
    { of: ['post'], per: 'channel', calls: 1, windowMs: 1000, basis: 'documented' },
    // “Several hundred” is all that Slack says. A refused post holds back its channel, and no other.
    { of: ['post'], per: 'everything', calls: 300, windowMs: 60_000, basis: 'observed' },
    // Less than Slack allows: turns that begin later will want to show their ends as well.
    { of: ['edit'], per: 'method', calls: 5, windowMs: 20_000, basis: 'observed' },
    { of: ['edit', 'last_edit'], per: 'method', calls: 50, windowMs: 60_000, basis: 'documented' },
    { of: ['stream_start'], per: 'channel', calls: 1, windowMs: 1000, basis: 'observed' },
    { of: ['stream_start'], per: 'method', calls: 20, windowMs: 60_000, basis: 'documented' },
    { of: ['stream_append'], per: 'method', calls: 8, windowMs: 5000, basis: 'documented' },
    { of: ['stream_stop'], per: 'method', calls: 20, windowMs: 60_000, basis: 'documented' },
  ],
  editGapMs: 1500,
} as const satisfies PacingLimits;
