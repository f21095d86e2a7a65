/** Decorators of Slack's Web API: calls that are repeated, ended, or held back. */

import { setTimeout as wait } from 'node:timers/promises';
import { linkSignals } from '../../../waiting.ts';
import { backOff, untilAnswered, untilTaken } from '../../chat/pacing/back-off.ts';
import type { PacingLimits } from '../../chat/pacing/call-ledger.ts';
import {
  changeWhileHeld,
  type HeldTurn,
  type LatePosts,
  sayWhileHeld,
} from '../../chat/show/turn-posts.ts';
import type { SentPost } from './late-posts.ts';
import type { SlackAnswer, SlackApi } from './slack-api.ts';

/**
 * Asks again while no answer comes. Only for what may be carried out twice without harm.
 *
 * @param waitsMs - Before each further try.
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

/** Ends all calls, and what is waited for between them, with a signal: they reject with its reason. */
export function withEnd(api: SlackApi, signal: AbortSignal): SlackApi {
  return {
    async call(team, method, args, own) {
      using either = linkSignals(own, signal);
      return await api.call(team, method, args, either.signal);
    },
  };
}

/** What says something new; other calls change it, or look something up. */
const saying: ReadonlySet<string> = new Set(['chat.postMessage', 'chat.startStream']);
const changing: ReadonlySet<string> = new Set([
  'chat.update',
  'chat.appendStream',
  'chat.stopStream',
  'assistant.threads.setStatus',
  'assistant.threads.setTitle',
]);

/**
 * Asks around each call that says or changes something whether the turn is still this process's: the call may
 * have waited long, or the process been halted, and another says the same by then.
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

/**
 * Tells of each call that says something new.
 *
 * @param begin - Called before it; what it returns is called once it is said.
 */
export function aroundPosts(api: SlackApi, begin: () => () => void): SlackApi {
  return {
    async call(team, method, args, signal) {
      const said = saying.has(method) ? begin() : undefined;
      const answer = await api.call(team, method, args, signal);
      said?.();
      return answer;
    },
  };
}

/** What is refused for longer is given up. */
const longestWaitMs = 90_000;
const maxWaits = 5;

/** Waits out Slack's limits, for calls that no pacer plans; only the caller waits. */
export function withRetryAfter(api: SlackApi): SlackApi {
  return {
    call: (team, method, args, signal) =>
      untilTaken(
        () => api.call(team, method, args, signal),
        (retryAfterMs) => wait(retryAfterMs, undefined, signal ? { signal } : {}),
        ({ retryAfterMs }, waits) => waits < maxWaits && retryAfterMs <= longestWaitMs,
      ),
  };
}

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
