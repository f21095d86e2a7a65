/** One turn, from the question to the verdict, as a stream of events. */

import { isWordless } from '../domain/asking.ts';
import type { OwnAnswer, SageAnswer, Seat, Seated } from '../domain/turn.ts';
import { linkSignals } from '../waiting.ts';
import { depthOf, type StepInput } from './council.ts';
import { Cutoff } from './cutoff.ts';
import { type PassedCheckpoints, stoppedEnd, type TurnEnd, type TurnEvent } from './events.ts';
import { Gathering } from './gather.ts';
import { evaluateReviews } from './ranked.ts';
import { holdRound } from './rebuttal.ts';
import { holdReviews } from './review.ts';
import { askSage } from './sage.ts';
import { isAlone, ModelsUnavailable, seatCouncil } from './seating.ts';
import { EventChannel } from './streaming.ts';
import { askOwnAnswer, reachVerdict } from './verdict.ts';

export interface TurnInput extends StepInput {
  /** The finished steps of an earlier attempt; their events are repeated, their calls aren't. */
  readonly passed?: PassedCheckpoints;
  /** An answered turn to take deeper: its seats, answers and reviews are reused at no cost. */
  readonly earlier?: PassedCheckpoints;
}

/**
 * Runs a turn. Aborts all calls when the reader stops reading.
 *
 * @returns Events in the order of {@link TurnEvent}; the last is `ended` unless it throws.
 */
export async function* runTurn(input: TurnInput): AsyncGenerator<TurnEvent, void, undefined> {
  const channel = new EventChannel<TurnEvent>();
  const readerGone = new AbortController();
  using linked = linkSignals(input.signal, readerGone.signal);
  const { signal } = linked;
  const work = deliberate({ ...input, signal }, (event) => channel.push(event)).then(
    () => channel.close(),
    (error: unknown) => channel.fail(error),
  );
  try {
    yield* channel;
  } finally {
    readerGone.abort();
    await work;
  }
}

