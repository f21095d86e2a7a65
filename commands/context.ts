/** What a command is given to work with. The bot fills it; a command sees nothing else. */

import type { Depth, Sage } from '../src/council/council.ts';
import type { Receipt } from '../src/council/receipt.ts';
import type { Command, Person, Place } from './command.ts';

export interface CommandContext {
  readonly place: Place;
  readonly person: Person;
  /** The sages that may sit in this place. */
  readonly bench: readonly Sage[];
  readonly commands: readonly Command<CommandContext>[];
  /** Asks the council in this thread. Gives why it was refused, or how many turns come first. */
  ask(
    question: string,
    choice: { readonly depth?: Depth; readonly sages?: readonly string[] },
  ): Promise<
    | { readonly status: 'accepted'; readonly turnsBefore: number }
    | { readonly status: 'refused'; readonly reason: string }
  >;
  /** The receipt of a turn of this channel; without an id, of the last one of this thread. */
  receipt(turnId: string | undefined): Promise<Receipt | undefined>;
  /** Stops what this person has asked in this thread, or everything for a manager; gives how many turns. */
  stop(): Promise<number>;
}
