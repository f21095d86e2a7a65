import { createHash } from 'node:crypto';
import type { Clock } from '../world/clock.ts';
import type { Call, Route } from './route.ts';

/** So many requests in so long a time, counted from the first. */
interface Limit {
  readonly requests: number;
  readonly windowMs: number;
}

interface Window {
  used: number;
  endsAtMs: number;
}

/** A 429: which limit it comes from, and when to try again. */
export interface Limited {
  readonly scope: 'user' | 'shared' | 'global';
  readonly retryAfterMs: number;
}

/** What the headers of an answer say about the route's bucket. */
export interface BucketState {
  readonly bucket: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
  readonly resetAfterMs: number;
}

export interface RateLimitVerdict {
  readonly limited: Limited | undefined;
  readonly state: BucketState;
}

/** Observed on the real service and documented nowhere: a bot obeys the headers and relies on none of these. */
const limitsByRoute: Readonly<Record<string, Limit>> = {
  'POST /channels/{channel_id}/messages': { requests: 5, windowMs: 5000 },
  'PATCH /channels/{channel_id}/messages/{message_id}': { requests: 5, windowMs: 5000 },
  'DELETE /channels/{channel_id}/messages/{message_id}': { requests: 5, windowMs: 1000 },
  'POST /channels/{channel_id}/typing': { requests: 5, windowMs: 5000 },
  'POST /webhooks/{webhook_id}/{webhook_token}': { requests: 5, windowMs: 2000 },
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': {
    requests: 5,
    windowMs: 2000,
  },
};
const usualLimit: Limit = { requests: 50, windowMs: 1000 };
const globalLimit: Limit = { requests: 50, windowMs: 1000 };
/** All webhooks of a channel together; no header tells of it. */
const webhookPosts: Limit = { requests: 30, windowMs: 60_000 };
/** New names of one channel or thread; no header tells of it. */
const renames: Limit = { requests: 2, windowMs: 600_000 };

/** Edits of a channel's messages that are older than an hour. The real number is not known: this one is strict. */
const oldEdits: Limit = { requests: 3, windowMs: 3_600_000 };

/** The limits of a token, its routes and its channels. */
export interface RateLimits {
  isEnabled: boolean;
  /** Counts a request, and says whether it is one too many. */
  take(route: Route, call: Call, webhookChannelId: string | undefined): RateLimitVerdict;
  /** Counts an edit of an hour-old message. Milliseconds to wait, when it is one too many. */
  takeOldEdit(channelId: string): number | undefined;
}

export function createRateLimits(clock: Clock, isEnabled: boolean): RateLimits {
  const windows = new Map<string, Window>();

  const windowOf = (key: string, limit: Limit): Window => {
    const now = clock.now();
    const known = windows.get(key);
    if (known !== undefined && known.endsAtMs > now) return known;
    const opened = { used: 0, endsAtMs: now + limit.windowMs };
    windows.set(key, opened);
    return opened;
  };

  /** Milliseconds to wait, or `undefined` when the request is counted. */
  const use = (key: string, limit: Limit): number | undefined => {
    const window = windowOf(key, limit);
    if (window.used >= limit.requests) return window.endsAtMs - clock.now();
    window.used += 1;
    return undefined;
  };

  const check = (
    { access }: Route,
    call: Call,
    bucketKey: string,
    limit: Limit,
    webhookChannelId: string | undefined,
  ): Limited | undefined => {
    const globally = access === 'bot' ? use('global', globalLimit) : undefined;
    if (globally !== undefined) return { scope: 'global', retryAfterMs: globally };
    const inBucket = use(bucketKey, limit);
    if (inBucket !== undefined) return { scope: 'user', retryAfterMs: inBucket };
    const hidden =
      webhookChannelId !== undefined
        ? use(`webhooks ${webhookChannelId}`, webhookPosts)
        : isRename(call)
          ? use(`renames ${call.param('channel_id')}`, renames)
          : undefined;
    return hidden === undefined ? undefined : { scope: 'user', retryAfterMs: hidden };
  };

  const limits: RateLimits = {
    isEnabled,
    takeOldEdit: (channelId) =>
      limits.isEnabled ? use(`old edits ${channelId}`, oldEdits) : undefined,
    take: (route, call, webhookChannelId) => {
      const limit = limitsByRoute[call.route] ?? usualLimit;
      const bucket = bucketOf(call.route);
      const key = `${bucket} ${majorParameter(route, call)}`;
      const limited = limits.isEnabled
        ? check(route, call, key, limit, webhookChannelId)
        : undefined;
      const { used, endsAtMs } = windowOf(key, limit);
      return {
        limited,
        state: {
          bucket,
          limit: limit.requests,
          remaining: limit.requests - used,
          resetAtMs: endsAtMs,
          resetAfterMs: endsAtMs - clock.now(),
        },
      };
    },
  };
  return limits;
}

/** The name under which clients know a route's limit. */
export function bucketOf(route: string): string {
  return createHash('md5').update(route).digest('hex');
}

/** What splits a route's bucket: the channel, the guild, or the webhook with its token. */
function majorParameter({ path }: Route, call: Call): string {
  return ['channel_id', 'guild_id', 'webhook_id', 'webhook_token', 'interaction_id']
    .filter((name) => path.includes(`{${name}}`))
    .map((name) => call.param(name))
    .join(' ');
}

function isRename(call: Call): boolean {
  if (call.route !== 'PATCH /channels/{channel_id}') return false;
  const { rawBody } = call;
  return typeof rawBody === 'object' && rawBody !== null && 'name' in rawBody;
}
