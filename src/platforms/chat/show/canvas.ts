/**
 * What a turn is told on. A platform knows how its messages are built, sent and paced; what is said, when
 * and in which order is decided in `turn-teller.ts`.
 */

import type { TurnEnd } from '../../../council/events.ts';
import type { Review, Seat, Verdict } from '../../../domain/turn.ts';
import type { PresentedTurn } from '../../platform.ts';
import type { Persona, Personas } from './personas.ts';
import type { Outages, TurnPosts } from './turn-posts.ts';
import type { TurnProgress } from './turn-progress.ts';
import type { RoundSaid } from './verdict-words.ts';

/** Everything that is shown of a turn besides what is said in it. */
export interface ShownTurn {
  readonly turnId: string;
  /** What was asked; absent: it is read where it was posted. */
  readonly question?: string;
  readonly progress: TurnProgress;
  readonly reviews: readonly Review[];
  readonly personas: Personas;
  /** Small print, a sentence each, e.g. how a follow-up is asked. */
  readonly notes: readonly string[];
}

/** One thing that is said in a turn, in as many messages as it takes. */
export type Part =
  /** What was asked, as far as the progress does not show all of it; never where it is read anyway. */
  | { readonly kind: 'question'; readonly question: string }
  | AnswerPart
  /** `index`: 0 for what is in dispute, then one for each party, whenever it speaks. */
  | { readonly kind: 'round'; readonly index: number; readonly said: RoundSaid }
  | { readonly kind: 'ranking' }
  /** Mentions the person who asked, because they want it so; nothing else that is said may mention anybody. */
  | { readonly kind: 'ping'; readonly personId: string; readonly words: string }
  | VerdictPart
  | { readonly kind: 'end'; readonly end: TurnEnd };

/** Whose words grow while they are read. */
export type Speaker =
  /** `sage`: its key. */
  | { readonly kind: 'answer'; readonly sage: string; readonly persona: Persona }
  | { readonly kind: 'verdict' };

/** Why there is no more of something, for below it. `reason` is a model's or a provider's. */
export interface CutShort {
  readonly words: string;
  readonly reason?: string;
}

export interface VerdictPart {
  readonly kind: 'verdict';
  /** Absent: none came, and what has grown of it ends. */
  readonly verdict: Verdict | undefined;
  readonly cutShort?: CutShort;
}

/** What a sage says. */
export interface AnswerPart {
  readonly kind: 'answer';
  /** Key of the sage. */
  readonly sage: string;
  readonly persona: Persona;
  /** All there is of it, as the model wrote it; absent: what has been shown while it grew. */
  readonly text: string | undefined;
  /** Absent: it is whole. */
  readonly cutShort?: CutShort;
  /** Said only where some of it was shown while it grew. */
  readonly isOnlyEnding: boolean;
}

/** One turn, as one platform shows it. Rejects as the platform does. */
export interface Canvas {
  /**
   * Answers and verdict are shown while they grow, answers side by side; else they are said whole, one
   * after another.
   */
  readonly grows: boolean;
  /** Small print about this place; there may be more of it later. */
  readonly notes: readonly string[];
  /** Shows how far the turn is, as soon and as often as the platform's limits allow. */
  progress(turn: ShownTurn): void;
  /** Shows what there is so far. */
  grow(speaker: Speaker, text: string): void;
  /**
   * Says a part, message by message; what is there already is not said twice.
   *
   * @param isAgain - It was attempted before, so that some of it may be there.
   */
  say(part: Part, turn: ShownTurn, isAgain: boolean): Promise<void>;
  /** Shows the last state, however long the limits make it wait. */
  finish(turn: ShownTurn, isAgain: boolean): Promise<void>;
}

/** How a platform begins to show turns. */
export interface Canvases extends Outages {
  /** The personas of a turn, by the sages' keys. */
  personasOf(seats: readonly Seat[]): Personas;
  /**
   * Shows what a turn begins with, unless it is there already. Rejects as the platform refuses it.
   *
   * @param signal - Ends all that the canvas does; requests that wait reject with its reason.
   */
  open(
    turn: PresentedTurn,
    first: ShownTurn,
    posts: TurnPosts,
    signal: AbortSignal,
  ): Promise<Canvas>;
  /** Tells the person who asked why nothing is shown, unless that was told where they asked. */
  tellAlone(turn: PresentedTurn, why: string, refusal: Error, signal: AbortSignal): Promise<void>;
}
