/**
 * The interface between the presenter of turns and a platform. The platform builds, sends and paces messages;
 * `turn-presenter.ts` decides what is said, when and in which order.
 */

import type { TurnEnd } from '../../../council/events.ts';
import type { TurnWords } from '../../../domain/languages/english.ts';
import type { Review, Seat, Verdict } from '../../../domain/turn.ts';
import type { PresentedTurn } from '../../platform.ts';
import type { Persona, Personas } from './personas.ts';
import type { Outages, TurnPosts } from './turn-posts.ts';
import type { TurnProgress } from './turn-progress.ts';
import type { RoundSaid } from './verdict-words.ts';

/** What a progress message shows of a turn. */
export interface ShownTurn {
  readonly turnId: string;
  /** The council's own, in the language of the turn. */
  readonly words: TurnWords;
  /** The question; absent if the asker's own message shows it. */
  readonly question?: string;
  readonly progress: TurnProgress;
  readonly reviews: readonly Review[];
  readonly personas: Personas;
  /** Small print; each is a sentence, e.g. how to ask a follow-up. */
  readonly notes: readonly string[];
}

/** A part of a turn, in one or more messages. */
export type Part =
  /** The question, if the progress doesn't show all of it and no message of the asker does. */
  | { readonly kind: 'question'; readonly question: string }
  | AnswerPart
  /** `index`: 0 for the docket, then one per party, in any order. */
  | { readonly kind: 'round'; readonly index: number; readonly said: RoundSaid }
  | { readonly kind: 'ranking' }
  /** Mentions the asker, who opted in. No other part may mention anyone. */
  | { readonly kind: 'ping'; readonly personId: string; readonly words: string }
  | VerdictPart
  | { readonly kind: 'end'; readonly end: TurnEnd };

/** The author of a text that is streamed. */
export type Speaker =
  /** `sage`: its key. */
  | { readonly kind: 'answer'; readonly sage: string; readonly persona: Persona }
  | { readonly kind: 'verdict' };

/** The note below a text that is incomplete. `reason` comes from a model or provider. */
export interface CutShort {
  readonly words: string;
  readonly reason?: string;
}

export interface VerdictPart {
  readonly kind: 'verdict';
  /** `undefined`: there is none, and what was streamed of it ends. */
  readonly verdict: Verdict | undefined;
  readonly cutShort?: CutShort;
}

/** The answer of a sage. */
export interface AnswerPart {
  readonly kind: 'answer';
  /** Key of the sage. */
  readonly sage: string;
  readonly persona: Persona;
  /** The whole text as the model wrote it; `undefined`: what was streamed. */
  readonly text: string | undefined;
  /** Absent: it is complete. */
  readonly cutShort?: CutShort;
  /** Only ends a text that was streamed; otherwise nothing is posted. */
  readonly isOnlyEnding: boolean;
}

/** Draws one turn on one platform. Rejects with the platform's errors. */
export interface Canvas {
  /**
   * Whether answers and the verdict are streamed, answers side by side; otherwise they are posted whole, one
   * after another.
   */
  readonly grows: boolean;
  /** Small print about this place; may change over time. */
  readonly notes: readonly string[];
  /** Shows the progress, as soon and as often as the platform's limits allow. */
  progress(turn: ShownTurn): void;
  /** Shows a growing text. @param text - All of it so far. */
  grow(speaker: Speaker, text: string): void;
  /**
   * Posts a part, message by message; skips messages that exist already.
   *
   * @param isAgain - A repeated attempt: some messages may exist.
   */
  say(part: Part, turn: ShownTurn, isAgain: boolean): Promise<void>;
  /** Shows the final state, however long the limits take. */
  finish(turn: ShownTurn): Promise<void>;
}

export interface Canvases extends Outages {
  personasOf(seats: readonly Seat[]): Personas;
  /**
   * Posts the beginning of a turn, unless it exists already. Rejects with the platform's refusal.
   *
   * @param signal - Aborted: everything on the canvas ends; waiting requests reject with its reason.
   */
  open(
    turn: PresentedTurn,
    first: ShownTurn,
    posts: TurnPosts,
    signal: AbortSignal,
  ): Promise<Canvas>;
  /** Tells the asker privately; with `why`, what is lost (a sentence without its full stop) and why, unless they know already. */
  tellAsker(turn: PresentedTurn, told: string, signal: AbortSignal, why?: Error): Promise<void>;
}
