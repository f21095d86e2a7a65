/** People on a platform on loopback, as the chaos sees them whatever the platform. */

import { callers, numbered } from './counted-models.ts';
import type { Random } from './random.ts';

/** Somebody in a thread of a channel of their own. */
export interface Seat {
  /** Asks, and gives the event as the store knows it. */
  ask(text: string): Promise<string>;
  /** After which a question that nobody took is asked again; longer than the platform tells of it. */
  readonly patienceMs: number;
  /** What the sages and the chair said, in order. */
  said(): readonly string[];
  /** Of the cards, or progress messages, how many there are, and how many of them tell the end. */
  cards(): { readonly all: number; readonly ended: number };
}

export interface Crowd {
  readonly seats: readonly Seat[];
  /** What the processes need to know. */
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: object;
  /** Lets a share of the posts go wrong. */
  spoil(random: Random, share: number): void;
  /** What broke the platform's rules. */
  violations(): readonly string[];
  close(): Promise<void>;
}

/** What goes wrong with a post: it is refused, lost, done and never answered, or done and answered late. */
type PostFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'late'; readonly afterMs: number }
  | { readonly kind: 'drop' | 'drop after processing' | 'silence after processing' };

export function drawFault(random: Random): PostFault {
  const kind = random.pick(['status', 'late', 'lost'] as const);
  switch (kind) {
    case 'status':
      return { kind, status: random.pick([500, 502, 503]) };
    case 'late':
      return { kind, afterMs: random.between(1000, 8000) };
    case 'lost': {
      const kinds = ['drop', 'drop after processing', 'silence after processing'] as const;
      return { kind: random.pick(kinds) };
    }
  }
}

/** A question as it was asked. */
export interface Asked {
  readonly number: number;
  readonly seat: Seat;
  eventId: string;
}

/** The text of a question. */
export function questionText(number: number): string {
  return `${numbered(number)} What should we do?`;
}

/** What was posted wrongly: said twice, not at all, out of order, or left open. */
export function faultsOf(seat: Seat, asked: readonly Asked[]): readonly string[] {
  const said = seat.said();
  const faults: string[] = [];
  let last = -1;
  for (const { number } of asked) {
    const places = callers.map((caller) => {
      const words = `${caller === 'chair' ? 'Verdict' : caller} on ${numbered(number)}`;
      const found = said.flatMap((text, index) => (text.includes(words) ? [index] : []));
      if (found.length !== 1) faults.push(`“${words}” was said ${found.length} times`);
      return found[0] ?? -1;
    });
    if (Math.min(...places) < last) faults.push(`${numbered(number)} was answered out of order`);
    last = Math.max(last, ...places);
  }
  const { all, ended } = seat.cards();
  if (all !== asked.length || ended !== asked.length) {
    faults.push(`${asked.length} questions have ${all} cards, of which ${ended} tell the end`);
  }
  return faults;
}
