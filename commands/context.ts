/** What commands work with. The bot provides it, and commands have access to nothing else. */

import { z } from 'zod';
import type { CustomSage, KeptDraft } from '../src/council/custom-sage.ts';
import type { ScoredTurn } from '../src/council/leaderboard.ts';
import type { PastTurn } from '../src/council/past-turn.ts';
import type { Choice } from '../src/domain/asking.ts';
import type { Rating } from '../src/domain/stored-turn.ts';
import type { Sage } from '../src/domain/turn.ts';
import type { ReadPlace } from '../src/memory/export/read-place.ts';
import type { ForgetPreview } from '../src/memory/forgetting/forget.ts';
import type { Minutes } from '../src/memory/minutes/minutes.ts';
import { quotedValue } from '../src/settings/channel-settings.ts';
import type { Preset } from '../src/settings/preset-settings.ts';
import type { ChannelScope } from '../src/settings/setting-field.ts';
import type { TurnRecord } from '../src/store/store.ts';
import {
  type AskedQuestion,
  type Command,
  type CommandError,
  type Place,
  type Reply,
  type SettingField,
  type SettingScope,
  UnknownIdError,
} from './command.ts';

/** `changed`: the names. `refused`: nothing was changed; the problems by name, for people. */
export type SettingsChange =
  | { readonly status: 'changed'; readonly changed: readonly string[] }
  | { readonly status: 'refused'; readonly problems: ReadonlyMap<string, string> };

/** The custom sages of this channel. The methods throw as those of {@link CommandContext}. */
export interface CustomSages {
  readonly all: readonly CustomSage[];
  /** Drafts a prompt. The person can save the draft within an hour. */
  draft(name: string, description: string): Promise<KeptDraft>;
  /** Makes a draft a sage of this channel. `sits` is false if the bench is a list without it. */
  save(draftId: string): Promise<{ readonly sage: Sage; readonly sits: boolean }>;
  /** Removes a sage, by key or name. */
  dismiss(named: string): Promise<Sage>;
}

/** A message or turn that a memory comes from. */
export interface MemorySource {
  readonly by: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Its URL, if the platform has one. */
  readonly link?: string;
}

/** A message, or a summary of several. */
export interface MemoryItem {
  /** The id that the command accepts. */
  readonly id: string;
  /** The speaker. Absent for a summary. */
  readonly by?: string;
  /** Milliseconds since 1970. For a summary, the time of its last message. */
  readonly at: number;
  /** In full. */
  readonly text: string;
  /** In words, e.g. `edited`, `pinned`. */
  readonly marks: readonly string[];
  /** The number of messages that a summary was made of. 1 for a message. */
  readonly sourceCount: number;
  /** These messages, oldest first, grouped by question. A message is its own source. */
  readonly sources: readonly MemorySource[];
}

/** What a person wants forgotten. */
export type ForgetTarget =
  /** A message with its question and all answers; a summary with everything it was made of. */
  | { readonly kind: 'one'; readonly id: string }
  /** A question with its answers, reviews and verdict. */
  | { readonly kind: 'turn'; readonly id: string }
  /** Everything that a person has asked in this workspace. Without an id, the person who gives the command; others, for managers of the server. */
  | { readonly kind: 'person'; readonly id?: string }
  /** `thread`: the last part of the id of a thread of this channel. Absent: this one. */
  | { readonly kind: 'thread'; readonly thread?: string }
  | { readonly kind: 'channel' };

/** A preview of what would be forgotten. */
export interface ToForget extends ForgetPreview {
  readonly isSummary: boolean;
  /** For a thread: the last part of its id, and its URL. */
  readonly thread?: string;
  readonly link?: string;
  /** Forgets it. If this throws, the rest is done in the background. */
  forget(): Promise<void>;
}

/** The memories of a place. The methods throw as those of {@link CommandContext}. Hidden memories count as absent. */
export interface CouncilMemory {
  /** Whether memories go into prompts here. */
  readonly isOn: boolean;
  /** How far memory reaches here. */
  readonly reach: 'thread' | 'channel' | 'workspace';
  /**
   * Newest first.
   *
   * @param page.thread - If memory reaches only a thread: that of an earlier page.
   */
  newest(page: { skip: number; count: number; thread?: string | undefined }): Promise<{
    readonly items: readonly MemoryItem[];
    readonly messages: number;
    readonly summaries: number;
    /** If memory reaches only a thread: the last part of the thread's id. */
    readonly thread?: string;
  }>;
  /** The memories that match a text best, as for a question. Best first. */
  search(text: string, count: number): Promise<readonly MemoryItem[]>;
  one(id: string): Promise<MemoryItem>;
  /** Replaces the text of a summary. For managers. */
  correct(id: string, text: string): Promise<MemoryItem>;
  /** Puts a memory into every prompt here. For managers. */
  pin(id: string): Promise<MemoryItem>;
  unpin(id: string): Promise<void>;
  /**
   * People may forget their own questions, and managers everything here. Expensive previews are rate-limited per
   * person.
   *
   * @param isConfirmed - Whether the person has seen the preview.
   */
  toForget(target: ForgetTarget, isConfirmed: boolean): Promise<ToForget>;
}

