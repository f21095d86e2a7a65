import type { PastTurn, TurnStep } from '../../council/past-turn.ts';
import type { PresentedTurn } from '../../platforms/platform.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import type { TurnHeader, TurnStore } from '../../store/store.ts';
import { turnAskedBy } from '../places/turns-of-place.ts';
import type { HeldTurn } from './held-turn.ts';

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
