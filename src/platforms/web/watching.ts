/** A turn as it is watched, whichever process runs it. */

import { randomUUID } from 'node:crypto';
import type { TurnEvent } from '../../council/events.ts';
import type { LiveTurns, Numbered } from './live-turns.ts';

/** How often a turn is looked up that another process runs, in milliseconds. */
const lookEveryMs = 1000;
/** Begins the ids of what is read from the store of a turn that has ended, and that is the same when read again. */
const keptPrefix = 'kept';

/** What is watched, and where it is found. */
export interface Watched {
  readonly turnId: string;
  readonly live: LiveTurns;
  /** Reads what is kept of it so far, in order. Nothing: the turn is gone. */
  readonly kept: () => Promise<readonly TurnEvent[] | undefined>;
  /** The last id that was read; one that says nothing here, e.g. of a process that has ended, tells everything again. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Tells a turn until `ended`: live where this process runs it, else from the store, looked up each second.
 * When the turn moves from one process to another, no step is told twice. Ends early when the turn is gone or
 * the signal is aborted. Throws what the store throws.
 */
export async function* watchTurn(watched: Watched): AsyncGenerator<Numbered> {
  const { turnId, live, kept, after, signal } = watched;
  const told = new Set<string>();
  // Of a turn that goes on, more may come in between: no reader goes on after such an id.
  const part = randomUUID();
  const isNew = (event: TurnEvent) => {
    const key = keyOf(event);
    if (key === undefined) return true;
    const isFirst = !told.has(key);
    told.add(key);
    return isFirst;
  };
  while (!signal.aborted) {
    for await (const one of live.get(turnId)?.from(after, signal) ?? []) {
      if (isNew(one.event)) yield one;
      if (one.event.type === 'ended') return;
    }
    if (signal.aborted) return;
    const events = await kept();
    if (!events) return;
    const hasEnded = events.at(-1)?.type === 'ended';
    for (const [index, event] of events.entries()) {
      const id = `${hasEnded ? keptPrefix : part}.${index + 1}`;
      if (isNew(event) && !(hasEnded && index < numberOfKept(after))) yield { id, event };
    }
    if (hasEnded) return;
    await live.begun(turnId, AbortSignal.any([signal, AbortSignal.timeout(lookEveryMs)]));
  }
}

function numberOfKept(id = ''): number {
  const [prefix, number] = id.split('.');
  return prefix === keptPrefix ? Number(number) || 0 : 0;
}

/** What tells a step of a turn from others; absent for what is told again with more in it. */
function keyOf(event: TurnEvent): string | undefined {
  switch (event.type) {
    case 'answer_grew':
    case 'verdict_grew':
      return undefined;
    case 'stage_started':
      return `stage ${event.stage}`;
    case 'seat_named':
      return `named ${event.seat.sage.key}`;
    case 'sage_started':
      return `started ${event.sage}`;
    case 'answered':
      return `answered ${event.answer.sage}`;
    case 'reviewed':
      return `reviewed ${event.review.reviewer}`;
    case 'rebutted':
      return `rebutted ${event.rebuttal.sage}`;
    case 'recast':
      return `recast ${event.ballot.reviewer}`;
    default:
      return event.type;
  }
}
