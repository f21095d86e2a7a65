/** What a command is given to work with. The bot fills it; a command sees nothing else. */

import type { Depth, Sage } from '../src/council/council.ts';
import type { CustomSage } from '../src/council/custom-sage.ts';
import type { Rating } from '../src/council/past-turn.ts';
import type { ReadPlace } from '../src/memory/export/read-place.ts';
import type { Minutes } from '../src/memory/minutes/minutes.ts';
import type { TurnRecord } from '../src/store/store.ts';
import {
  type Command,
  CommandError,
  type Person,
  type Place,
  type SettingField,
  type SettingScope,
} from './command.ts';

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

/** Some of what was said in a place, by whom and when. */
export interface MemorySource {
  readonly by: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Its web address, where the platform has one. */
  readonly link?: string;
}

/** A message, or a summary of several. */
export interface MemoryItem {
  /** By which the command takes it. */
  readonly id: string;
  /** Who said it; absent for a summary. */
  readonly by?: string;
  /** Milliseconds since 1970; of a summary, when the last of it was said. */
  readonly at: number;
  /** All of it. */
  readonly text: string;
  /** What is to be known of it, in words: `edited`, `pinned`. */
  readonly marks: readonly string[];
  /** How many messages a summary was made of; of a message 1. */
  readonly sourceCount: number;
  /** These messages, those of one question together, oldest first; a message is its own. */
  readonly sources: readonly MemorySource[];
}

/** What somebody wants forgotten. */
export type ForgetTarget =
  /** A message with all that was asked and answered with it; a summary with what it was made of. */
  | { readonly kind: 'one'; readonly id: string }
  /** All that the person has asked in this workspace. */
  | { readonly kind: 'mine' }
  /** The last part of the id of a thread of this channel; absent: this one. */
  | { readonly kind: 'thread'; readonly thread?: string }
  | { readonly kind: 'channel' };

/** What would go. Nothing has gone yet. */
export interface ToForget {
  readonly questions: number;
  readonly answers: number;
  readonly summaries: number;
  readonly threads: number;
  /** There is more than was counted. */
  readonly isPart: boolean;
  readonly isSummary: boolean;
  /** Of a thread: the last part of its id, and where it is to be seen. */
  readonly thread?: string;
  readonly link?: string;
  /** Does it; when it throws, the rest is done in the background. */
  forget(): Promise<void>;
}

/** Verbs throw `CommandError` for what the person can mend; what they may not see is as if it was not there. */
export interface CouncilMemory {
  /** Whether anything of it goes into prompts here. */
  readonly isOn: boolean;
  /** How far it reaches here. */
  readonly reach: 'thread' | 'channel' | 'workspace';
  /**
   * The newest first.
   *
   * @param options.thread - Where it reaches a thread alone: which one, as an earlier page has told it.
   */
  newest(options: {
    readonly skip: number;
    readonly count: number;
    readonly thread?: string | undefined;
  }): Promise<{
    readonly items: readonly MemoryItem[];
    readonly messages: number;
    readonly summaries: number;
    /** The last part of the id of the thread, where it reaches that alone. */
    readonly thread?: string;
  }>;
  /** What fits a text best, as for a question; nearest first. */
  search(text: string, count: number): Promise<readonly MemoryItem[]>;
  one(id: string): Promise<MemoryItem>;
  /** Puts a text in the place of a summary's. For managers. */
  correct(id: string, text: string): Promise<MemoryItem>;
  /** Puts a memory into every prompt here. For managers. */
  pin(id: string): Promise<MemoryItem>;
  unpin(id: string): Promise<void>;
  /**
   * One's own is for everybody, all else for managers. What takes long to count is counted once in a
   * while for each person.
   *
   * @param isConfirmed - They have seen what would go.
   */
  toForget(target: ForgetTarget, isConfirmed: boolean): Promise<ToForget>;
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
    choice: { readonly depth?: Depth; readonly sages?: readonly string[] },
  ): Promise<
    | { readonly status: 'accepted'; readonly turnsBefore: number }
    | { readonly status: 'refused'; readonly reason: string }
  >;
  /**
   * Writes minutes of this thread; gives nothing where nothing has been said. Throws `CommandError`
   * when they can't be written.
   */
  minutes(): Promise<Minutes | undefined>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A turn of this channel; without an id, the last one of this thread. */
  turn(turnId: string | undefined): Promise<TurnRecord | undefined>;
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

/** What to say where {@link CommandContext.turn} gives nothing. @param nothing - Where no id was given. */
export function noSuchTurn(
  turnId: string | undefined,
  nothing = 'Nothing has been asked in this thread yet.',
): CommandError {
  return new CommandError(
    turnId
      ? `No turn ${turnId} was found in this channel. Leave the id out for the last one of this thread.`
      : nothing,
  );
}
