/** Posts of a turn that another process may take over while one of them is on its way. */

import type { Log } from '../../../domain/log.ts';
import type { PresentedTurn } from '../../platform.ts';

/** How a platform finds and deletes what was said too late. */
export interface LatePosts<Sent, Answer> {
  readonly log: Log;
  /** Waits until what was sent has arrived, if it ever does. */
  settle(): Promise<void>;
  /** Ids of what says the same as what was sent, oldest first. */
  same(sent: Sent): Promise<readonly string[]>;
  idOf(answer: Answer): string;
  remove(sent: Sent, id: string): Promise<void>;
}

/**
 * Says something only while the turn is this process's: asks right before, and after a halt once more. What
 * was on its way then may have arrived after another process said the same; it is deleted, unless it stands
 * alone. Throws what the turn is lost with.
 */
export async function sayWhileHeld<Sent, Answer>(
  turn: Pick<PresentedTurn, 'request' | 'assertHeld' | 'assertAwake'>,
  late: LatePosts<Sent, Answer>,
  sent: Sent,
  say: () => Promise<Answer>,
): Promise<Answer> {
  await turn.assertHeld();
  // Also where no answer came: what was sent may be there.
  const [said] = await Promise.allSettled([say()]);
  try {
    await turn.assertAwake();
  } catch (error) {
    await takeBack(late, sent, said).catch((failure: unknown) => {
      const { turnId } = turn.request;
      const sentence = 'what was posted twice after a halt could not be taken back';
      late.log.warn({ turnId, error: failure }, sentence);
    });
    throw error;
  }
  if (said.status === 'rejected') throw said.reason;
  return said.value;
}

async function takeBack<Sent, Answer>(
  late: LatePosts<Sent, Answer>,
  sent: Sent,
  said: PromiseSettledResult<Answer>,
): Promise<void> {
  await late.settle();
  const [, later] = await late.same(sent);
  if (later === undefined) return;
  await late.remove(sent, said.status === 'fulfilled' ? late.idOf(said.value) : later);
}
