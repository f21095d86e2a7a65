/** Decides who sits: by what the member asked for, by fixed seats, or by asking the moderator. */

import { askInShape } from '../models/structured.ts';
import type { Council, CouncilContext, CouncilModels, TurnRequest } from './council.ts';
import { startDeadline } from './cutoff.ts';
import type { Seat, Seated } from './events.ts';
import { failureOf } from './failure.ts';
import {
  focusSchema,
  moderatorMessages,
  newSageSchema,
  type Seating,
  seatingShape,
} from './prompts/moderator-prompt.ts';
import { SeatList } from './seat-list.ts';

export interface SeatingInput {
  readonly request: TurnRequest;
  readonly council: Council;
  readonly context: CouncilContext;
  readonly models: CouncilModels;
  readonly signal: AbortSignal;
  /** Called once for each seat, the moment it is certain. */
  readonly onSeat: (seat: Seat) => void;
}

/**
 * Seats a council.
 *
 * @returns At least one seat. Nobody named, or a moderator that can't be understood or reached,
 *   gives the fallback council and a note that says why. Throws only when the turn was stopped.
 */
export async function seatCouncil(input: SeatingInput): Promise<Seated> {
  const { request, council } = input;
  const startedAt = Date.now();
  const bench = [...council.bench, ...(request.guests ?? [])];
  const list = new SeatList({ ...council, bench }, (sage) => input.models.sage(sage).id);
  const seats = new Map<string, Seat>();
  const named = request.sages ?? (council.seats === 'moderated' ? undefined : council.seats);
  let how: Seated['how'] = request.sages ? 'addressed' : named ? 'fixed' : 'moderated';
  let note: string | undefined;
  if (named) for (const key of named) list.nameFromBench(key);
  else note = await askModerator(input, list, seats);
  if (list.seats.length === 0) {
    how = 'fallback';
    note ??= 'Nobody who was named sits on this bench.';
    list.nameFromBench(council.fallbackSage);
  }
  announce(list, seats, input.onSeat);
  return {
    seats: [...seats.values()],
    how,
    dropped: [...list.dropped],
    ...(note ? { note } : {}),
    latencyMs: Date.now() - startedAt,
  };
}

/** Fills the list from the moderator's stream; gives a note where it did not go as it should. */
async function askModerator(
  input: SeatingInput,
  list: SeatList,
  seats: Map<string, Seat>,
): Promise<string | undefined> {
  const { request, council, models } = input;
  const deadline = startDeadline(input.signal, council.limits.moderatorTimeoutMs, 'The moderator');
  try {
    const reply = await askInShape(
      models.moderator,
      {
        messages: moderatorMessages(request.question, council, input.context),
        stage: 'moderator',
        signal: deadline.signal,
        onWait: deadline.pause,
      },
      seatingShape,
      {
        onSettled: (path, value) => takeSettled(path, value, list),
        onPartial: () => announce(list, seats, input.onSeat),
      },
    );
    if (reply.status === 'shaped') takeWhole(reply.value, list);
    else if (list.seats.length === 0)
      return `The moderator could not be understood: ${reply.problem}`;
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.reason === 'stopped') throw error;
    return `The moderator failed: ${failure.explanation}`;
  } finally {
    deadline.clear();
  }
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

function takeWhole(seating: Seating, list: SeatList): void {
  for (const { sage, query } of seating.focus) list.setFocus(sage, query);
  for (const key of seating.predefined_chosen_sages) list.nameFromBench(key);
  for (const { name, description } of seating.new_sages_to_create) list.nameNew(name, description);
}
