/** A turn as people are shown it, and how what shows it is emptied where its question is taken back. */

import { type PastTurn, readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import type { ChannelSettings } from '../../council/settings.ts';
import type { Log } from '../../domain/log.ts';
import type { Platform, PresentedTurn } from '../../platforms/platform.ts';
import type { TurnHeader, TurnRecord, TurnStore } from '../../store/store.ts';
import { turnAskedBy } from '../places/turns-of-place.ts';
import type { HeldTurn } from './held-turn.ts';

/** The platform of a thread, where this process is on it. */
export function platformOf<Some extends Pick<Platform, 'name'>>(
  threadId: string,
  platforms: readonly Some[],
): Some | undefined {
  return platforms.find(({ name }) => threadId.startsWith(`${name}:`));
}

/**
 * A turn as a platform is to show it, under the fence of the attempt that it is shown for.
 *
 * @param held - Absent: nobody runs it any more, and nobody else will show it.
 */
export function presentedTurn(
  turns: TurnStore,
  { turnId, threadId, attempt }: TurnHeader,
  { request, place }: Pick<PastTurn, 'request' | 'place'>,
  { followUpMode }: Pick<ChannelSettings, 'followUpMode'>,
  held?: HeldTurn,
): PresentedTurn {
  return {
    request,
    isResumed: attempt > 1,
    followUpMode,
    wasAsked: async (eventId) => (await turnAskedBy(turns, eventId, request)) !== undefined,
    ...(place === undefined ? {} : { place }),
    keepPlace: (shownAt) => {
      const step = { kind: 'shown', key: '', data: { place: shownAt } } satisfies TurnStep;
      return (held ?? turns).checkpoint({ turnId, threadId, attempt, steps: [step] });
    },
    assertHeld: async () => held?.assertHeld(),
    assertNotLost: async () => held?.assertNotLost(),
  };
}

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
    const platform = platformOf(turn.threadId, platforms);
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
