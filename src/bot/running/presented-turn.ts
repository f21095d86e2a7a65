/** Prepares turns for platforms, and empties their posts when the question is withdrawn. */

import { type PastTurn, readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import type { Log } from '../../domain/log.ts';
import type { ConcludedTurn, Platform, PresentedTurn } from '../../platforms/platform.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import type { Store, TurnHeader, TurnRecord } from '../../store/store.ts';
import { wantsPing } from '../places/personal-settings.ts';
import { turnAskedBy } from '../places/turns-of-place.ts';
import type { HeldTurn } from './held-turn.ts';

/** The platform of a thread or workspace. Absent if this process is not connected to it. */
export function platformOf<Some extends Pick<Platform, 'name'>>(
  threadId: string,
  platforms: readonly Some[],
): Some | undefined {
  return platforms.find(({ name }) => threadId.startsWith(`${name}:`));
}

/**
 * Prepares a turn for a platform to show, fenced by its attempt.
 *
 * @param held - Absent: no process runs the turn anymore, and no other will show it.
 */
export function presentedTurn(
  { turns, settings }: Pick<Store, 'turns' | 'settings'>,
  { turnId, threadId, attempt }: TurnHeader,
  { request, shownAt }: Pick<PastTurn, 'request' | 'shownAt'>,
  { followUpMode }: Pick<ChannelSettings, 'followUpMode'>,
  held?: HeldTurn,
): PresentedTurn {
  return {
    request,
    isResumed: attempt > 1,
    followUpMode,
    wasAsked: async (eventId) => (await turnAskedBy(turns, eventId, request)) !== undefined,
    wantsPing: () => wantsPing(settings, threadId, request.author.id),
    ...(shownAt === undefined ? {} : { shownAt }),
    keepShownAt: (messageId) => {
      const step = { kind: 'shown', key: '', data: { place: messageId } } satisfies TurnStep;
      return (held ?? turns).checkpoint({ turnId, threadId, attempt, steps: [step] });
    },
    assertHeld: async () => held?.assertHeld(),
    assertNotLost: async () => held?.assertNotLost(),
    assertAwake: async () => held?.assertAwake(),
  };
}

/** Prepares a turn with a verdict for its platform. Absent without one. */
export function concludedTurn(past: PastTurn): ConcludedTurn | undefined {
  const { verdict, seated, ...turn } = past;
  return verdict && { ...turn, verdict, seats: seated?.seats ?? [] };
}

/** The stop request of a turn that is being forgotten: nothing more of it is shown or stored. */
export function forgettingOf(turnId: string): string {
  return `forgotten ${turnId}`;
}

/**
 * Empties the posts of a turn on its platform. Failures are logged: they must not keep the question from being
 * forgotten.
 */
export async function retract(
  turn: TurnRecord,
  platforms: readonly Platform[],
  log: Log,
): Promise<void> {
  try {
    await platformOf(turn.threadId, platforms)?.retract(readPastTurn(turn));
  } catch (error) {
    const { turnId } = turn;
    log.warn({ turnId, error }, 'posts that show a withdrawn question were not emptied');
  }
}
