/** Seats the council: the sages that the member chose, fixed seats, or the moderator's choice. */

import type { FailureReason } from '../domain/failure.ts';
import { keptReasoning, type Seat, type Seated } from '../domain/turn.ts';
import { depthOf, moderatorChoosesDepth, type StepInput } from './council.ts';
import { askInTime } from './cutoff.ts';
import {
  hasSpoken,
  moderatorMessages,
  type Overheard,
  overheardShape,
  type Seating,
  seatingAndDepthShape,
  seatingShape,
} from './prompts/moderator-prompt.ts';
import { nameProblem } from './sage-name.ts';
import { SeatList } from './seat-list.ts';

export interface SeatingInput extends StepInput {
  /** Called once per seat as soon as it's named, unless it's asked alone; `seatCouncil` may still leave it out. */
  readonly onSeat: (seat: Seat) => void;
}

/** A single sage that was asked for answers without reviews and verdict. */
export function isAlone({ how, seats }: Pick<Seated, 'how' | 'seats'>): boolean {
  return how === 'addressed' && seats.length === 1;
}

/**
 * Seats a council.
 *
 * @returns At least one seat, unless the chair answers alone. If the moderator names no sage, can't be understood or
 *   fails, the fallback council with a note that says why.
 * @throws {@link ModelsUnavailable} if the fallback council would fail, too; and when the turn was stopped.
 */
