/**
 * The events of a turn: the council's only output.
 *
 * Eight kinds are checkpoints: `seated`, `own_answer`, `answered`, `reviewed`, `docketed`, `rebutted`, `recast` and
 * `concluded`. They are stored before they are shown, and a resumed turn gets them as {@link PassedCheckpoints}.
 */

import type { Docket, Rebuttal, Round } from '../domain/docket.ts';
import type { HeardNote } from '../domain/heard.ts';
import type { Ranked } from '../domain/stored-turn.ts';
import type { OwnAnswer, Review, SageAnswer, Seat, Seated, Verdict } from '../domain/turn.ts';

export type TurnOutcome = 'answered' | 'failed' | 'stopped';
/** In the order in which a turn reaches them. */
export const turnStages = [
  'moderator',
  'sages',
  'reviews',
  'docket',
  'rebuttals',
  'second_ballots',
  'verdict',
] as const;
export type TurnStage = (typeof turnStages)[number];

/** How a turn ended. `explanation` says what happened and what to do about it; empty for `answered`. */
export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly explanation: string;
  /** The explanation for the person who asked alone, e.g. with figures of their budget. Not stored. */
  readonly toAsker?: string;
}

/** The end of a turn that was stopped. */
export function stoppedEnd(hasSpoken: boolean): TurnEnd {
  const kept = hasSpoken ? 'What was said is kept.' : 'No sage had answered yet.';
  return { outcome: 'stopped', explanation: `Stopped. ${kept}` };
}

/**
 * The stream of a turn, in this order: `stage_started` moderator, `seat_named`*, `seated`,
 * `stage_started` sages, (`sage_started`, `answer_grew`*, `answered`)*, then with reviews
 * `stage_started` reviews, `reviewed`*, at depth `deep` `stage_started` docket, `docketed`, and where that
 * names a contradiction `stage_started` rebuttals, `rebutted`*, `stage_started` second_ballots, `recast`*;
 * then `ranked`, by all ballots, then with a chair `stage_started` verdict,
 * `verdict_grew`*, `concluded`, and always `ended` last. Sages may start before `seated`; their answers
 * come after it, and a sage that it leaves out has no further events. `own_answer` comes anywhere
 * between `seated` and `stage_started` verdict. A turn that takes another one deeper begins with `recalled`
 * instead of everything up to the answers.
 */
export type TurnEvent =
  /** First of all: the conversation around the question was read. Emitted by the bot, not by the council. */
  | { readonly type: 'heard'; readonly heard: HeardNote }
  /** The seats and answers of the earlier turn that this one continues; they were shown there and aren't repeated. */
  | {
      readonly type: 'recalled';
      readonly seated: Seated;
      readonly answers: readonly SageAnswer[];
    }
  | { readonly type: 'stage_started'; readonly stage: TurnStage }
  /** The moderator's stream named a sage before the seating was complete; `seated` may leave it out. */
  | { readonly type: 'seat_named'; readonly seat: Seat }
  | { readonly type: 'seated'; readonly seated: Seated }
  | { readonly type: 'own_answer'; readonly ownAnswer: OwnAnswer }
  | { readonly type: 'sage_started'; readonly sage: string }
  /** The whole answer so far. Shorter than before if the call was repeated. */
  | { readonly type: 'answer_grew'; readonly sage: string; readonly answer: string }
  | { readonly type: 'answered'; readonly answer: SageAnswer }
  | { readonly type: 'reviewed'; readonly review: Review }
  | { readonly type: 'docketed'; readonly docket: Docket }
  | { readonly type: 'rebutted'; readonly rebuttal: Rebuttal }
  /** A sage cast its second, secret ballot on the parties' answers. */
  | { readonly type: 'recast'; readonly ballot: Review }
  | ({ readonly type: 'ranked' } & Ranked)
  | { readonly type: 'verdict_grew'; readonly verdict: string }
  | { readonly type: 'concluded'; readonly verdict: Verdict }
  | { readonly type: 'ended'; readonly end: TurnEnd };

/** The finished steps of a turn that is resumed. */
export interface PassedCheckpoints {
  readonly seated?: Seated;
  readonly ownAnswer?: OwnAnswer;
  readonly answers: readonly SageAnswer[];
  readonly reviews: readonly Review[];
  /** Absent before the docket is finished, and at other depths. */
  readonly round?: Round;
  readonly verdict?: Verdict;
}
