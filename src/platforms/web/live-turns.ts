/** Turns as they are watched: those of this process live, for any number of readers, each at its own pace; others from the store. */

import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { TurnEvent } from '../../council/events.ts';

/** An event of a turn, with the id by which reading goes on after it. */
export interface Numbered {
  readonly id: string;
  readonly event: TurnEvent;
}

/** How many turns that have ended are kept for readers who come back. */
const mostEnded = 50;

/**
 * What has happened in one attempt at a turn. Its size is bounded by the turn's: of a text that grows, only
 * the newest state is kept, so that a reader who falls behind misses growth and nothing else.
 */
export class LiveTurn {
  /** Tells the numbers of this attempt from those of another. */
  readonly #attempt: string;
  readonly #events: { readonly number: number; readonly event: TurnEvent }[] = [];
  #count = 0;
  #isOver = false;
  #changed = Promise.withResolvers<void>();

  constructor(attempt: string) {
    this.#attempt = attempt;
  }

  /** It is told to its end, or this process tells no more of it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  add(event: TurnEvent): void {
    const step = stepOf(event);
    const before = this.#events.findIndex(
      ({ event: one }) => isGrowth(one) && stepOf(one) === step,
    );
    if (before >= 0) this.#events.splice(before, 1);
    this.#count += 1;
    this.#events.push({ number: this.#count, event });
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /**
   * Tells what has happened, and then what happens, until it is over.
   *
   * @param after - The last id that was read; one of another attempt counts for nothing.
   */
  async *from(after: string | undefined, signal: AbortSignal): AsyncGenerator<Numbered> {
    let read = numberIn(after, this.#attempt);
    const aborted = Promise.withResolvers<void>();
    const abort = () => aborted.resolve();
    signal.addEventListener('abort', abort, { once: true });
    try {
      while (!signal.aborted) {
        // Taken before the list is read: what comes in between wakes this reader at once.
        const changed = this.#changed.promise;
        const next = this.#events.find(({ number }) => number > read);
        if (next) {
          read = next.number;
          yield { id: `${this.#attempt}.${next.number}`, event: next.event };
        } else if (this.#isOver) return;
        else await Promise.race([changed, aborted.promise]);
      }
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

export class LiveTurns {
  readonly #turns = new Map<string, LiveTurn>();
  /** Emits the id of each turn that begins. */
  readonly #beginnings = new EventEmitter().setMaxListeners(0);
  /** Tells the attempts of this process from those of others. */
  readonly #process = randomUUID().slice(0, 8);
  #count = 0;

  /** Starts telling a turn; one that was told before is told anew. */
  begin(turnId: string): LiveTurn {
    this.drop(turnId);
    this.#count += 1;
    const turn = new LiveTurn(`${this.#process}-${this.#count}`);
    const ended = [...this.#turns].filter(([, { isOver }]) => isOver);
    for (const [oldest] of ended.slice(0, Math.max(0, ended.length - mostEnded))) {
      this.#turns.delete(oldest);
    }
    this.#turns.set(turnId, turn);
    this.#beginnings.emit(turnId);
    return turn;
  }

  get(turnId: string): LiveTurn | undefined {
    return this.#turns.get(turnId);
  }

  /** Waits until the turn begins here, or the signal is aborted. */
  async begun(turnId: string, signal: AbortSignal): Promise<void> {
    if (this.#turns.has(turnId)) return;
    await once(this.#beginnings, turnId, { signal }).catch(() => undefined);
  }

  /** Tells no more of a turn here; its readers go on elsewhere. */
  drop(turnId: string): void {
    this.#turns.get(turnId)?.end();
    this.#turns.delete(turnId);
  }
}

/** Whether an event came before another one of the same attempt, or is that. */
export function isUpTo(id: string, last: string | undefined): boolean {
  const [attempt = '', number] = id.split('.');
  return Number(number) <= numberIn(last, attempt);
}

function numberIn(id: string | undefined, attempt: string): number {
  const [of, number] = id?.split('.') ?? [];
  return of === attempt ? Number(number) || 0 : 0;
}

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
    if (isGrowth(event)) return true;
    const isFirst = !told.has(stepOf(event));
    told.add(stepOf(event));
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
      if (isNew(event) && !(hasEnded && index < numberIn(after, keptPrefix))) yield { id, event };
    }
    if (hasEnded) return;
    await live.begun(turnId, AbortSignal.any([signal, AbortSignal.timeout(lookEveryMs)]));
  }
}

/** Whether it is told again with more in it. */
function isGrowth({ type }: TurnEvent): boolean {
  return type === 'answer_grew' || type === 'verdict_grew';
}

/** What tells a step of a turn from others; the growth of a text is of the step that ends it. */
function stepOf(event: TurnEvent): string {
  switch (event.type) {
    case 'verdict_grew':
      return 'concluded';
    case 'stage_started':
      return `stage ${event.stage}`;
    case 'seat_named':
      return `named ${event.seat.sage.key}`;
    case 'sage_started':
      return `started ${event.sage}`;
    case 'answer_grew':
      return `answered ${event.sage}`;
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
