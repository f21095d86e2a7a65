/** Computes the receipt of a turn: what it did and what it cost. */

import type { Round } from '../domain/docket.ts';
import type { FailureReason } from '../domain/failure.ts';
import { describeHeard, type HeardNote } from '../domain/heard.ts';
import type { MemoryUse, Ranked, Rating } from '../domain/stored-turn.ts';
import type { Position, Ranking, Seated } from '../domain/turn.ts';
import { confidenceInWords, seatingNote, sharedModelNote } from '../domain/turn-words.ts';
import { namesOf } from '../domain/words.ts';
import { blindRemark, type CallUsage } from '../models/chat-model.ts';
import type { PastTurn } from './past-turn.ts';

/** A stored model call. */
export interface ReceiptCall extends Omit<CallUsage, 'stage' | 'sage' | 'outcome' | 'remarks'> {
  readonly stage: string;
  readonly sageName?: string;
  readonly outcome: string;
}

export interface Receipt
  extends Partial<Pick<Seated, 'how' | 'note' | 'depth'>>,
    Pick<Ranking, 'agreement' | 'selfPreference'>,
    Pick<Ranked, 'disagreement'> {
  readonly turnId: string;
  readonly outcome: string;
  readonly explanation: string;
  /** Name of the saved council that the member chose. */
  readonly preset?: string;
  readonly seated: readonly {
    readonly sage: string;
    readonly name: string;
    readonly model: string;
    readonly status: 'answered' | 'failed' | 'stopped' | 'unfinished';
    readonly reason?: FailureReason;
    readonly latencyMs?: number;
  }[];
  readonly dropped: Seated['dropped'];
  /** How many ballots were readable, and the abstentions with their reasons. */
  readonly ballots: {
    readonly ranked: number;
    readonly abstained: readonly { readonly reviewer: string; readonly reason: string }[];
  };
  /** The rebuttal round; absent without a docket. */
  readonly round?: {
    readonly contradictions: number;
    readonly droppedQuotes: number;
    readonly positions: Readonly<Record<Position, number>>;
    readonly secondBallots: number;
    /** Why the docket failed. */
    readonly failure?: string;
  };
  /** The verdict's confidence and its reason, e.g. `low. There are no figures.`; absent if the chair gave none. */
  readonly confidence?: string;
  /** A warning that related models agree easily; absent if the models come from several families. */
  readonly caution?: string;
  readonly stagesMs: Readonly<Record<string, number>>;
  readonly interactionsRemembered: number;
  /** The conversation that was read; absent: none was to be read. */
  readonly heard?: HeardNote;
  /** How many people gave each rating. */
  readonly feedback: Readonly<Record<Rating, number>>;
  /** What people did with the verdict, and which turn this one follows, a sentence each. */
  readonly uses: readonly string[];
  /** The recalled memory, and how much was left out and why. */
  readonly memory?: MemoryUse;
  /** Notes on the models that were called, e.g. `vllm:qwen3 speaks JSON without schema`. */
  readonly remarks: readonly string[];
  /** Names of the sages whose models can’t see pictures. */
  readonly blind: readonly string[];
  /** The models' reasoning, in the order of the turn, where available. For `own_answer` it's the answer itself. */
  readonly reasoning: readonly {
    readonly stage:
      | 'moderator'
      | 'own_answer'
      | 'sage'
      | 'review'
      | 'docket'
      | 'rebuttal'
      | 'verdict';
    /** Name of the sage or reviewer; absent for moderator and chair. */
    readonly name?: string;
    readonly text: string;
  }[];
  readonly calls: readonly ReceiptCall[];
  readonly totals: {
    readonly calls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly reasoningTokens: number;
    readonly costUsd: number;
    /** How many calls have an unknown cost, which `costUsd` leaves out. */
    readonly callsWithoutCost: number;
    readonly callsEstimated: number;
  };
}

