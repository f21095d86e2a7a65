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
  const work = new Deliberation({ ...input, signal }, (event) => channel.push(event)).run().then(
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

class Deliberation {
  readonly #input: TurnInput;
  readonly #emit: (event: TurnEvent) => void;
  /** The chair's own answer, requested while the sages think; absent if there will be no verdict. */
  #ownAnswer: Promise<OwnAnswer> | undefined;
  #hasSpoken = false;
  #isAskedAlone = false;
  /** Aborts calls whose result is no longer needed. */
  readonly #over = new AbortController();

  constructor(input: TurnInput, emit: (event: TurnEvent) => void) {
    const { council, request } = input;
    // Where the question is our own sentence, its language isn't the asker's.
    const isOurs = !council.language && isWordless(request.question);
    const language = 'the language of the conversation around the question';
    this.#input = isOurs ? { ...input, council: { ...council, language } } : input;
    this.#emit = emit;
  }

  async run(): Promise<void> {
    try {
      const end = await this.#deliberate().finally(() => this.#over.abort(notNeeded));
      this.#emit({ type: 'ended', end });
    } catch (error) {
      if (error instanceof ModelsUnavailable) {
        this.#emit({ type: 'ended', end: { outcome: 'failed', explanation: error.message } });
      } else if (error instanceof Cutoff && error.reason === 'stopped') {
        this.#emit({ type: 'ended', end: stoppedEnd(this.#hasSpoken) });
      } else throw error;
    }
  }

  async #deliberate(): Promise<TurnEnd> {
    const { request, council, signal } = this.#input;
    const { seated, answers } = this.#recall() ?? (await this.#seatAndAsk());
    signal.throwIfAborted();
    const given = answers.filter((answer) => answer.status === 'answered');
    if (given.length === 0 && seated.seats.length > 0)
      return { outcome: 'failed', explanation: whyNobodyAnswered(answers) };
    if (isAlone(seated)) return answered;

    const shown = given.map((answer) => cutTo(council.limits.maxAnswerChars, answer));
    const depth = depthOf(request, council.depth, seated);
    const withReviews = depth !== 'quick' && given.length > 1;
    const passed = this.#passed();
    const stage = { ...this.#input, passed, seats: seated.seats, answers: shown, emit: this.#emit };
    const reviewed = withReviews ? holdReviews(stage) : Promise.resolve([]);
    // The round needs the answers alone, so it runs beside the reviews. Its events come after theirs.
    const emit = (event: TurnEvent) =>
      void reviewed.then(() => this.#emit(event)).catch(() => undefined);
    const held = withReviews && depth === 'deep' ? holdRound({ ...stage, emit }) : undefined;
    await Promise.allSettled([reviewed, held]);
    const [reviews, round] = await Promise.all([reviewed, held]);
    signal.throwIfAborted();
    const recasts = round?.recasts ?? [];
    // Without ballots, all answers would share the first place.
    const isVoted = [...reviews, ...recasts].some(({ ballot }) => ballot.status === 'ranked');
    const ranked = isVoted ? evaluateReviews(reviews, given, council, round) : undefined;
    if (ranked) this.#emit({ type: 'ranked', ...ranked });

    // Almost always finished already. The verdict's time limit starts after it.
    const ownAnswer = await this.#ownAnswer;
    this.#emit({ type: 'stage_started', stage: 'verdict' });
    const verdict =
      passed.verdict ??
      (await reachVerdict({
        ...this.#input,
        seats: seated.seats,
        answers: shown,
        reviews,
        round,
        ranking: ranked?.ranking,
        ownAnswer,
        earlier: this.#input.earlier?.verdict,
        onGrowth: (text) => this.#emit({ type: 'verdict_grew', verdict: text }),
      }));
    this.#emit({ type: 'concluded', verdict });
    return answered;
  }

  #recall(): { seated: Seated; answers: readonly SageAnswer[] } | undefined {
    const { seated, answers = [] } = this.#input.earlier ?? {};
    if (!seated) return undefined;
    this.#hasSpoken = true;
    this.#emit({ type: 'recalled', seated, answers });
    if (!this.#input.passed?.verdict) this.#ownAnswer = this.#askOwnAnswer();
    return { seated, answers };
  }

  /** The finished steps, with the reviews of the turn to take deeper. */
  #passed(): PassedCheckpoints {
    const { passed = { answers: [], reviews: [] }, earlier } = this.#input;
    return earlier ? { ...passed, reviews: [...passed.reviews, ...earlier.reviews] } : passed;
  }

  /**
   * Starts sages as they are named. Holds their text back until the seating is complete; if it leaves a sage out,
   * drops the text and aborts the call.
   */
  async #seatAndAsk(): Promise<{ seated: Seated; answers: readonly SageAnswer[] }> {
    const { council, passed, signal } = this.#input;
    const { promise: seatsKnown, resolve: setSeats } = Promise.withResolvers<ReadonlySet<string>>();
    const gathering = new Gathering<SageAnswer>(signal, {
      ...council.limits,
      timeoutMs: council.limits.sageTimeoutMs,
    });
    const started = new Map<string, (cutoff: Cutoff) => void>();
    const start = (seat: Seat) => {
      if (!started.has(seat.sage.key))
        started.set(seat.sage.key, this.#ask(seat, gathering, seatsKnown));
    };

    this.#emit({ type: 'stage_started', stage: 'moderator' });
    const onSeat = (seat: Seat) => {
      this.#emit({ type: 'seat_named', seat });
      start(seat);
    };
    const seated = passed?.seated ?? (await seatCouncil({ ...this.#input, onSeat }));
    this.#emit({ type: 'seated', seated });
    this.#isAskedAlone = isAlone(seated);
    if (seated.seats.length > 0) this.#emit({ type: 'stage_started', stage: 'sages' });
    const seats = new Set(seated.seats.map(({ sage }) => sage.key));
    for (const [sage, withdraw] of started) if (!seats.has(sage)) withdraw(notSeated);
    setSeats(seats);
    for (const seat of seated.seats) {
      const earlier = passed?.answers.find((answer) => answer.sage === seat.sage.key);
      if (earlier) gathering.addResult(this.#emitAnswer(earlier), earlier.status === 'answered');
      else start(seat);
    }
    // After the sages, in case the provider limits parallel calls.
    const isCouncil = !isAlone(seated) && seated.seats.length > 0;
    if (isCouncil && !passed?.verdict) this.#ownAnswer = this.#askOwnAnswer();
    return { seated, answers: await gathering.close() };
  }

  #ask(
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
      grow = (text) => this.#emit({ type: 'answer_grew', sage, answer: text });
      if (grown !== undefined) grow(grown);
    });
    return gathering.add({
      who: seat.sage.name,
      counts: (answer) => answer.status === 'answered',
      run: async (deadline) => {
        this.#emit({ type: 'sage_started', sage });
        const answer = await askSage({
          ...this.#input,
          ...deadline,
          seat,
          isAskedAlone: this.#isAskedAlone,
          onGrowth: (text) => grow(text),
        });
        const seats = await seatsKnown;
        return seats.has(sage) ? this.#emitAnswer(answer) : answer;
      },
    });
  }

  #askOwnAnswer(): Promise<OwnAnswer> {
    const { passed, earlier } = this.#input;
    const known = passed?.ownAnswer ?? earlier?.ownAnswer;
    const asked = (async () => {
      using linked = linkSignals(this.#input.signal, this.#over.signal);
      const { signal } = linked;
      const ownAnswer = known ?? (await askOwnAnswer({ ...this.#input, signal }));
      signal.throwIfAborted();
      this.#emit({ type: 'own_answer', ownAnswer });
      return ownAnswer;
    })();
    // An error is thrown where the promise is awaited, if the turn gets that far.
    asked.catch(() => undefined);
    return asked;
  }

  #emitAnswer(answer: SageAnswer): SageAnswer {
    this.#hasSpoken ||= answer.status !== 'failed' && answer.answer !== '';
    this.#emit({ type: 'answered', answer });
    return answer;
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
  const counts = new Map<string, number>();
  for (const { answer } of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const [cause] = [...counts].sort(([, left], [, right]) => right - left)[0] ?? [''];
  return cause.replace(/^Error: /, '');
}
