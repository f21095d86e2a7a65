/** Slack's Web API, asked again. Both wrap the same door. */

import { setTimeout as wait } from 'node:timers/promises';
import { untilAnswered } from '../../pacing/back-off.ts';
import { SlackRateLimited, SlackUnanswered } from '../slack-error.ts';
import type { SlackApi } from './slack-api.ts';

/**
 * Asks again while no answer comes. Only for what may be carried out twice without harm.
 *
 * @param waitsMs - Before each further try.
 */
export function withRepetition(api: SlackApi, waitsMs: readonly number[]): SlackApi {
  return {
    call: (...call) =>
      untilAnswered(
        () => api.call(...call),
        waitsMs,
        (error) => error instanceof SlackUnanswered,
      ),
  };
}

/** What is refused for longer is given up. */
const longestWaitMs = 90_000;
const mostWaits = 5;

/** Waits out Slack's limits, for calls that nobody plans; only the one who asks waits. */
export function withRetryAfter(api: SlackApi): SlackApi {
  return {
    async call(team, method, args, signal) {
      for (let waits = 0; ; waits++) {
        try {
          return await api.call(team, method, args, signal);
        } catch (error) {
          if (!(error instanceof SlackRateLimited)) throw error;
          if (waits === mostWaits || error.retryAfterMs > longestWaitMs) throw error;
          await wait(error.retryAfterMs, undefined, signal ? { signal } : {});
        }
      }
    },
  };
}
