/** Decorators of {@link SlackApi}: retries, cancellation and ownership checks; and Slack's rate limits. */

import { retry } from '../../../waiting.ts';
import { backOff, untilAnswered } from '../../chat/pacing/back-off.ts';
import type { PacingLimits } from '../../chat/pacing/call-ledger.ts';
import { RateLimitedError } from '../../chat/pacing/platform-error.ts';
import {
  changeWhileHeld,
  type HeldTurn,
  type LatePosts,
  sayWhileHeld,
} from '../../chat/show/turn-posts.ts';
import type { SentPost } from './late-posts.ts';
import type { SlackAnswer, SlackApi } from './slack-api.ts';

/**
 * Retries calls that get no answer. Only for calls that are safe to repeat.
 *
 * @param waitsMs - Before each retry.
 * @param signal - Ends the waits.
 */
export function withRetries(
  api: SlackApi,
  waitsMs: readonly number[],
  signal?: AbortSignal,
): SlackApi {
  const wait = (waitMs: number) => backOff(waitMs, signal);
  return { call: (...call) => untilAnswered(() => api.call(...call), waitsMs, { wait }) };
}

/** Ends all calls and the waits between them with a signal: they reject with its reason. */
export function withEnd(api: SlackApi, signal: AbortSignal): SlackApi {
  return { call: (team, method, args) => api.call(team, method, args, signal) };
}

/** Methods that post something new. */
const saying: ReadonlySet<string> = new Set(['chat.postMessage', 'chat.startStream']);
const changing: ReadonlySet<string> = new Set([
  'chat.update',
  'chat.appendStream',
  'chat.stopStream',
  'assistant.threads.setStatus',
  'assistant.threads.setTitle',
]);

/**
 * Checks before and after each call that posts or changes something whether this process still owns the turn:
 * the call may have waited, or the process been halted, until another process took over.
 */
export function whileHeld(
  api: SlackApi,
  turn: HeldTurn,
  late: LatePosts<SentPost, SlackAnswer>,
): SlackApi {
  return {
    async call(team, method, args, signal) {
      const call = () => api.call(team, method, args, signal);
      if (changing.has(method)) return changeWhileHeld(turn, call);
      return saying.has(method) ? sayWhileHeld(turn, late, { team, args }, call) : call();
    },
  };
}

/** A call that Slack asks to wait longer is given up. */
const longestWaitMs = 90_000;
const maxWaits = 5;

/** Waits out Slack's rate limits, for calls outside the pacer. Each call waits on its own. */
export function withRetryAfter(api: SlackApi): SlackApi {
  return {
    call: (team, method, args, signal) =>
      retry(
        () => api.call(team, method, args, signal),
        (failures, error) => {
          const asked = error instanceof RateLimitedError ? error.retryAfterMs : Infinity;
          return failures <= maxWaits && asked <= longestWaitMs ? asked : undefined;
        },
        signal,
      ),
  };
}

/**
 * Slack limits posts per channel, threads included, and other methods per workspace. Edits of work in
 * progress are spread evenly over Slack's one-minute window, so they don't stall at its end. A pacer
 * with these limits is for one workspace.
 */
export const slackLimits = {
  calls: [
    { of: ['post'], per: 'channel', calls: 1, windowMs: 1000, basis: 'documented' },
    // Slack only says “several hundred”. A refused post delays its own channel only.
    { of: ['post'], per: 'everything', calls: 300, windowMs: 60_000, basis: 'observed' },
    // Below Slack's limit, which leaves room for the last edits of later turns.
    { of: ['edit'], per: 'method', calls: 5, windowMs: 20_000, basis: 'observed' },
    { of: ['edit', 'last_edit'], per: 'method', calls: 50, windowMs: 60_000, basis: 'documented' },
    { of: ['stream_start'], per: 'channel', calls: 1, windowMs: 1000, basis: 'observed' },
    { of: ['stream_start'], per: 'method', calls: 20, windowMs: 60_000, basis: 'documented' },
    { of: ['stream_append'], per: 'method', calls: 8, windowMs: 5000, basis: 'documented' },
    { of: ['stream_stop'], per: 'method', calls: 20, windowMs: 60_000, basis: 'documented' },
  ],
  editGapMs: 1500,
} as const satisfies PacingLimits;
