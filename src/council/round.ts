/** One bounded rebuttal, at depth `deep`: never a second one, and none without a contradiction. */

import { partiesOf, type Round } from '../domain/docket.ts';
import type { Review, SageAnswer, Seat } from '../domain/turn.ts';
import type { StepInput } from './council.ts';
import { drawUpDocket } from './docket.ts';
import type { PassedCheckpoints, TurnEvent } from './events.ts';
import { gatherEach } from './gather.ts';
import { askRebuttal, partiesAsTheyStand } from './rebuttal.ts';
import { askAgain, askReviewer } from './review.ts';

/** What a stage is held on. */
export interface StageInput extends StepInput {
  readonly seats: readonly Seat[];
  /** Answers that were given, as they are shown to others. */
  readonly answers: readonly SageAnswer[];
  readonly passed?: PassedCheckpoints;
  readonly emit: (event: TurnEvent) => void;
}

/** The blind reviews, of all by all that answered. */
export async function holdReviews(input: StageInput): Promise<readonly Review[]> {
  input.emit({ type: 'stage_started', stage: 'reviews' });
  return gatherEach(seatsOf(input), {
    ...limitsOf(input),
    who: ({ sage }) => `The review of ${sage.name}`,
    earlier: ({ sage }) => input.passed?.reviews.find(({ reviewer }) => reviewer === sage.key),
    ask: (reviewer, { signal, pause }) =>
      askReviewer({ ...input, reviewer, signal, onWait: pause }),
    tell: (review) => input.emit({ type: 'reviewed', review }),
  });
}

/** Throws only when the turn was stopped. */
export async function holdRound(input: StageInput): Promise<Round> {
  const { emit, passed } = input;
  emit({ type: 'stage_started', stage: 'docket' });
  const docket = passed?.round?.docket ?? (await drawUpDocket(input));
  emit({ type: 'docketed', docket });
  const parties = partiesOf(docket);
  if (parties.length === 0) return { docket, rebuttals: [], recasts: [] };

  emit({ type: 'stage_started', stage: 'rebuttals' });
  const called = seatsOf(input).filter(({ sage }) => parties.includes(sage.key));
  const rebuttals = await gatherEach(called, {
    ...limitsOf(input),
    who: ({ sage }) => `The rebuttal of ${sage.name}`,
    earlier: ({ sage: { key } }) => passed?.round?.rebuttals.find(({ sage }) => sage === key),
    ask: (seat, { signal, pause }) =>
      askRebuttal({ ...input, seat, answer: answerOf(seat, input), docket, signal, onWait: pause }),
    tell: (rebuttal) => emit({ type: 'rebutted', rebuttal }),
  });
  input.signal.throwIfAborted();

  emit({ type: 'stage_started', stage: 'second_ballots' });
  const answers = partiesAsTheyStand(input.answers, { docket, rebuttals });
  const recasts = await gatherEach(seatsOf(input), {
    ...limitsOf(input),
    who: ({ sage }) => `The second ballot of ${sage.name}`,
    earlier: ({ sage }) => passed?.round?.recasts.find(({ reviewer }) => reviewer === sage.key),
    ask: (reviewer, { signal, pause }) =>
      askAgain({ ...input, answers, reviewer, signal, onWait: pause }),
    tell: (ballot) => emit({ type: 'recast', ballot }),
  });
  return { docket, rebuttals, recasts };
}

/** Those that answered. */
function seatsOf({ seats, answers }: StageInput): readonly Seat[] {
  return seats.filter(({ sage: { key } }) => answers.some(({ sage }) => sage === key));
}

function answerOf({ sage: { key } }: Seat, { answers }: StageInput): SageAnswer {
  const answer = answers.find(({ sage }) => sage === key);
  if (!answer) throw new TypeError(`${key} is a party and has not answered.`);
  return answer;
}

function limitsOf({ signal, council }: StageInput) {
  const { reviewTimeoutMs: timeoutMs, quorumShare, graceMs } = council.limits;
  return { signal, limits: { timeoutMs, quorumShare, graceMs } };
}
