/**
 * What happens in a turn, as the council tells it: the only thing that it hands outward.
 *
 * Five kinds are checkpoints: `seated`, `own_answer`, `answered`, `reviewed` and `concluded`. They are stored
 * before they are shown, and a resumed turn is handed those that it has passed.
 */

import type { HeardNote } from '../domain/heard.ts';
import type { Ranked } from '../domain/stored-turn.ts';
import type { OwnAnswer, Review, SageAnswer, Seat, Seated, Verdict } from '../domain/turn.ts';

export type TurnOutcome = 'answered' | 'failed' | 'stopped';
export type TurnStage = 'moderator' | 'sages' | 'reviews' | 'verdict';

/** How a turn ended. `explanation` says what happened and what to do about it, and is empty for `answered`. */
export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly explanation: string;
}

/**
 * The stream of a turn, in this order: `stage_started` moderator, `seat_named`*, `seated`,
 * `stage_started` sages, (`sage_started`, `answer_grew`*, `answered`)*, then with reviews
 * `stage_started` reviews, `reviewed`*, `ranked`, then with a chair `stage_started` verdict,
 * `verdict_grew`*, `concluded`, and always `ended` last. Sages may start before `seated`; what they say
 * is told after it, and of a sage that it leaves out nothing more is told. `own_answer` stands anywhere
 * between `seated` and `stage_started` verdict.
 */
export type TurnEvent =
  /** Before all others: what people said around the question was read. Told by those who conduct, not by the council. */
  | { readonly type: 'heard'; readonly heard: HeardNote }
  | { readonly type: 'stage_started'; readonly stage: TurnStage }
  /** The moderator's stream has named a sage, before the seating is complete; `seated` may leave it out. */
  | { readonly type: 'seat_named'; readonly seat: Seat }
  | { readonly type: 'seated'; readonly seated: Seated }
  | { readonly type: 'own_answer'; readonly ownAnswer: OwnAnswer }
  | { readonly type: 'sage_started'; readonly sage: string }
  /** The whole answer so far. Shorter than before when the call was made anew. */
  | { readonly type: 'answer_grew'; readonly sage: string; readonly answer: string }
  | { readonly type: 'answered'; readonly answer: SageAnswer }
  | { readonly type: 'reviewed'; readonly review: Review }
  | ({ readonly type: 'ranked' } & Ranked)
  | { readonly type: 'verdict_grew'; readonly verdict: string }
  | { readonly type: 'concluded'; readonly verdict: Verdict }
  | { readonly type: 'ended'; readonly end: TurnEnd };

/** What a turn has passed already, when it is resumed. */
export interface PassedCheckpoints {
  readonly seated?: Seated;
  readonly ownAnswer?: OwnAnswer;
  readonly answers: readonly SageAnswer[];
  readonly reviews: readonly Review[];
  readonly verdict?: Verdict;
}
