/** The progress of a turn, folded from its events into plain data that any platform can show. */

import {
  type TurnEnd,
  type TurnEvent,
  type TurnStage,
  turnStages,
} from '../../../council/events.ts';
import type { Docket } from '../../../domain/docket.ts';
import type { FailureReason } from '../../../domain/failure.ts';
import type { HeardNote } from '../../../domain/heard.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { SageAnswer, Seat, Seated, Verdict } from '../../../domain/turn.ts';

/** What a sage is doing, or how it ended. */
export type SeatState =
  | { readonly doing: 'waiting' | 'thinking' | 'answering' }
  | { readonly doing: 'answered'; readonly latencyMs: number }
  /** `explanation` is for people; `reason` is `undefined` if unknown. */
  | {
      readonly doing: 'failed';
      readonly reason: FailureReason | undefined;
      readonly explanation: string;
    }
  | { readonly doing: 'stopped' };

export interface TurnProgress {
  /** Absent before the first stage. */
  readonly stage: TurnStage | undefined;
  /** What was read of people's conversation; absent: reading was not requested. */
  readonly heard?: HeardNote;
  /** In seating order; until the seating is complete, as named by the moderator so far. */
  readonly seats: readonly Seat[];
  /** How the seats were chosen; absent until the seating is complete. */
  readonly seated?: Seated;
  /** By key of the sage; read it with {@link seatState}. */
  readonly states: ReadonlyMap<string, SeatState>;
  /** Keys of the sages whose review has ended, in order of completion. */
  readonly reviewers: readonly string[];
  /** The contradictions between the answers, at depth `deep`. */
  readonly docket?: Docket;
  /** Keys of the sages whose rebuttal has ended, in order of completion. */
  readonly rebutted: readonly string[];
  /** Keys of the sages that have voted again. */
  readonly recast: readonly string[];
  readonly ranked?: Ranked | undefined;
  readonly verdict?: Verdict;
  readonly end?: TurnEnd;
}

export const notBegun: TurnProgress = {
  stage: undefined,
  seats: [],
  states: new Map(),
  reviewers: [],
  rebutted: [],
  recast: [],
};

const waiting: SeatState = { doing: 'waiting' };
const stages: readonly (TurnStage | undefined)[] = [undefined, ...turnStages];

/** What a sage is doing; `waiting` before its first event. */
export function seatState({ states }: TurnProgress, sage: string): SeatState {
  return states.get(sage) ?? waiting;
}

/**
 * Applies one event. Events may come early, late or twice, e.g. when a resumed turn repeats its checkpoints: finished
 * steps don't restart, and nothing changes after `ended`.
 *
 * @returns The same object if the event changes nothing that is shown.
 */
export function advance(progress: TurnProgress, event: TurnEvent): TurnProgress {
  if (progress.end) return progress;
  switch (event.type) {
    case 'heard':
      return progress.heard ? progress : { ...progress, heard: event.heard };
    case 'recalled':
      return progress.seated ? progress : withRecalled(progress, event.seated, event.answers);
    case 'stage_started':
      return stages.indexOf(event.stage) > stages.indexOf(progress.stage)
        ? { ...progress, stage: event.stage }
        : progress;
    case 'seat_named':
      return withSeat(progress, event.seat);
    case 'seated':
      return progress.seated ? progress : withSeating(progress, event.seated);
    case 'sage_started':
      return withState(progress, event.sage, ['waiting'], { doing: 'thinking' });
    case 'answer_grew':
      return event.answer === ''
        ? progress
        : withState(progress, event.sage, ['waiting', 'thinking'], { doing: 'answering' });
    case 'answered':
      return withState(progress, event.answer.sage, unfinished, stateOf(event.answer));
    case 'reviewed':
      return withKey(progress, 'reviewers', event.review.reviewer);
    case 'docketed':
      return progress.docket ? progress : { ...progress, docket: event.docket };
    case 'rebutted':
      return withKey(progress, 'rebutted', event.rebuttal.sage);
    case 'ranked': {
      const { type: _, ...ranked } = event;
      return progress.ranked ? progress : { ...progress, ranked };
    }
    case 'recast':
      return withKey(progress, 'recast', event.ballot.reviewer);
    case 'own_answer':
    case 'verdict_grew':
      return progress;
    case 'concluded':
      return progress.verdict ? progress : { ...progress, verdict: event.verdict };
    case 'ended':
      return { ...stopUnfinished(progress), end: event.end };
  }
}

const unfinished: readonly SeatState['doing'][] = ['waiting', 'thinking', 'answering'];

/** Adds the key of a sage to a list, once. */
function withKey(
  progress: TurnProgress,
  list: 'reviewers' | 'rebutted' | 'recast',
  sage: string,
): TurnProgress {
  if (progress[list].includes(sage)) return progress;
  return { ...progress, [list]: [...progress[list], sage] };
}

function withSeat(progress: TurnProgress, seat: Seat): TurnProgress {
  const isKnown = progress.seats.some(({ sage }) => sage.key === seat.sage.key);
  return progress.seated || isKnown ? progress : { ...progress, seats: [...progress.seats, seat] };
}

/** Drops the states of sages that were named but not seated. */
function withSeating(progress: TurnProgress, seated: Seated): TurnProgress {
  const { seats } = seated;
  const isSeated = (key: string) => seats.some(({ sage }) => sage.key === key);
  const states = [...progress.states].filter(([key]) => isSeated(key));
  return { ...progress, seated, seats, states: new Map(states) };
}

function withRecalled(
  progress: TurnProgress,
  seated: Seated,
  answers: readonly SageAnswer[],
): TurnProgress {
  const states = new Map(answers.map((answer) => [answer.sage, stateOf(answer)]));
  return { ...withSeating(progress, seated), states };
}

/** Changes the state of a sage if it is one of `from`. */
function withState(
  progress: TurnProgress,
  sage: string,
  from: readonly SeatState['doing'][],
  state: SeatState,
): TurnProgress {
  if (!from.includes(seatState(progress, sage).doing)) return progress;
  return { ...progress, states: new Map(progress.states).set(sage, state) };
}

function stateOf({ status, latencyMs, reason, answer }: SageAnswer): SeatState {
  switch (status) {
    case 'answered':
      return { doing: 'answered', latencyMs };
    case 'failed':
      return { doing: 'failed', reason, explanation: answer.replace(/^Error: /, '') };
    case 'stopped':
      return { doing: 'stopped' };
  }
}

function stopUnfinished(progress: TurnProgress): TurnProgress {
  return progress.seats.reduce(
    (stopped, { sage }) => withState(stopped, sage.key, unfinished, { doing: 'stopped' }),
    progress,
  );
}
