/** People on a platform on loopback, as the chaos sees them whatever the platform. */

import type { Random } from './random.ts';
import { type Caller, callers, type Post, type Telling } from './record.ts';

/** Someone in a thread of a channel of their own. */
export interface Seat {
  /** E.g. `discord 3`. */
  readonly thread: string;
  /** Asks, and gives what the store and the platform know of it. */
  ask(text: string): Promise<AskedOnPlatform>;
  /** All that the council posted, in order. */
  posts(): readonly SeenPost[];
}

/** A question as a platform has it. */
export interface AskedOnPlatform {
  /** As the store knows them. */
  readonly eventId: string;
  readonly threadId: string;
  /** After which it is not taken any more: longer than the platform tells of it, in milliseconds. */
  readonly patienceMs: number;
  /** So far. */
  tellings(): readonly Telling[];
}

/** A post as people see it; a card does not show the question, and is marked with its turn. */
export type SeenPost =
  | Omit<Extract<Post, { kind: 'answer' }>, 'thread'>
  | {
      readonly kind: 'card';
      /** Whether it carries the mark of a turn. */
      readonly isOf: (turnId: string) => boolean;
      readonly isClosed: boolean;
    };

export interface Crowd {
  readonly seats: readonly Seat[];
  /** What the processes need to know. */
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: object;
  /** Lets a share of the posts go wrong, and tells what went wrong with each. */
  spoil(random: Random, share: number, onSpoiled: (kind: string) => void): void;
  /** What broke the platform's rules. */
  violations(): readonly string[];
  close(): Promise<void>;
}

/** What goes wrong with a post: it is refused, lost, done and never answered, or done and answered late. */
type PostFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'late'; readonly afterMs: number }
  | { readonly kind: 'drop' | 'drop after processing' | 'silence after processing' };

/** @returns `undefined` for most: nothing goes wrong. */
export function drawFault(random: Random, share: number): PostFault | undefined {
  if (random.next() >= share) return undefined;
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

/** The text of a question; its number tells it from all others. */
export function questionText(number: number): string {
  return `#${number}. What should we do?`;
}

/** The question that a text begins with or is about. */
export function questionIn(text: string): number | undefined {
  const number = /#(\d+)\./.exec(text)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** What a model says on a question. */
export function wordsOf(caller: Caller, question: number): string {
  return `${caller === 'chair' ? 'Verdict' : caller} on #${question}.`;
}

/** The answer that a text is; nothing when it is none. */
export function answersIn(text: string): readonly SeenPost[] {
  const question = questionIn(text);
  if (question === undefined) return [];
  return callers
    .filter((caller) => text.includes(wordsOf(caller, question)))
    .map((caller) => ({ kind: 'answer', caller, question }));
}
