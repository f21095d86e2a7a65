import { type PacingLimits, slackLimits } from '../chat/pacing/call-limits.ts';
import type { RateLimited } from '../chat/pacing/call-scheduler.ts';
import { createPacer, type Pacer } from '../chat/pacing/pacer.ts';
import { SlackRateLimited } from './slack-error.ts';

/** One pacer for each workspace, because Slack counts by workspace. */
export class SlackPacers {
  readonly #limits: PacingLimits;
  readonly #pacers = new Map<string, Pacer>();

  constructor(limits: PacingLimits = slackLimits) {
    this.#limits = limits;
  }

  of(team: string): Pacer {
    const pacer = this.#pacers.get(team) ?? createPacer({ limits: this.#limits, rateLimitOf });
    this.#pacers.set(team, pacer);
    return pacer;
  }
}

/** Reads a refusal because of limits; they are never those of the whole token. */
export function rateLimitOf(error: unknown): RateLimited | undefined {
  if (!(error instanceof SlackRateLimited)) return undefined;
  return { retryAfterMs: error.retryAfterMs, isGlobal: false };
}
