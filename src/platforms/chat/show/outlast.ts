/** Patience with a platform that is away. */

import type { Log } from '../../../domain/log.ts';
import { type PresentedTurn, UndeliveredError } from '../../platform.ts';
import type { Canvases } from './canvas.ts';

/** What a turn is told with, for as long as it takes. */
export interface Patience {
  readonly canvases: Canvases;
  readonly log: Log;
  readonly turnId: string;
  readonly signal: AbortSignal;
  readonly asked: PresentedTurn;
}

/**
 * Attempts something until the platform answers, through an outage that is longer than a request is tried for.
 *
 * @param attempt - Told whether it was attempted before: then part of it may have been done, long enough
 *   ago for the platform to have forgotten what it took, so it has to look.
 * @throws What `attempt` throws, but {UndeliveredError} when no answer comes, or the bot is not let in.
 */
export async function outlast<Result>(
  attempt: (isAgain: boolean) => Promise<Result>,
  { canvases, log, turnId, signal }: Patience,
): Promise<Result> {
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await attempt(attempts > 0);
    } catch (error) {
      const failure = signal.aborted ? undefined : canvases.failureOf(error);
      if (failure !== 'away' && failure !== 'shut out') throw error;
      const waitMs = failure === 'away' ? canvases.outageWaitsMs[attempts] : undefined;
      if (waitMs === undefined) {
        const reason = error instanceof Error ? error.message : 'The reason is unknown.';
        throw new UndeliveredError(`What the turn says could not be posted. ${reason}`, {
          cause: error,
        });
      }
      log.warn({ turnId, error }, `${canvases.platform} does not answer; what the turn says waits`);
      await canvases.backOff(waitMs, signal);
    }
  }
}
