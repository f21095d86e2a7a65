/** What a command is given to work with. The bot fills it; a command sees nothing else. */

import { z } from 'zod';
import type { CustomSage } from '../src/council/custom-sage.ts';
import type { ScoredTurn } from '../src/council/leaderboard.ts';
import type { Choice } from '../src/domain/asking.ts';
import type { Rating } from '../src/domain/stored-turn.ts';
import type { Sage } from '../src/domain/turn.ts';
import type { ReadPlace } from '../src/memory/export/read-place.ts';
import type { ForgetPreview } from '../src/memory/forgetting/preview.ts';
import type { Minutes } from '../src/memory/minutes/minutes.ts';
import type { Preset } from '../src/settings/preset-settings.ts';
import type { ChannelScope } from '../src/settings/setting-field.ts';
import type { TurnRecord } from '../src/store/store.ts';
import {
  type Allowed,
  type AskedQuestion,
  type Command,
  type CommandError,
  type Person,
  type Place,
  type Reply,
  type SettingField,
  type SettingScope,
  UnknownIdError,
} from './command.ts';

/** Whether settings were changed. */
export type SettingsChange =
  /** `changed`: their names. All of it holds from the next turn. */
  | { readonly status: 'changed'; readonly changed: readonly string[] }
  /** Nothing was changed. Why, by the name of the setting; the reasons are for people. */
  | { readonly status: 'refused'; readonly problems: ReadonlyMap<string, string> };

/** A sage that a member has described, with the prompt drafted from the description. It does not sit until it is saved. */
export interface SageDraft {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
}

/** The sages that members have made for this channel. Each verb throws `CommandError` for what the person can fix. */
export interface CustomSages {
  readonly all: readonly CustomSage[];
  /** Drafts a prompt. The person who asked for it can save the draft within an hour. */
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
  /** The id that the command accepts. */
  readonly id: string;
  /** Who said it; absent for a summary. */
  readonly by?: string;
  /** Milliseconds since 1970; of a summary, when the last of it was said. */
  readonly at: number;
  /** In full. */
  readonly text: string;
  /** Remarks in words, e.g. `edited`, `pinned`. */
  readonly marks: readonly string[];
  /** How many messages a summary was made of; 1 for a message. */
  readonly sourceCount: number;
  /** These messages, oldest first, those of one question together; a message is its own source. */
  readonly sources: readonly MemorySource[];
}

/** What a person wants forgotten. */
export type ForgetTarget =
  /** A message with its question and all answers; a summary with everything it was made of. */
  | { readonly kind: 'one'; readonly id: string }
  /** A question with all that came of it. */
  | { readonly kind: 'turn'; readonly id: string }
  /** Everything that the person has asked in this workspace. */
  | { readonly kind: 'mine' }
  /** The last part of the id of a thread of this channel; absent: this one. */
  | { readonly kind: 'thread'; readonly thread?: string }
  | { readonly kind: 'channel' };

/** What would be forgotten. Nothing has gone yet. */
export interface ToForget extends ForgetPreview {
  readonly isSummary: boolean;
  /** For a thread: the last part of its id, and its web address. */
  readonly thread?: string;
  readonly link?: string;
  /** Forgets it. If this throws, the rest is done in the background. */
  forget(): Promise<void>;
}

/** What is remembered in a place. Verbs throw `CommandError` for what the person can fix, and treat what they may not see as absent. */
export interface CouncilMemory {
  /** Whether memories go into prompts here. */
  readonly isOn: boolean;
  /** How far it reaches here. */
  readonly reach: 'thread' | 'channel' | 'workspace';
  /**
   * The newest first.
   *
   * @param options.thread - If memory reaches only a thread: which one, from an earlier page.
   */
  newest(options: {
    readonly skip: number;
    readonly count: number;
    readonly thread?: string | undefined;
  }): Promise<{
    readonly items: readonly MemoryItem[];
    readonly messages: number;
    readonly summaries: number;
    /** If memory reaches only a thread: the last part of its id. */
    readonly thread?: string;
  }>;
  /** Memories that fit a text best, as for a question; the nearest first. */
  search(text: string, count: number): Promise<readonly MemoryItem[]>;
  one(id: string): Promise<MemoryItem>;
  /** Replaces the text of a summary. For managers. */
  correct(id: string, text: string): Promise<MemoryItem>;
  /** Puts a memory into every prompt here. For managers. */
  pin(id: string): Promise<MemoryItem>;
  unpin(id: string): Promise<void>;
  /**
   * Everybody may forget their own questions; the rest is for managers. A count that takes long is made
   * once in a while for each person.
   *
   * @param isConfirmed - The person has seen what would go.
   */
  toForget(target: ForgetTarget, isConfirmed: boolean): Promise<ToForget>;
}

/** Whether a question was taken. */
export type Taken =
  | ({ readonly status: 'accepted' } & AskedQuestion)
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'dropped' };

/** Councils under a name. The verbs throw `CommandError` for what the person can fix, and without the permission. */
export interface Presets {
  /** Those that hold here, by name. */
  readonly all: readonly Preset[];
  save(scope: ChannelScope, preset: Omit<Preset, 'origin'>): Promise<void>;
  remove(scope: ChannelScope, key: string): Promise<void>;
}