/** The outcome of asking. */
export type Taken =
  | ({ readonly status: 'accepted' } & AskedQuestion)
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'dropped' };

/** The presets that can be used here. The methods throw as those of {@link CommandContext}. */
export interface Presets {
  /** Sorted by name. */
  readonly all: readonly Preset[];
  save(scope: ChannelScope, preset: Omit<Preset, 'origin'>): Promise<void>;
  remove(scope: ChannelScope, key: string): Promise<void>;
}

/** The id of a turn of this channel. `undefined`: the last one of this thread. */
export type TurnChoice = string | undefined;

/** Methods throw `CommandError` for what the person can fix, may not do, or what does not exist. */
export interface CommandContext {
  readonly place: Place;
  /** As `Person.isOutsider`. */
  readonly isOutsider: boolean;
  /** The sages that may sit in this place. */
  readonly bench: readonly Sage[];
  readonly commands: readonly Command<CommandContext>[];
  readonly customSages: CustomSages;
  readonly presets: Presets;
  /** Reads the settings of this channel or this server, for managers, or those of the person. */
  settings(scope: SettingScope): Promise<readonly SettingField[]>;
  /** Changes several settings, all or none, from the next turn on. `null` resets one. */
  changeSettings(
    scope: SettingScope,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<SettingsChange>;
  /** Asks the council in this thread. */
  ask(question: string, choice: Choice): Promise<Taken>;
  /**
   * Asks a sage of a turn the same question again, alone and without what was said since. Counts as a question of
   * this person.
   *
   * @param sage - Key or name.
   * @param again.model - `provider:model` that took part in the turn. Absent: by the channel's settings.
   */
  askAgain(
    sage: string,
    again: { readonly turnId: TurnChoice; readonly model: string | undefined },
  ): Promise<Taken>;
  /** Asks a question that a verdict suggests, counted from 1, once and in its thread. */
  askNext(number: number, turnId: TurnChoice): Promise<Taken>;
  /** Posts a verdict once to the channel of its thread. For the person who asked and managers. */
  post(turnId: TurnChoice): Promise<void>;
  /** Makes a public link to a turn or returns the existing one. For the person who asked and managers. */
  share(turnId: TurnChoice): Promise<string>;
  /** Withdraws the link to a turn, if any. For the same people. */
  unshare(turnId: TurnChoice): Promise<void>;
  /** Continues a standard verdict at depth `deep` in its thread, without paying again for its answers and reviews. */
  deepen(turnId: TurnChoice): Promise<Taken>;
  minutes(): Promise<Minutes>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A turn that goes deeper has the answers that it goes on from. */
  turn(turnId: TurnChoice): Promise<TurnRecord & { readonly past: PastTurn }>;
  /**
   * Stops the person's turns in this thread, or all of them for a manager. Returns how many.
   *
   * @param turnId - Stops only that turn of this channel, if this person asked it or is a manager.
   */
  stop(turnId: string | undefined): Promise<number>;
  /** Stores the person's rating of a turn and replaces an earlier one. */
  rate(turnId: TurnChoice, rating: Rating): Promise<void>;
  /**
   * The scores of turns in this channel, or in all public channels of this workspace. Oldest first.
   *
   * @param wanted.since - Milliseconds since 1970.
   */
  scoredTurns(wanted: {
    readonly reach: 'channel' | 'workspace';
    readonly since: number;
  }): Promise<readonly ScoredTurn[]>;
  /** Reads this thread, what the person asked in this workspace, or for managers this channel, as far as they may see it. */
  export(reach: 'thread' | 'mine' | 'channel'): Promise<ReadPlace>;
  /** Whether files can have any length here, because they are written as they are made. */
  readonly takesStreams: boolean;
  readonly memory: CouncilMemory;
}

/** The error for an unknown turn, or for a thread without turns if no id was given. */
export function noSuchTurn(turnId: TurnChoice): CommandError {
  return new UnknownIdError(
    'turn',
    turnId
      ? `There is no turn ${quotedValue(turnId)} in this channel. Leave the id out for the last one in this thread.`
      : 'Nothing has been asked in this thread yet.',
  );
}

/** Defines a command of `/council` whose `run` gets typed options. @param command.options - By name. Absent: none. */
export function councilCommand<Options extends z.ZodRawShape = Record<never, never>>({
  options,
  run,
  ...named
}: Pick<Command<CommandContext>, 'name' | 'description' | 'showsTurns'> & {
  readonly options?: Options;
  run(context: CommandContext, given: z.infer<z.ZodObject<Options>>): Promise<Reply>;
}): Command<CommandContext> {
  const schema = z.object(options);
  return {
    ...named,
    options: schema,
    run: (context, given) => run(context, schema.parse(given)),
  };
}
