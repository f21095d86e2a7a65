/** Decides who sits: by what the member asked for, by fixed seats, or by asking the moderator. */

import type { FailureReason } from '../domain/failure.ts';
import { keptReasoning, type Seat, type Seated } from '../domain/turn.ts';
import { depthOf, moderatorChoosesDepth, type StepInput } from './council.ts';
import { askInTime } from './cutoff.ts';
import {
  focusSchema,
  moderatorMessages,
  newSageSchema,
  type Seating,
  seatingAndDepthShape,
  seatingShape,
} from './prompts/moderator-prompt.ts';
import { wrongWithName } from './sage-name.ts';
import { SeatList } from './seat-list.ts';

export interface SeatingInput extends StepInput {
  /** Called once for each seat, the moment it is named. Only what `seatCouncil` returns is seated. */
  readonly onSeat: (seat: Seat) => void;
}

/**
 * Seats a council.
 *
 * @returns At least one seat. No one named, or a moderator that can't be understood or reached,
 *   gives the fallback council and a note that says why. Throws when the turn was stopped, and
 *   {@link ModelsAway} when the fallback council could not be reached either.
 */
export async function seatCouncil(input: SeatingInput): Promise<Seated> {
  const { request, council } = input;
  const startedAt = Date.now();
  const { seated } = request.convened ?? {};
  if (seated) {
    for (const seat of seated.seats) input.onSeat(seat);
    return seated;
  }
  // Turns of earlier versions may bring along guests whose names mislead.
  const guests = (request.guests ?? []).filter(({ name }) => !wrongWithName(name, []));
  const bench = [...council.bench, ...guests];
  const newList = () => newSeatList(input, bench);
  const named = request.sages ?? (council.seats === 'moderated' ? undefined : council.seats);
  const {
    list,
    early,
    problem,
    reasoning,
    depth: said,
  }: Moderated = named
    ? { list: listOf(named, newList()), early: new Map<string, Seat>() }
    : await askModerator(input, newList);
  const depth = said && depthOf(request, council.depth, { depth: said });
  const isFallback = list.seats.length === 0;
  if (isFallback) list.nameFromBench(council.fallbackSage);
  const how = isFallback
    ? ({ how: 'fallback', because: problem?.because ?? 'named_nobody' } as const)
    : ({ how: request.sages ? 'addressed' : named ? 'fixed' : 'moderated' } as const);
  const notes = [
    ...(isFallback ? [problem?.told ?? nobodyNamed(named !== undefined, list)] : []),
    ...renamedNotes(list),
    ...(said && said !== depth
      ? [
          `It deserves depth ${said}, and goes to ${depth}: more is not allowed here, or not paid for.`,
        ]
      : []),
  ];
  const { focus } = request.follows?.again ?? {};
  // A sage that has started keeps the focus it started with, and one that is asked again its own.
  const seats = list.seats.map((seat) => ({
    ...(early.get(seat.sage.key) ?? seat),
    ...(focus === undefined ? {} : { focus }),
  }));
  for (const seat of seats) if (!early.has(seat.sage.key)) input.onSeat(seat);
  const seatedKeys = new Set(seats.map(({ sage }) => sage.key));
  const withdrawn = [...early.values()].filter(({ sage }) => !seatedKeys.has(sage.key));
  return {
    seats,
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

/** @param bench - Who may sit; guests of the thread included. */
export function newSeatList(
  { council, models }: Pick<StepInput, 'council' | 'models'>,
  bench: StepInput['council']['bench'],
): SeatList {
  return new SeatList({ ...council, bench }, (sage) => models.sage(sage).id);
}

/** Seats whom a whole reply of the moderator names. */
export function moderatedSeats(seating: Seating, list: SeatList): Omit<Seated, 'latencyMs'> {
  takeWhole(seating, list);
  const notes = renamedNotes(list);
  return {
    ...{ seats: [...list.seats], how: 'moderated' as const, dropped: [...list.dropped] },
    ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
  };
}

function renamedNotes({ renamed }: SeatList): readonly string[] {
  return renamed.map(({ given, name }) => `“${given}” sits as “${name}”.`);
}

const withdrawnWhy =
  'the moderator named it in a reply that could not be used; its call was stopped';

function listOf(named: readonly string[], list: SeatList): SeatList {
  for (const key of named) list.nameFromBench(key);
  return list;
}

function nobodyNamed(isNamedHere: boolean, { dropped }: SeatList): string {
  if (isNamedHere) return 'None of those who were named sits on this bench.';
  return dropped.length === 0
    ? 'The moderator named no one.'
    : 'None of those whom the moderator named can sit here.';
}

interface Moderated extends Pick<Seated, 'reasoning' | 'depth'> {
  /** Whom the valid reply names; empty without one. */
  readonly list: SeatList;
  /** Whom `onSeat` was told of while the first reply was being written, by key. */
  readonly early: ReadonlyMap<string, Seat>;
  /** Why there is no valid reply; `told` is for people. */
  readonly problem?: { readonly because: 'failed' | 'not_understood'; readonly told: string };
}

/** With these, the same model would not answer a sage either. */
const meetsEveryCall: ReadonlySet<FailureReason> = new Set([
  ...(['key_rejected', 'payment_required', 'model_not_found', 'wrong_address'] as const),
  'unreachable',
]);

/** There is no one to ask: the turn ends here. The message says why, and what to do. */
export class ModelsAway extends Error {
  override readonly name = 'ModelsAway';
}

/**
 * Asks the moderator. Only the first reply starts sages while it is being written: once one has proved
 * invalid, the next is read whole, so that a moderator that stumbles starts no more than one council.
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
      ...{ stage: 'moderator', signal: input.signal },
      ...{ who: 'The moderator', timeoutMs: council.limits.moderatorTimeoutMs },
    },
    isDepthOpen ? seatingAndDepthShape : seatingShape,
    {
      onSettled: (path, value) => firstReply && takeSettled(path, value, firstReply),
      onPartial: () => firstReply && announce(firstReply, early, input.onSeat),
      onRestart: () => {
        firstReply = undefined;
      },
    },
  );
  if (reply.status === 'failed') {
    const fallback = council.bench.find(({ key }) => key === council.fallbackSage);
    const isShared = fallback && models.sage(fallback).id === models.moderator.id;
    if (isShared && meetsEveryCall.has(reply.reason)) throw new ModelsAway(reply.explanation);
    const told = `The moderator failed: ${reply.explanation}`;
    return { list: newList(), early, problem: { because: 'failed', told } };
  }
  const kept = { early, ...keptReasoning(reply.reply.reasoning) };
  if (reply.status === 'shaped') {
    const { depth } = reply.value;
    return { list: takeWhole(reply.value, newList()), ...kept, ...(depth && { depth }) };
  }
  const told = `The moderator could not be understood: ${reply.problem}`;
  return { list: newList(), ...kept, problem: { because: 'not_understood', told } };
}

/** Tells of the seats that are new, each as it is known now: a sage that has started gets no other focus later. */
function announce(list: SeatList, seats: Map<string, Seat>, onSeat: (seat: Seat) => void): void {
  for (const seat of list.seats) {
    if (seats.has(seat.sage.key)) continue;
    seats.set(seat.sage.key, seat);
    onSeat(seat);
  }
}

/** A part of the reply that is complete while the rest is still being written. */
function takeSettled(path: readonly (string | number)[], value: unknown, list: SeatList): void {
  const [field, index, ...deeper] = path;
  if (typeof index !== 'number' || deeper.length > 0) return;
  if (field === 'focus') {
    const focus = focusSchema.safeParse(value);
    if (focus.success) list.setFocus(focus.data.sage, focus.data.query);
  } else if (field === 'predefined_chosen_sages') {
    if (typeof value === 'string') list.nameFromBench(value);
  } else if (field === 'new_sages_to_create') {
    const sage = newSageSchema.safeParse(value);
    if (sage.success) list.nameNew(sage.data.name, sage.data.description);
  }
}

function takeWhole(seating: Seating, list: SeatList): SeatList {
  for (const { sage, query } of seating.focus) list.setFocus(sage, query);
  for (const key of seating.predefined_chosen_sages) list.nameFromBench(key);
  for (const { name, description } of seating.new_sages_to_create) list.nameNew(name, description);
  return list;
}