/** @param outcome - From the store. */
export function receiptOf(turn: PastTurn, outcome: string, calls: readonly ReceiptCall[]): Receipt {
  const { seated, ranked, ended } = turn;
  const { agreement, selfPreference } = ranked?.ranking ?? {};
  const [caution] = ranked ? sharedModelNote(ranked) : [];
  const confidence = turn.verdict && confidenceInWords(turn.verdict);
  const abstained = turn.reviews.flatMap(({ reviewer, ballot }) =>
    ballot.status === 'abstained' ? [{ reviewer, reason: ballot.reason }] : [],
  );
  const remarks = ended?.remarks ?? [];
  const seats = (seated?.seats ?? []).map((seat) => {
    const answer = turn.answers.find((candidate) => candidate.sage === seat.sage.key);
    return {
      sage: seat.sage.key,
      name: seat.sage.name,
      model: answer?.model ?? seat.model,
      status: answer?.status ?? ('unfinished' as const),
      ...(answer?.reason ? { reason: answer.reason } : {}),
      ...(answer ? { latencyMs: answer.latencyMs } : {}),
    };
  });
  const note = seatingNote(seated?.note, ended?.explanation);
  return {
    turnId: turn.request.turnId,
    outcome,
    explanation: ended?.explanation ?? '',
    ...(turn.request.preset === undefined ? {} : { preset: turn.request.preset }),
    ...(seated ? { how: seated.how } : {}),
    ...(note ? { note } : {}),
    ...(seated?.depth ? { depth: seated.depth } : {}),
    seated: seats,
    dropped: seated?.dropped ?? [],
    ballots: { ranked: turn.reviews.length - abstained.length, abstained },
    ...(turn.round ? { round: roundIn(turn.round) } : {}),
    ...(confidence === undefined ? {} : { confidence }),
    ...(agreement === undefined ? {} : { agreement }),
    ...(selfPreference === undefined ? {} : { selfPreference }),
    ...(ranked?.disagreement ? { disagreement: ranked.disagreement } : {}),
    ...(caution === undefined ? {} : { caution }),
    stagesMs: ended?.stagesMs ?? {},
    ...(turn.heard ? { heard: describeHeard(turn.heard) } : {}),
    interactionsRemembered: ended?.interactionsRemembered ?? 0,
    uses: usesIn(turn),
    feedback: { good: rated(turn, 'good'), bad: rated(turn, 'bad') },
    ...(ended?.memory ? { memory: ended.memory } : {}),
    remarks,
    blind: seats.flatMap(({ name, model }) =>
      remarks.includes(`${model} ${blindRemark}`) ? [name] : [],
    ),
    reasoning: reasoningIn(turn),
    calls,
    totals: totalsOf(calls),
  };
}

function reasoningIn({
  seated,
  ownAnswer,
  answers,
  reviews,
  round,
  verdict,
}: PastTurn): Receipt['reasoning'] {
  const nameOf = namesOf(seated?.seats.map(({ sage }) => sage) ?? []);
  const thoughts = [
    ['moderator', undefined, seated?.reasoning],
    ['own_answer', undefined, ownAnswer?.text || undefined],
    ...answers.map(({ sage, reasoning }) => ['sage', sage, reasoning] as const),
    ...reviews.map(({ reviewer, reasoning }) => ['review', reviewer, reasoning] as const),
    ['docket', undefined, round?.docket.reasoning],
    ...(round?.rebuttals ?? []).map((one) => ['rebuttal', one.sage, one.reasoning] as const),
    ['verdict', undefined, verdict?.reasoning],
  ] as const;
  return thoughts.flatMap(([stage, sage, text]) =>
    text === undefined ? [] : [{ stage, ...(sage !== undefined && { name: nameOf(sage) }), text }],
  );
}

function roundIn({ docket, rebuttals, recasts }: Round): NonNullable<Receipt['round']> {
  const countOf = (position: Position) =>
    rebuttals.filter((one) => one.position === position && !one.failure).length;
  return {
    contradictions: docket.contradictions.length,
    droppedQuotes: docket.droppedQuotes,
    positions: {
      held: countOf('held'),
      amended: countOf('amended'),
      conceded: countOf('conceded'),
    },
    secondBallots: recasts.filter(({ ballot }) => ballot.status === 'ranked').length,
    ...(docket.failure ? { failure: docket.failure.explanation } : {}),
  };
}

function usesIn({ request, seated, verdict, followed, posted }: PastTurn): readonly string[] {
  const nameOf = namesOf(seated?.seats.map(({ sage }) => sage) ?? []);
  const { follows } = request;
  const how = follows?.again ? 'Asks a sage again' : 'Suggested by the verdict';
  return [
    ...(follows ? [`${how}: turn ${follows.turnId}.`] : []),
    ...followed.map(({ sage, suggestion = -1, turnId }) =>
      sage === undefined
        ? `Asked: ${verdict?.nextQuestions?.[suggestion] ?? 'a question'} (turn ${turnId})`
        : `Asked again: ${nameOf(sage)} (turn ${turnId})`,
    ),
    ...(posted?.post === undefined ? [] : ['Posted to the channel.']),
  ];
}

function rated({ feedback }: PastTurn, rating: Rating): number {
  return feedback.filter((one) => one.rating === rating).length;
}

function totalsOf(calls: readonly ReceiptCall[]): Receipt['totals'] {
  const sum = (figure: (call: ReceiptCall) => number) =>
    calls.reduce((total, call) => total + figure(call), 0);
  return {
    calls: calls.length,
    inputTokens: sum((call) => call.inputTokens),
    outputTokens: sum((call) => call.outputTokens),
    reasoningTokens: sum((call) => call.reasoningTokens),
    costUsd: sum((call) => call.costUsd ?? 0),
    callsWithoutCost: sum((call) => (call.costUsd === undefined ? 1 : 0)),
    callsEstimated: sum((call) => (call.estimated ? 1 : 0)),
  };
}