async function deliberate(
  { signal, passed, earlier, ...asked }: TurnInput,
  emit: (event: TurnEvent) => void,
): Promise<void> {
  const { request } = asked;
  // Where the question is our own sentence, its language isn't the asker's.
  const isOurs = !asked.council.language && isWordless(request.question);
  const language = 'the language of the conversation around the question';
  const council = isOurs ? { ...asked.council, language } : asked.council;
  const step = { ...asked, council, signal };
  /** Aborts calls whose result is no longer needed. */
  const over = new AbortController();
  /** The chair's own answer, requested while the sages think; absent if there will be no verdict. */
  let ownAnswer: Promise<OwnAnswer> | undefined;
  let hasSpoken = false;
  let isAskedAlone = false;

  async function reachEnd(): Promise<TurnEnd> {
    const { seated, answers } = recall() ?? (await seatAndAsk());
    signal.throwIfAborted();
    const given = answers.filter((answer) => answer.status === 'answered');
    if (given.length === 0 && seated.seats.length > 0)
      return { outcome: 'failed', explanation: whyNobodyAnswered(answers) };
    if (isAlone(seated)) return answered;

    const shown = given.map((answer) => cutTo(council.limits.maxAnswerChars, answer));
    const depth = depthOf(request, council.depth, seated);
    const withReviews = depth !== 'quick' && given.length > 1;
    // With the reviews of the turn to take deeper.
    const { reviews: ofEarlier = [] } = earlier ?? {};
    const own = passed ?? { answers: [], reviews: [] };
    const known = { ...own, reviews: [...own.reviews, ...ofEarlier] };
    const stage = { ...step, passed: known, seats: seated.seats, answers: shown, emit };
    const reviewed = withReviews ? holdReviews(stage) : Promise.resolve([]);
    // The round needs the answers alone, so it runs beside the reviews. Its events come after theirs.
    const emitLater = (event: TurnEvent) =>
      void reviewed.then(() => emit(event)).catch(() => undefined);
    const isDeep = withReviews && depth === 'deep';
    const held = isDeep ? holdRound({ ...stage, emit: emitLater }) : undefined;
    await Promise.allSettled([reviewed, held]);
    const [reviews, round] = await Promise.all([reviewed, held]);
    signal.throwIfAborted();
    const recasts = round?.recasts ?? [];
    // Without ballots, all answers would share the first place.
    const isVoted = [...reviews, ...recasts].some(({ ballot }) => ballot.status === 'ranked');
    const ranked = isVoted ? evaluateReviews(reviews, given, council, round) : undefined;
    if (ranked) emit({ type: 'ranked', ...ranked });

    // Almost always finished already. The verdict's time limit starts after it.
    const draft = await ownAnswer;
    emit({ type: 'stage_started', stage: 'verdict' });
    const verdict =
      passed?.verdict ??
      (await reachVerdict({
        ...stage,
        reviews,
        round,
        ranking: ranked?.ranking,
        ownAnswer: draft,
        earlier: earlier?.verdict,
      }));
    emit({ type: 'concluded', verdict });
    return answered;
  }

  function recall(): { seated: Seated; answers: readonly SageAnswer[] } | undefined {
    const { seated, answers = [] } = earlier ?? {};
    if (!seated) return undefined;
    hasSpoken = true;
    emit({ type: 'recalled', seated, answers });
    requestOwnAnswer();
    return { seated, answers };
  }

  /**
   * Starts sages as they are named. Holds their text back until the seating is complete; if it leaves a sage out,
   * drops the text and aborts the call.
   */
  async function seatAndAsk(): Promise<{ seated: Seated; answers: readonly SageAnswer[] }> {
    const { promise: seatsKnown, resolve: setSeats } = Promise.withResolvers<ReadonlySet<string>>();
    const gathering = new Gathering<SageAnswer>(signal, {
      ...council.limits,
      timeoutMs: council.limits.sageTimeoutMs,
    });
    const started = new Map<string, (cutoff: Cutoff) => void>();
    const start = (seat: Seat) => {
      if (!started.has(seat.sage.key)) started.set(seat.sage.key, ask(seat, gathering, seatsKnown));
    };

    emit({ type: 'stage_started', stage: 'moderator' });
    const onSeat = (seat: Seat) => {
      emit({ type: 'seat_named', seat });
      start(seat);
    };
    const seated = passed?.seated ?? (await seatCouncil({ ...step, onSeat }));
    emit({ type: 'seated', seated });
    isAskedAlone = isAlone(seated);
    if (seated.seats.length > 0) emit({ type: 'stage_started', stage: 'sages' });
    const seats = new Set(seated.seats.map(({ sage }) => sage.key));
    for (const [sage, withdraw] of started) if (!seats.has(sage)) withdraw(notSeated);
    setSeats(seats);
    for (const seat of seated.seats) {
      const given = passed?.answers.find((answer) => answer.sage === seat.sage.key);
      if (given) gathering.addResult(emitAnswer(given), given.status === 'answered');
      else start(seat);
    }
    // After the sages, in case the provider limits parallel calls.
    if (!isAskedAlone && seated.seats.length > 0) requestOwnAnswer();
    return { seated, answers: await gathering.close() };
  }

  function ask(
    seat: Seat,
    gathering: Gathering<SageAnswer>,
    seatsKnown: Promise<ReadonlySet<string>>,
  ): (cutoff: Cutoff) => void {
    const sage = seat.sage.key;
    let grown: string | undefined;
    let grow = (text: string) => {
      grown = text;
    };
    void seatsKnown.then((seats) => {
      if (!seats.has(sage)) return;
      grow = (text) => emit({ type: 'answer_grew', sage, answer: text });
      if (grown !== undefined) grow(grown);
    });
    return gathering.add({
      who: seat.sage.name,
      counts: (answer) => answer.status === 'answered',
      run: async (deadline) => {
        emit({ type: 'sage_started', sage });
        const onGrowth = (text: string) => grow(text);
        const answer = await askSage({ ...step, ...deadline, seat, isAskedAlone, onGrowth });
        const seats = await seatsKnown;
        return seats.has(sage) ? emitAnswer(answer) : answer;
      },
    });
  }

  /** Does nothing if the verdict is there already. */
  function requestOwnAnswer(): void {
    if (passed?.verdict) return;
    const known = passed?.ownAnswer ?? earlier?.ownAnswer;
    ownAnswer = (async () => {
      using linked = linkSignals(signal, over.signal);
      const given = known ?? (await askOwnAnswer({ ...step, signal: linked.signal }));
      linked.signal.throwIfAborted();
      emit({ type: 'own_answer', ownAnswer: given });
      return given;
    })();
    // An error is thrown where the promise is awaited, if the turn gets that far.
    ownAnswer.catch(() => undefined);
  }

  function emitAnswer(answer: SageAnswer): SageAnswer {
    hasSpoken ||= answer.status !== 'failed' && answer.answer !== '';
    emit({ type: 'answered', answer });
    return answer;
  }

  try {
    const end = await reachEnd().finally(() => over.abort(notNeeded));
    emit({ type: 'ended', end });
  } catch (error) {
    if (error instanceof ModelsUnavailable) {
      emit({ type: 'ended', end: { outcome: 'failed', explanation: error.message } });
    } else if (error instanceof Cutoff && error.reason === 'stopped') {
      emit({ type: 'ended', end: stoppedEnd(hasSpoken) });
    } else throw error;
  }
}

const answered: TurnEnd = { outcome: 'answered', explanation: '' };

// Created once, because nearly every turn ends without a call to abort.
const notNeeded = new Cutoff('stopped', 'The turn ended without a verdict.');
const notSeated = new Cutoff('stopped', 'The moderator did not seat it after all.');

function cutTo(maxChars: number, answer: SageAnswer): SageAnswer {
  if (answer.answer.length <= maxChars) return answer;
  return {
    ...answer,
    answer: `${answer.answer.slice(0, maxChars)}\n\n[cut here: the answer was longer than ${maxChars} characters]`,
  };
}

/** The most frequent cause: a wrong key, for example, fails all sages alike. */
function whyNobodyAnswered(answers: readonly SageAnswer[]): string {
  const alike = [...Map.groupBy(answers, ({ answer }) => answer)];
  const [most] = alike.toSorted(([, left], [, right]) => right.length - left.length);
  return (most?.[0] ?? '').replace(/^Error: /, '');
}
