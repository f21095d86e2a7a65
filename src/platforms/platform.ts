/** The interface of every platform: it passes questions to an {@link Ingress} and shows the turns. */

import type { PassedCheckpoints, TurnEvent } from '../council/events.ts';
import type { Heard, HearingLimits } from '../domain/heard.ts';
import type { OpenedFile } from '../domain/source.ts';
import type { Ranked, VerdictUses } from '../domain/stored-turn.ts';
import type { Sage, Seat, TurnRequest, Verdict } from '../domain/turn.ts';
import type { FollowUpMode } from '../settings/file-table.ts';
import type { Ingress } from './ingress.ts';

export * from './ingress.ts';

/** A turn that reached a verdict, and what people have done with the verdict since. */
export interface ConcludedTurn extends Pick<PassedCheckpoints, 'reviews' | 'round'>, VerdictUses {
  readonly request: TurnRequest;
  /** Where it is shown, as stored by its platform; see {@link PresentedTurn.keepShownAt}. */
  readonly shownAt?: string;
  readonly seats: readonly Seat[];
  readonly ranked?: Ranked;
  readonly verdict: Verdict;
}

/** A turn to present. */
export interface PresentedTurn {
  readonly request: TurnRequest;
  /** An earlier process began the turn and may have posted part of it. */
  readonly isResumed: boolean;
  /**
   * Another process has shown the whole turn, and this one may have overwritten part of that since: post
   * nothing, and draw once more, in its final state, what is edited during a turn.
   */
  readonly isAlreadyShown?: true;
  /** Which messages count as follow-ups where the turn was asked. */
  readonly followUpMode: FollowUpMode;
  /** Whether an event of this channel created a turn; see {@link Ingress.turnOf}. */
  readonly wasAsked: (eventId: string) => Promise<boolean>;
  /** Reads whether to mention the asker, once, when the turn is done. */
  readonly wantsPing: () => Promise<boolean>;
  /** Where an earlier process shows it, as passed to {@link keepShownAt}; absent: not shown yet. */
  readonly shownAt?: string;
  /**
   * Stores where the turn is shown, e.g. the id of its first message; with it, a platform recognises the
   * turn's own posts among others. Resolves when stored.
   */
  readonly keepShownAt: (shownAt: string) => Promise<void>;
  /**
   * Call once nothing more of the turn can be shown: it ends before more is paid. Absent: it is not running.
   *
   * @param why - For people.
   */
  readonly endUnshown?: (why: string) => void;
  /**
   * Call right before each request that posts. Throws when another process has taken over the turn, when it
   * has ended, or when the store fails.
   */
  readonly assertHeld: () => Promise<void>;
  /** Call right before each request that only edits: like {@link assertHeld}, but ignores a failing store. */
  readonly assertNotLost: () => Promise<void>;
  /**
   * Call right after each request that posts. Does the same check, but only if the process was suspended since
   * the store last answered: the post may have arrived after another process took over.
   */
  readonly assertAwake: () => Promise<void>;
}

/** A post of a turn can't be delivered now, but may be later: the turn must not end, but be resumed. */
export class UndeliveredError extends Error {
  override readonly name = 'UndeliveredError';
}

/** The turn ends before any model is paid, e.g. because its first post is refused. The message is for people. */
export class UnshowableError extends Error {
  override readonly name = 'UnshowableError';
}

export interface Platform {
  /** The first part of every thread id of this platform. */
  readonly name: string;
  /** Opens the connection and passes everything that people ask to `ingress`. The other methods work without it. */
  start(ingress: Ingress): Promise<void>;
  /**
   * Shows a turn within the platform's limits, from its first event to its last. A resumed turn repeats its
   * checkpoints first. Events may arrive faster than they can be shown. Requests the first event only once the
   * turn's beginning is visible: no model is paid before that.
   *
   * @param shutdown - Aborted when the process ends; rejects with the signal's reason. The rest is shown when
   *   the turn is resumed.
   * @throws {UndeliveredError}; {UnshowableError} after informing the asker as far as possible.
   */
  present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void>;
  /**
   * Empties every post of a question that was withdrawn: its card, the title of its thread, the quoted
   * question, unfinished answers. Deletes the post made by {@link post}. Posts nothing and ignores what is
   * already gone. May be called again. Throws when the platform fails or refuses.
   */
  retract(turn: Pick<ConcludedTurn, 'request' | 'shownAt' | 'posted'>): Promise<void>;
  /**
   * Updates what stands below a verdict after people have used it. Ignores posts that are gone. Throws when
   * the platform fails or refuses.
   */
  redraw(turn: ConcludedTurn): Promise<void>;
  /**
   * Posts a verdict once into the channel that contains its thread, for everyone to read; notifies no one.
   *
   * @param turn - With `posted`, the post may exist already: it is searched for first. People may have deleted it.
   * @returns The id of the post; `undefined` if there is no channel besides the thread. Throws when the
   *   platform fails or refuses.
   */
  post(turn: ConcludedTurn): Promise<string | undefined>;
  /** Deletes that post; ignores one that is gone. Throws when the platform fails. */
  unpost(turn: Pick<ConcludedTurn, 'request' | 'posted'>): Promise<void>;
  /**
   * Reads what people said around a question, oldest first, within the limits. Needs no connection.
   *
   * @param known - What came with the question; it is kept.
   * @param signal - Aborted when time is up: returns what was read until then.
   * @returns `undefined` where people don't talk to each other. `gap` names what the bot may not read. May throw.
   */
  hear(
    request: TurnRequest,
    known: Heard | undefined,
    limits: HearingLimits,
    signal: AbortSignal,
  ): Promise<Heard | undefined>;
  /**
   * Opens a file attached to a message; connects only to the platform's own servers. Needs no connection.
   *
   * @param place - The channel of the message, as in {@link Heard}.
   * @param address - As given by the message.
   * @returns May throw.
   */
  openFile(place: string, address: string, signal: AbortSignal): Promise<OpenedFile>;
  /**
   * Called after a sage was removed from a channel, to delete its picture. Returns at once and never throws.
   * Absent: the platform keeps no pictures.
   */
  sageDismissed?(sage: Sage): void;
  /**
   * The web address of a thread or of a message in it; `undefined` if the platform has none.
   *
   * @param event - The platform's id of a post in the thread or of the event that asked; absent: the thread.
   */
  linkTo(threadId: string, event?: string): string | undefined;
  /** Whether the bot is in a workspace (second part of its thread ids). Needs no connection. Throws if the platform fails. */
  isIn(workspace: string): Promise<boolean>;
  /**
   * Stops accepting events and closes the connection. Turns in progress may still post.
   *
   * @param over - Programs that wait for a turn stay connected until it ends, in whichever process it runs, or
   *   until this is aborted. Absent: they are cut off.
   * @returns Resolves when everything is closed.
   */
  stop(over?: AbortSignal): Promise<void>;
}

/** The state of the connection that delivers what people do. */
export interface ConnectionHealth {
  /** All events arrive. */
  readonly isListening: boolean;
  /** How long some events have not arrived, in milliseconds; 0 while all do. */
  readonly silentMs: number;
  /** For the operator; holds no secret. */
  readonly text: string;
}

/** A platform that is served for as long as the process runs. */
export interface ServedPlatform extends Platform {
  /** Rejects when the connection has ended for good, with an error for the operator; never resolves. */
  readonly finished: Promise<void>;
  health(): ConnectionHealth;
}