/** The id of a turn of this channel; `undefined`: the last one of this thread. */
export type TurnChoice = string | undefined;

export interface CommandContext {
  readonly place: Place;
  readonly person: Person;
  /** The sages that may sit in this place. */
  readonly bench: readonly Sage[];
  readonly commands: readonly Command<CommandContext>[];
  readonly customSages: CustomSages;
  readonly presets: Presets;
  /** Reads the settings that hold in this channel, or by default in all channels of this server. */
  settings(scope: SettingScope): Promise<readonly SettingField[]>;
  /** Changes several settings at once, all of them or none; `null` resets one. Throws `CommandError` without the permission. */
  changeSettings(
    scope: SettingScope,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<SettingsChange>;
  /** Asks the council in this thread. */
  ask(question: string, choice: Choice): Promise<Taken>;
  /**
   * Asks a sage of a turn again, alone and as if for the first time: it is told nothing of what was said
   * since. Counts as a question of this person. Throws `CommandError` when it can't be asked.
   *
   * @param sage - Its key or name.
   * @param again.model - `provider:model`, one that took part in the turn; absent: as the channel is set.
   */
  askAgain(
    sage: string,
    again: { readonly turnId: TurnChoice; readonly model: string | undefined },
  ): Promise<Taken>;
  /**
   * Asks a question that a verdict suggests, in its thread and once. Throws `CommandError` for one that it
   * does not suggest.
   *
   * @param number - The first is 1.
   */
  askNext(number: number, turnId: TurnChoice): Promise<Taken>;
  /**
   * Puts a verdict into the channel that its thread is in, once; for the person who asked and for managers.
   * Throws `CommandError` for others, and when it can't be posted.
   */
  post(turnId: TurnChoice): Promise<void>;
  /**
   * Makes a link by which others can read a turn, or gives the one that was made; for the person who asked
   * and for managers. Throws `CommandError` for others, and where there is no page of it.
   */
  share(turnId: TurnChoice): Promise<string>;
  /** Withdraws the link of a turn, if one was made. Throws as {@link share} does. */
  unshare(turnId: TurnChoice): Promise<void>;
  /**
   * Goes on from a standard verdict at depth `deep`, in its thread, and pays for nothing that is there.
   * Throws `CommandError` where there is nothing to go on from.
   */
  deepen(turnId: TurnChoice): ReturnType<CommandContext['ask']>;
  /**
   * Writes minutes of this thread; gives nothing where nothing has been said. Throws `CommandError`
   * when they can't be written.
   */
  minutes(): Promise<Minutes | undefined>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Reads a turn; gives nothing where there is none. */
  turn(turnId: TurnChoice): Promise<TurnRecord | undefined>;
  /**
   * Stops what this person has asked in this thread, or everything for a manager.
   *
   * @param turnId - Stops only that turn of this channel. Throws `CommandError` if another person asked it.
   * @returns How many turns were stopped.
   */
  stop(turnId: string | undefined): Promise<number>;
  /**
   * Stores what this person thinks of a turn, replacing an earlier rating.
   *
   * @returns Whether there is such a turn.
   */
  rate(turnId: TurnChoice, rating: Rating): Promise<boolean>;
  /**
   * How sages have fared in the turns of this channel, or of all channels of this workspace that everybody
   * may read; the oldest first.
   *
   * @param wanted.since - Milliseconds since 1970.
   */
  scoredTurns(wanted: {
    readonly reach: 'channel' | 'workspace';
    readonly since: number;
  }): Promise<readonly ScoredTurn[]>;
  /**
   * What was said in this thread, or for managers in this channel, as far as this person may see it.
   * Throws `CommandError` without the permission.
   */
  export(reach: 'thread' | 'channel'): Promise<ReadPlace>;
  /** Whether files may be of any length here: they are written as they are made. */
  readonly takesStreams: boolean;
  readonly memory: CouncilMemory;
}

/**
 * The error for a turn that {@link CommandContext.turn} does not find.
 *
 * @param nothing - What to say if no id was given.
 */
export function noSuchTurn(
  turnId: string | undefined,
  nothing = 'Nothing has been asked in this thread yet.',
): CommandError {
  return new UnknownIdError(
    'turn',
    turnId
      ? `There is no turn “${turnId}” in this channel. Leave the id out for the last one in this thread.`
      : nothing,
  );
}

/**
 * A command of `/council`; `run` and `allowed` are given what was asked in the types of its options.
 *
 * @param command.options - Its options by name; absent: it takes none.
 * @param command.allowed - Absent: everyone may use it.
 */
export function councilCommand<Options extends z.ZodRawShape = Record<never, never>>({
  options,
  allowed = 'everyone',
  run,
  ...named
}: Pick<Command<CommandContext>, 'name' | 'description'> & {
  readonly options?: Options;
  readonly allowed?: Allowed | ((given: z.infer<z.ZodObject<Options>>) => Allowed);
  run(context: CommandContext, given: z.infer<z.ZodObject<Options>>): Promise<Reply>;
}): Command<CommandContext> {
  const schema = z.object(options);
  return {
    ...named,
    options: schema,
    allowed: typeof allowed === 'string' ? allowed : (given) => allowed(schema.parse(given)),
    run: (context, given) => run(context, schema.parse(given)),
  };
}
