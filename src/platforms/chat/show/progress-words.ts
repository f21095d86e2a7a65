/** The progress of a turn in words. Callers pass functions that make names safe to show. */

import type { TurnStage } from '../../../council/events.ts';
import { partiesOf } from '../../../domain/docket.ts';
import type { FailureReason } from '../../../domain/failure.ts';
import type { Seat } from '../../../domain/turn.ts';
import { listed } from '../../../domain/words.ts';
import { type SeatState, seatState, type TurnProgress } from './turn-progress.ts';

/** Why a sage failed, to follow `failed: `. */
export const failureWords: Readonly<Record<FailureReason, string>> = {
  key_rejected: 'the key was rejected',
  payment_required: 'the credit is used up',
  model_not_found: 'the model does not exist',
  wrong_address: 'no model server at its address',
  bad_request: 'the model refused the request',
  rate_limited: 'too many requests',
  server_error: 'the server had an error',
  unreachable: 'the server gave no answer',
  timed_out: 'it took too long',
  broken_stream: 'the answer broke off',
  refused: 'the model refused to answer',
  context_too_long: 'it was too much to read',
  output_limit: 'it ran out of room to answer',
  empty: 'the answer was empty',
  late: 'the others had already finished',
  stopped: 'it was stopped',
};

/** The state of a sage as an emoji, to stand before its name. */
export const seatMarks: Readonly<Record<SeatState['doing'], string>> = {
  waiting: '▫️',
  thinking: '💭',
  answering: '✍️',
  answered: '✅',
  stopped: '⏹️',
  failed: '⚠️',
};

/** The state of a sage, to follow its name, e.g. `answered in 8 s`, `failed: it took too long`. */
export function seatWords(state: SeatState): string {
  switch (state.doing) {
    case 'answered':
      return `answered in ${Math.max(1, Math.round(state.latencyMs / 1000))} s`;
    case 'failed':
      return state.reason ? `failed: ${failureWords[state.reason]}` : 'failed';
    case 'stopped':
      return 'was stopped';
    default:
      return `is ${state.doing}`;
  }
}

/**
 * The state of each seat, e.g. `Taleb answered in 8 s`. A reason that the end of the turn or an earlier seat gives is
 * not repeated.
 *
 * @param nameOf - The name of a sage by its key, safe to show.
 * @param inert - Makes the reason of a failure safe to show, on one line.
 */
export function seatsInWords(
  progress: TurnProgress,
  nameOf: (sage: string) => string,
  inert: (reason: string) => string,
): string {
  const given = new Set([progress.end?.explanation]);
  const states = progress.seats.map(({ sage }) => {
    const seat = seatState(progress, sage.key);
    const reason = seat.doing === 'failed' ? seat.explanation : undefined;
    const why = reason === undefined || given.has(reason) ? '' : ` (${inert(reason)})`;
    given.add(reason);
    return `${nameOf(sage.key)} ${seatWords(seat)}${why}`;
  });
  return states.join(' · ');
}

/** The steps of a turn in order, as people are shown them. */
export const turnSteps = ['Seating', 'Answers', 'Blind reviews', 'Dispute', 'Verdict'] as const;

export const stepOf: Readonly<Record<TurnStage, (typeof turnSteps)[number]>> = {
  moderator: 'Seating',
  sages: 'Answers',
  reviews: 'Blind reviews',
  docket: 'Dispute',
  rebuttals: 'Dispute',
  second_ballots: 'Dispute',
  verdict: 'Verdict',
};

const mostNames = 3;

/**
 * The progress in one sentence, e.g. `3 of 4 answered, waiting for Taleb.`
 *
 * @param nameOf - The name of a seat, safe to show.
 */
export function progressSentence(progress: TurnProgress, nameOf: (seat: Seat) => string): string {
  const { stage, end, verdict } = progress;
  if (end?.outcome === 'failed') return 'The council could not answer.';
  if (end?.outcome === 'stopped') return end.explanation;
  if (end) return verdict ? 'The council has answered.' : answersSentence(progress, nameOf);
  switch (stage) {
    case undefined:
    case 'moderator':
      return 'The council is taking its seats.';
    case 'sages':
      return answersSentence(progress, nameOf);
    case 'reviews': {
      const done = progress.reviewers.length;
      const all = Math.max(done, countOf(progress, 'answered'));
      return `The sages are reviewing each other blind: ${done} of ${all} done.`;
    }
    case 'docket':
      return 'The answers are being checked for contradictions.';
    case 'rebuttals': {
      const all = progress.docket ? partiesOf(progress.docket).length : 0;
      return `Sages who contradict each other are answering again: ${progress.rebutted.length} of ${all} done.`;
    }
    case 'second_ballots':
      return `The sages vote again, in secret: ${progress.recast.length} of ${countOf(progress, 'answered')} done.`;
    case 'verdict':
      return 'The chair is writing the verdict.';
  }
}

/** The sentence after the mention of the asker when a turn is done. */
export function doneSentence({ end, verdict }: TurnProgress): string {
  if (end?.outcome === 'failed') return 'The council could not answer.';
  return verdict ? 'The verdict is in.' : 'Your answer is in.';
}

function answersSentence(progress: TurnProgress, nameOf: (seat: Seat) => string): string {
  const parts = [`${countOf(progress, 'answered')} of ${progress.seats.length} answered`];
  for (const doing of ['failed', 'stopped'] as const) {
    const count = countOf(progress, doing);
    if (count > 0) parts.push(`${count} ${doing}`);
  }
  const open = progress.seats.filter(({ sage }) =>
    ['waiting', 'thinking', 'answering'].includes(seatState(progress, sage.key).doing),
  );
  if (open.length > 0) parts.push(`waiting for ${listed(open.map(nameOf), mostNames)}`);
  return `${parts.join(', ')}.`;
}

/** How many sages are in a state. */
export function countOf(progress: TurnProgress, doing: SeatState['doing']): number {
  return progress.seats.filter(({ sage }) => seatState(progress, sage.key).doing === doing).length;
}
