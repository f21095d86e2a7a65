/**
 * A place where people talk. Ingress (people ask) and egress (the council speaks) are separate:
 * `present` and `reply` need nothing that `start` opened.
 */

import type { Person, Place, Reply } from '../../commands/command.ts';
import type { FollowUpMode, Sage, TurnRequest } from '../council/council.ts';
import type { TurnEvent } from '../council/events.ts';

/** A command as somebody gave it. */
export interface Invocation {
  readonly place: Place;
  readonly person: Person;
  /** Name of the command. */
  readonly command: string;
  /** Options by name, as the platform delivered them; validated by the command's own schema. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Whether a question was taken. */
export type Asked =
  /** `turnsBefore`: how many turns of the thread come first. `isNew: false`: the event was known already. */
  | {
      readonly status: 'accepted';
      readonly turnId: string;
      readonly isNew: boolean;
      readonly turnsBefore: number;
    }
  /** `reason` is for the person: what was wrong, what was expected. */
  | { readonly status: 'refused'; readonly reason: string };

/** What holds in a place at the moment, as far as a platform must know it. */
export interface PlaceSettings {
  /** Who may sit there, custom sages included. */
  readonly bench: readonly Sage[];
  readonly followUpMode: FollowUpMode;
}

/** What a platform hands inward. */
export interface Ingress {
  /** Reads what holds in a place; the next call may tell otherwise. */
  settings(place: Place): Promise<PlaceSettings>;
  /** Returns as soon as the turn is stored and queued; its events come by {@link Platform.present}. */
  ask(request: Omit<TurnRequest, 'turnId'>): Promise<Asked>;
  /** Never throws: what went wrong is in the reply. */
  command(invocation: Invocation): Promise<Reply>;
  /**
   * Stops a running or waiting turn; `false` when there is none.
   *
   * @param place - Where somebody asked for it, if the id came from outside: a turn of another channel
   *   is none there.
   */
  stop(turnId: string, place?: Place): Promise<boolean>;
}

/** A turn to be shown. */
export interface PresentedTurn {
  readonly request: TurnRequest;
  /** The turn was begun by an earlier process: part of what follows may have been posted already. */
  readonly isResumed: boolean;
}

/** What a turn says can't be delivered now, and may be later: the turn must not end, but be resumed. */
export class UndeliveredError extends Error {
  override readonly name = 'UndeliveredError';
}

export interface Platform {
  /** The first part of every thread id of this platform. */
  readonly name: string;
  /** Opens the connection, and from then on hands in what people ask. */
  start(ingress: Ingress): Promise<void>;
  /**
   * Shows a turn within the platform's limits, from its first event to its last. A resumed turn
   * starts with its checkpoints again. Events may come faster than they can be shown.
   *
   * @param shutdown - Aborted when the process ends: what is not shown by then is shown when the turn
   *   is resumed, and it rejects with the signal's reason.
   * @throws {UndeliveredError}
   */
  present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void>;
  /** Shows a command's reply that was not the answer to an invocation, e.g. a notice to managers. */
  reply(place: Place, reply: Reply): Promise<void>;
  /** Takes in nothing more and closes the connection. What is being presented may still be posted. */
  stop(): Promise<void>;
}