export async function seatCouncil(input: SeatingInput): Promise<Seated> {
  const { request, council } = input;
  const startedAt = Date.now();
  const { seated } = request.convened ?? {};
  if (seated) {
    if (!isAlone(seated)) for (const seat of seated.seats) input.onSeat(seat);
    return seated;
  }
  // Turns of earlier versions may have guests with misleading names.
  const guests = (request.guests ?? []).filter(({ name }) => !nameProblem(name, []));
  const bench = [...council.bench, ...guests];
  const newList = () => newSeatList(input, bench);
  const named = request.sages ?? (council.seats === 'moderated' ? undefined : council.seats);
  const {
    list,
    early,
    problem,
    reasoning,
    depth: chosenDepth,
  }: Moderated = named
    ? { list: listOf(named, newList()), early: new Map<string, Seat>() }
    : await askModerator(input, newList);
  const depth = chosenDepth && depthOf(request, council.depth, { depth: chosenDepth });
  const isFallback = list.seats.length === 0 && !list.isAlone;
  if (isFallback) list.nameFromBench(council.fallbackSage);
  const how = isFallback
    ? ({ how: 'fallback', because: problem?.because ?? 'named_nobody' } as const)
    : ({
        how: request.sages || list.isAlone ? 'addressed' : named ? 'fixed' : 'moderated',
      } as const);
  const notes = [
    ...(isFallback ? [problem?.explanation ?? (named ? noneOnBench : noneNamed)] : []),
    ...(chosenDepth && chosenDepth !== depth
      ? [
          `The question deserves depth ${chosenDepth} but gets ${depth}: more isn't allowed here, or the budget doesn't cover it.`,
        ]
      : []),
  ];
  const { focus } = request.follows?.again ?? {};
  // A sage that has started keeps its focus, and one that is asked again keeps the earlier one.
  const seats = list.seats.map((seat) => ({
    ...(early.get(seat.sage.key) ?? seat),
    ...(focus === undefined ? {} : { focus }),
  }));
  const unseen = isAlone({ ...how, seats }) ? [] : seats;
  for (const seat of unseen) if (!early.has(seat.sage.key)) input.onSeat(seat);
  const seatedKeys = new Set(seats.map(({ sage }) => sage.key));
  const withdrawn = [...early.values()].filter(({ sage }) => !seatedKeys.has(sage.key));
  return {
    seats,
    ...(list.onRequest === undefined ? {} : { onRequest: list.onRequest }),
    ...how,
    dropped: [
      ...list.dropped,
      ...withdrawn.map(({ sage }) => ({ name: sage.name, why: withdrawnWhy })),
    ],
    ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
    ...(depth ? { depth } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
    latencyMs: Date.now() - startedAt,
  };
}

/** @param bench - Includes guests of the thread. */
export function newSeatList(
  { council, models, context }: Pick<StepInput, 'council' | 'models' | 'context'>,
  bench: StepInput['council']['bench'],
): SeatList {
  return new SeatList({ ...council, bench }, (sage) => models.sage(sage).id, hasSpoken(context));
}

const noneOnBench = 'None of the chosen sages is on this bench.';
const noneNamed = 'The moderator named no one who can be seated here.';
const withdrawnWhy =
  'the moderator named it, but not among those who sit in the end; its call was stopped';

function listOf(named: readonly string[], list: SeatList): SeatList {
  for (const key of named) list.nameFromBench(key);
  return list;
}

interface Moderated extends Pick<Seated, 'reasoning' | 'depth'> {
  /** The seats in the valid reply; empty without one. */
  readonly list: SeatList;
  /** The seats that were announced while the first reply was being written, by key. */
  readonly early: ReadonlyMap<string, Seat>;
  /** Why there is no valid reply; `explanation` is for people. */
  readonly problem?: {
    readonly because: 'failed' | 'not_understood';
    readonly explanation: string;
  };
}

/** Failures that would also hit a sage on the same model. */
const persistentFailures: ReadonlySet<FailureReason> = new Set([
  ...(['key_rejected', 'payment_required', 'model_not_found', 'wrong_address'] as const),
  'unreachable',
]);

/** No model can answer, so the turn ends. The message says why, and what to do. */
export class ModelsUnavailable extends Error {
  override readonly name = 'ModelsUnavailable';
}

/**
 * Asks the moderator. Only the first reply starts sages while it's being written; a repaired reply is read as a
 * whole, so that at most one council starts early.
 */
async function askModerator(input: SeatingInput, newList: () => SeatList): Promise<Moderated> {
  const { request, council, models } = input;
  const isDepthOpen = moderatorChoosesDepth(request, council.depth);
  const early = new Map<string, Seat>();
  let firstReply: SeatList | undefined = newList();
  const reply = await askInTime<Seating & Pick<Seated, 'depth'>>(
    models.moderator,
    {
      messages: moderatorMessages(request.question, council, input.context, isDepthOpen),
      stage: 'moderator',
      signal: input.signal,
      who: 'The moderator',
      timeoutMs: council.limits.moderatorTimeoutMs,
    },
    isDepthOpen ? seatingAndDepthShape : seatingShape,
    {
      onSettled: (path, value) => firstReply && addPart(path, value, firstReply),
      onPartial: () => firstReply && announce(firstReply, early, input.onSeat),
      onRestart: () => {
        firstReply = undefined;
      },
    },
  );
  if (reply.status === 'failed') {
    const fallback = council.bench.find(({ key }) => key === council.fallbackSage);
    const isShared = fallback && models.sage(fallback).id === models.moderator.id;
    if (isShared && persistentFailures.has(reply.reason)) {
      throw new ModelsUnavailable(reply.explanation);
    }
    // The same model speaks for the fallback sage, and tells the cause itself if it fails again.
    const isToldLater = isShared && reply.reason !== 'timed_out';
    const explanation = isToldLater
      ? 'The moderator failed.'
      : `The moderator failed: ${reply.explanation}`;
    return { list: newList(), early, problem: { because: 'failed', explanation } };
  }
  const kept = { early, ...keptReasoning(reply.reply.reasoning) };
  if (reply.status === 'shaped') {
    const { depth } = reply.value;
    return { list: addAll(reply.value, newList()), ...kept, ...(depth && { depth }) };
  }
  const explanation = 'The moderator could not be understood: its reply was malformed.';
  return { list: newList(), ...kept, problem: { because: 'not_understood', explanation } };
}

/** Calls `onSeat` for new seats. Their focus is final, because the sages start now. */
function announce(list: SeatList, seats: Map<string, Seat>, onSeat: (seat: Seat) => void): void {
  for (const seat of list.seats) {
    if (seats.has(seat.sage.key)) continue;
    seats.set(seat.sage.key, seat);
    onSeat(seat);
  }
}

/** Adds a complete entry of a list in a reply that is still being written. */
function addPart(path: readonly (string | number)[], value: unknown, list: SeatList): void {
  const [field = '', index, ...deeper] = path;
  if (typeof index !== 'number' || deeper.length > 0) return;
  const part = overheardShape.schema.safeParse({ [field]: [value] });
  if (!part.success) return;
  addAll(part.data, list);
  // The focus names its sage well before the list does.
  for (const { sage } of part.data.focus ?? []) list.nameFromBench(sage);
}

/** Seats the sages that the moderator's complete reply names. @returns The same list. */
export function addAll(reply: Overheard, list: SeatList): SeatList {
  for (const { sage, query } of reply.focus ?? []) list.setFocus(sage, query);
  if (reply.on_request) list.setOnRequest(reply.on_request);
  for (const key of reply.predefined_chosen_sages ?? []) list.nameFromBench(key);
  for (const { name, description } of reply.new_sages_to_create ?? [])
    list.nameNew(name, description);
  if (reply.alone) list.setAlone(reply.alone);
  return list;
}
