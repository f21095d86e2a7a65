/** The rebuttal round of depth `deep`: the docket, each party's rebuttal, the second ballots. */

import { type Docket, partiesOf, type Rebuttal, type Round } from '../domain/docket.ts';
import { english } from '../domain/languages/english.ts';
import { keptReasoning, type SageAnswer, type Seat } from '../domain/turn.ts';
import { takenBack } from '../domain/turn-words.ts';
import { firstSentences, oneLine } from '../domain/words.ts';
import { askInShape } from '../models/structured.ts';
import type { StepInput } from './council.ts';
import { type CallDeadline, failureOf } from './cutoff.ts';
import { brief, drawUpDocket, isQuoted } from './docket.ts';
import { gatherEach } from './gather.ts';
import { shuffle } from './prompts/review-prompt.ts';
import { type Dispute, rebuttalMessages, rebuttalShape } from './prompts/round-prompts.ts';
import { askSecondBallot, limitsOf, type StageInput, seatsOf } from './review.ts';

interface RebuttalInput extends StepInput, CallDeadline {
  readonly seat: Seat;
  /** The sage's own answer. */
  readonly answer: SageAnswer;
  readonly docket: Docket;
}

/** Far more than the prompt asks for. */
const maxReasonChars = 600;

const positions = { hold: 'held', amend: 'amended', concede: 'conceded' } as const;

/** Asks a party for its rebuttal. If a model fails, time runs out or the turn is stopped, the rebuttal counts as `held` and has a `failure`. */
async function askRebuttal(input: RebuttalInput): Promise<Rebuttal> {
  const { seat, answer, request, council, context } = input;
  const model = input.models.sage(seat.sage);
  const startedAt = Date.now();
  const ended = () => ({ sage: seat.sage.key, model: model.id, latencyMs: Date.now() - startedAt });
  const missing = { position: 'held', because: '', flaw: '', opposing: '' } as const;
  try {
    const disputes = disputesOf(input);
    const reply = await askInShape(
      model,
      {
        messages: rebuttalMessages(
          seat.sage,
          request.question,
          answer.answer,
          disputes,
          council,
          context,
          seat.focus,
        ),
        stage: 'rebuttal',
        sage: seat.sage.key,
        signal: input.signal,
        onWait: input.onWait,
      },
      rebuttalShape,
    );
    const { by = model.id, reasoning } = reply.reply;
    const kept = { ...ended(), model: by, ...keptReasoning(reasoning) };
    if (reply.status === 'unshaped') {
      const explanation = 'The model did not reply in the agreed form.';
      return { ...missing, ...kept, failure: { reason: 'empty', explanation } };
    }
    const { position, flaw, because, strongest_opposing_point: opposing } = reply.value;
    const said = { because: inSentences(because), opposing: inSentences(opposing) };
    if (position === 'hold') return { ...kept, ...said, position: 'held', flaw: '' };
    if (!isQuoted(flaw, answer.answer))
      return { ...kept, ...said, position: 'held', flaw: '', isEmptyChange: true };
    return { ...kept, ...said, position: positions[position], flaw: brief(flaw) };
  } catch (error) {
    const { reason, explanation } = failureOf(error);
    return { ...missing, ...ended(), failure: { reason, explanation } };
  }
}

function inSentences(text: string): string {
  return firstSentences(oneLine(text), maxReasonChars);
}

/** The stances against this sage, one per side: the number of supporters would sway it, but is no argument. */
function disputesOf({ seat, docket, request }: RebuttalInput): readonly Dispute[] {
  const { key } = seat.sage;
  return docket.contradictions.flatMap(({ topic, stances }, index) => {
    const own = stances.find(({ sage }) => sage === key);
    if (!own) return [];
    const others = stances.filter(({ stance }) => stance !== own.stance);
    const shuffled = shuffle(others, `${request.turnId}\n${key}\n${index}`);
    const sides = Map.groupBy(shuffled, ({ stance }) => stance);
    const against = Array.from(sides, ([stance, quoted]) => ({
      stance,
      quote: quoted[0]?.quote ?? '',
    }));
    return [{ topic, own: own.stance, against }];
  });
}

/**
 * Summarizes the parties' positions for the second ballot; their full answers were judged in the reviews.
 *
 * @param answers - All answers.
 * @returns The parties' answers in the same order, with stances, quotes and rebuttal instead of the text. A change
 *   that names no flaw and a failed rebuttal add nothing.
 */
function partiesAsTheyStand(
  answers: readonly SageAnswer[],
  { docket, rebuttals }: Pick<Round, 'docket' | 'rebuttals'>,
): readonly SageAnswer[] {
  const parties = partiesOf(docket);
  return answers.flatMap((answer) => {
    const { sage } = answer;
    if (!parties.includes(sage)) return [];
    const stances = docket.contradictions.flatMap(({ topic, stances: all }) =>
      all
        .filter((one) => one.sage === sage)
        .map(({ stance, quote }) => `${topic}: ${stance} “${quote}”`),
    );
    const rebuttal = rebuttals.find((one) => one.sage === sage);
    return [{ ...answer, answer: [...stances, ...rebuttalLines(rebuttal)].join('\n') }];
  });
}

function rebuttalLines(rebuttal: Rebuttal | undefined): readonly string[] {
  if (!rebuttal || rebuttal.failure || rebuttal.isEmptyChange) return [];
  const said = `${english.position[rebuttal.position]}: ${rebuttal.because}${takenBack(rebuttal)}`;
  return [`[Asked about what contradicts it, it ${said}]`];
}

/** Runs the docket, the rebuttals and the second ballots; only the docket if it has no contradiction. Throws only when the turn was stopped. */
export async function holdRound(input: StageInput): Promise<Round> {
  const { emit, passed } = input;
  emit({ type: 'stage_started', stage: 'docket' });
  const docket = passed?.round?.docket ?? (await drawUpDocket(input));
  emit({ type: 'docketed', docket });
  const parties = partiesOf(docket);
  if (parties.length === 0) return { docket, rebuttals: [], recasts: [] };

  emit({ type: 'stage_started', stage: 'rebuttals' });
  const called = input.answers.flatMap((answer) => {
    const seat = input.seats.find(({ sage }) => sage.key === answer.sage);
    return seat && parties.includes(answer.sage) ? [{ seat, answer }] : [];
  });
  const rebuttals = await gatherEach(called, {
    ...limitsOf(input),
    who: ({ seat }) => `The rebuttal of ${seat.sage.name}`,
    earlier: ({ answer }) => passed?.round?.rebuttals.find(({ sage }) => sage === answer.sage),
    ask: (party, deadline) => askRebuttal({ ...input, ...deadline, ...party, docket }),
    onResult: (rebuttal) => emit({ type: 'rebutted', rebuttal }),
  });
  input.signal.throwIfAborted();

  emit({ type: 'stage_started', stage: 'second_ballots' });
  const answers = partiesAsTheyStand(input.answers, { docket, rebuttals });
  const recasts = await gatherEach(seatsOf(input), {
    ...limitsOf(input),
    who: ({ sage }) => `The second ballot of ${sage.name}`,
    earlier: ({ sage }) => passed?.round?.recasts.find(({ reviewer }) => reviewer === sage.key),
    ask: (reviewer, deadline) => askSecondBallot({ ...input, ...deadline, answers, reviewer }),
    onResult: (ballot) => emit({ type: 'recast', ballot }),
  });
  return { docket, rebuttals, recasts };
}
