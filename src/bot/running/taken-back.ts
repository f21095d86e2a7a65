/** Questions that are taken back: what shows them is emptied, wherever their turn runs. */

import { readPastTurn } from '../../council/past-turn.ts';
import type { Log } from '../../domain/log.ts';
import type { Platform, PresentedTurn } from '../../platforms/platform.ts';
import type { TurnRecord } from '../../store/store.ts';

/** The request to stop a turn that is being forgotten, of which nothing more is to be shown or kept. */
export function forgettingOf(turnId: string): string {
  return `forgotten ${turnId}`;
}

/** Gives what empties what shows a turn, on the platform that it is of. */
export function retractOn(
  platforms: readonly Platform[],
  log: Log,
): (turn: TurnRecord) => Promise<void> {
  return async (turn) => {
    const platform = platforms.find(({ name }) => turn.threadId.startsWith(`${name}:`));
    if (platform) await retract(platform, readPastTurn(turn), log);
  };
}

/** What a platform can't do now must not keep the question from being forgotten: that is in the log. */
export async function retract(
  platform: Platform,
  turn: Pick<PresentedTurn, 'request' | 'place'>,
  log: Log,
): Promise<void> {
  try {
    await platform.retract(turn);
  } catch (error) {
    const { turnId } = turn.request;
    log.warn({ turnId, error }, 'what shows a question that was taken back is not emptied');
  }
}
