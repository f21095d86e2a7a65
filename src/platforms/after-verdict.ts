/** What a platform does with a verdict after the turn has ended. */

import type { PassedCheckpoints } from '../council/events.ts';
import type { Ranked, VerdictUses } from '../domain/stored-turn.ts';
import type { Seat, TurnRequest, Verdict } from '../domain/turn.ts';

/** A turn that reached a verdict, and what people have done with it since. */
export interface ConcludedTurn extends Pick<PassedCheckpoints, 'reviews' | 'round'>, VerdictUses {
  readonly request: TurnRequest;
  /** Where it is shown, as its platform has kept it. */
  readonly shownAt?: string;
  readonly seats: readonly Seat[];
  readonly ranked?: Ranked;
  readonly verdict: Verdict;
}

export interface AfterVerdict {
  /**
   * Shows below a verdict what has been done with it since it was told. What is not there any more is passed
   * over. Throws when the platform does not answer or does not let it.
   */
  redraw(turn: ConcludedTurn): Promise<void>;
  /**
   * Puts a verdict into the channel that its thread is in, once, for everyone to read; notifies no one.
   *
   * @param turn - With `posted`, the post may be there since then: it is looked for first.
   * @returns The post's own id; absent where there is no channel besides the thread. Throws when the
   *   platform does not answer or does not let it.
   */
  post(turn: ConcludedTurn): Promise<string | undefined>;
  /** Deletes such a post; one that is gone already is no matter. Throws when the platform does not answer. */
  unpost(turn: Pick<ConcludedTurn, 'request' | 'posted'>): Promise<void>;
}
