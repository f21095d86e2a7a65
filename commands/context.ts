/** What a command is given to work with. The bot fills it; a command sees nothing else. */

import type { Sage } from '../src/council/council.ts';
import type { CustomSage } from '../src/council/custom-sage.ts';
import type { PastTurn, Rating } from '../src/council/past-turn.ts';
import type { Receipt } from '../src/council/receipt.ts';
import type { Choice } from '../src/domain/asking.ts';
import type { ReadPlace } from '../src/memory/export/read-place.ts';
import type { Minutes } from '../src/memory/minutes/minutes.ts';
import type { Command, Person, Place, SettingField, SettingScope } from './command.ts';
import type { CouncilMemory } from './council-memory.ts';

/** Whether settings were changed. */
export type SettingsChange =
  /** `changed`: their names. All of it holds from the next turn. */
  | { readonly status: 'changed'; readonly changed: readonly string[] }
  /** Nothing was changed. Why, by the name of the setting; the reasons are for people. */
  | { readonly status: 'refused'; readonly problems: ReadonlyMap<string, string> };

/** A sage that a member has described, with the prompt that was drafted from it. Nothing is kept of it until it is saved. */
export interface SageDraft {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
}

/** The sages that members have made for this channel. Each verb throws `CommandError` for what the person can mend. */
export interface CustomSages {
  readonly all: readonly CustomSage[];
  /** Drafts a prompt; the draft can be saved for an hour, by the person who asked for it. */
  draft(name: string, description: string): Promise<SageDraft>;
  /** Puts a draft onto this channel's bench; `sits` is false where the bench is a list without it. */
  save(draftId: string): Promise<{ readonly sage: Sage; readonly sits: boolean }>;
  discard(draftId: string): Promise<void>;
  /** Takes a sage off, by key or name. */
  dismiss(named: string): Promise<Sage>;
}

export interface CommandContext {
  readonly place: Place;
  readonly person: Person;
  /** The sages that may sit in this place. */
  readonly bench: readonly Sage[];
  readonly commands: readonly Command<CommandContext>[];
  readonly customSages: CustomSages;
  /** Reads the settings that hold in this channel, or by default in all channels of this server. */
  settings(scope: SettingScope): Promise<readonly SettingField[]>;
  /** Changes several settings at once, all of them or none; `null` resets one. Throws `CommandError` without the permission. */
  changeSettings(
    scope: SettingScope,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<SettingsChange>;
  /** Asks the council in this thread. Gives why it was refused, or how many turns come first. */
  ask(
    question: string,
    choice: Choice,
  ): Promise<
    | { readonly status: 'accepted'; readonly turnsBefore: number }
    | { readonly status: 'refused'; readonly reason: string }
    | { readonly status: 'dropped' }
  >;
  /**
   * Writes minutes of this thread; gives nothing where nothing has been said. Throws `CommandError`
   * when they can't be written.
   */
  minutes(): Promise<Minutes | undefined>;
  /** Milliseconds since 1970. */
  now(): number;
  /** The receipt of a turn of this channel; without an id, of the last one of this thread. */
  receipt(turnId: string | undefined): Promise<Receipt | undefined>;
  /** What was said in a turn of this channel, reviews and ballots included; without an id, in the last one of this thread. */
  deliberation(turnId: string | undefined): Promise<PastTurn | undefined>;
  /**
   * Stops what this person has asked in this thread, or everything for a manager; gives how many turns.
   *
   * @param turnId - That turn of this channel alone; throws `CommandError` when it is somebody else's.
   */
  stop(turnId: string | undefined): Promise<number>;
  /** Keeps what this person thinks of a turn of this channel, in the place of what they thought before; without an id, of the last one of this thread. Gives whether there is one. */
  rate(turnId: string | undefined, rating: Rating): Promise<boolean>;
  /**
   * What was said in this thread, or for managers in this channel, as far as this person may see it.
   * Throws `CommandError` without the permission.
   */
  archive(reach: 'thread' | 'channel'): Promise<ReadPlace>;
  readonly memory: CouncilMemory;
}
