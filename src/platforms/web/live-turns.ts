/** Watching turns: live, for any number of readers, if this process runs them; otherwise by polling the store. */

import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { TurnEvent } from '../../council/events.ts';

/** An event of a turn, with the id after which a reader can resume. */
export interface NumberedEvent {
  readonly id: string;
  readonly event: TurnEvent;
}

/** How many ended turns are kept for readers who reconnect. */
const mostEnded = 50;

/**
 * The events of one attempt at a turn. Only the latest state of a growing text is kept, which bounds the size:
 * a slow reader skips intermediate states of texts and nothing else.
 */
class LiveTurn {
  /** Prefix of the event ids; differs between attempts and processes. */
  readonly #attempt = randomUUID();
  /** By step, in the order in which they came. */
  readonly #events = new Map<string, { readonly number: number; readonly event: TurnEvent }>();
  #count = 0;
  #isOver = false;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  /** The turn has ended, or this process no longer runs it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  add(event: TurnEvent): void {
    const step = stepOf(event);
    const earlier = this.#events.get(step);
    // A text may still grow after its step is complete: a model server can be late.
    if (earlier && !isGrowth(earlier.event)) return;
    this.#count += 1;
    // Moves it behind the others.
    this.#events.delete(step);
    this.#events.set(step, { number: this.#count, event });
    this.#changes.emit('change');
  }

  end(): void {
    this.#isOver = true;
    this.#changes.emit('change');
  }

  /**
   * Yields past events, then new ones, until it is over.
   *
   * @param after - The last id that was read; ignored if it is from another attempt.
   */
  async *from(after: string | undefined, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
    let read = numberIn(after, this.#attempt);
    while (!signal.aborted) {
      const next = [...this.#events.values()].find(({ number }) => number > read);
      if (next) {
        read = next.number;
        yield { id: `${this.#attempt}.${next.number}`, event: next.event };
      } else if (this.#isOver) return;
      else await once(this.#changes, 'change', { signal }).catch(() => undefined);
    }
  }
}

export class LiveTurns {
  readonly #turns = new Map<string, LiveTurn>();
  /** Emits the id of each turn that begins. */
  readonly #begins = new EventEmitter().setMaxListeners(0);

  /** Starts a new attempt at a turn, replacing an earlier one. */
  begin(turnId: string): LiveTurn {
    this.drop(turnId);
    const turn = new LiveTurn();
    const ended = [...this.#turns].filter(([, { isOver }]) => isOver);
    for (const [oldest] of ended.slice(0, Math.max(0, ended.length - mostEnded))) {
      this.#turns.delete(oldest);
    }
    this.#turns.set(turnId, turn);
    this.#begins.emit(turnId);
    return turn;
  }

  get(turnId: string): LiveTurn | undefined {
    return this.#turns.get(turnId);
  }

  /** Resolves when the turn begins in this process or the signal is aborted. */
  async whenBegun(turnId: string, signal: AbortSignal): Promise<void> {
    if (this.#turns.has(turnId)) return;
    await once(this.#begins, turnId, { signal }).catch(() => undefined);
  }

  /** Removes a turn; its readers continue from the store. */
  drop(turnId: string): void {
    this.#turns.get(turnId)?.end();
    this.#turns.delete(turnId);
  }
}

/** Whether an event is the given one, or an earlier one of the same attempt. */
export function isUpTo(id: string, last: string | undefined): boolean {
  const [attempt = '', number] = id.split('.');
  return Number(number) <= numberIn(last, attempt);
}

function numberIn(id: string | undefined, attempt: string): number {
  const [of, number] = id?.split('.') ?? [];
  return of === attempt ? Number(number) || 0 : 0;
}

/** Interval of polling the store for a turn that another process runs, in milliseconds. */
const pollEveryMs = 1000;
/** Prefix of ids of events from the store once the turn has ended: they are the same each time. */
const endedPrefix = 'kept';

export interface WatchOptions {
  readonly turnId: string;
  readonly live: LiveTurns;
  /** Reads the stored events so far, in order; `undefined` if the turn is gone. */
  readonly stored: () => Promise<readonly TurnEvent[] | undefined>;
  /** The last id that was read. An unknown one, e.g. from a process that has ended, starts over. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Yields the events of a turn until `ended`: live if this process runs it, else by polling the store each second.
 * No step is repeated when the turn moves from one process to another. Ends early when the turn is gone or the
 * signal is aborted. Throws the store's errors.
 */
export async function* watchTurn(options: WatchOptions): AsyncGenerator<NumberedEvent> {
  const { turnId, live, stored, after, signal } = options;
  const sent = new Set<string>();
  // While a turn runs, stored events may be inserted in between, so no reader can resume after such an id.
  const unstablePrefix = randomUUID();
  const isNew = (event: TurnEvent) => {
    if (isGrowth(event)) return true;
    const isFirst = !sent.has(stepOf(event));
    sent.add(stepOf(event));
    return isFirst;
  };
  while (!signal.aborted) {
    const here = live.get(turnId);
    for await (const one of here?.from(after, signal) ?? []) {
      if (isNew(one.event)) yield one;
      if (one.event.type === 'ended') return;
    }
    // Of a turn that is still here, the reader had the end already.
    if (signal.aborted || (here && here === live.get(turnId))) return;
    const events = await stored();
    if (!events) return;
    const hasEnded = events.at(-1)?.type === 'ended';
    for (const [index, event] of events.entries()) {
      const id = `${hasEnded ? endedPrefix : unstablePrefix}.${index + 1}`;
      if (isNew(event) && !(hasEnded && index < numberIn(after, endedPrefix))) yield { id, event };
    }
    if (hasEnded) return;
    await live.whenBegun(turnId, AbortSignal.any([signal, AbortSignal.timeout(pollEveryMs)]));
  }
}

/** Whether the event repeats a text with more of it. */
function isGrowth({ type }: TurnEvent): boolean {
  return type === 'answer_grew' || type === 'verdict_grew';
}

/** Identifies the step of an event. The growth of a text has the same step as the event that completes it. */
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
