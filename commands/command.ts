/** Defines the commands of `/council` and their replies, independent of platforms, which format the replies. */

import { z } from 'zod';
import type { PersonLimits } from '../src/domain/asking.ts';
import { listed } from '../src/domain/words.ts';
import type { SettingField, SettingScope } from '../src/settings/setting-field.ts';

export type { SettingField, SettingInput, SettingScope } from '../src/settings/setting-field.ts';

/** Where something was said. */
export interface Place {
  /** `discord`, `slack`, `terminal`. */
  readonly platform: string;
  readonly workspace: string;
  readonly channel: string;
  /** `platform:workspace:channel:thread`. */
  readonly threadId: string;
  /**
   * Whether only part of the workspace can read it, e.g. a private channel or direct message. Absent: unknown, and
   * treated as private.
   */
  readonly isPrivate?: boolean;
  /** Whether fewer people can read the thread than its channel. Absent: no. */
  readonly isPrivateThread?: boolean;
  /** The thread's channel takes no messages of its own, e.g. a forum. Absent: it does, or there is none. */
  readonly isForumPost?: true;
  /** Whether people from outside the workspace can read it. Absent: no. */
  readonly isOpenOutside?: boolean;
}

/** Tells people where else they may have asked. Empty where the workspace is all there is. */
export function elsewhere({ platform }: Pick<Place, 'platform'>): readonly string[] {
  if (platform !== 'discord') return [];
  return ['Each server counts for itself, and so do direct messages: give the command there, too.'];
}

/** A person, with the rights that the platform reports at this moment. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** The person's workspace. Absent: that of the place. */
  readonly workspace?: string;
  /** Whether the person reads along from outside the workspace, in a channel that it shares. Absent: no. */
  readonly isOutsider?: true;
  /** Personal limits, e.g. of an API key. Absent: those of the operator's file. */
  readonly limits?: PersonLimits;
  /** Whether they may manage this channel, by the platform's permissions. */
  readonly isManager: boolean;
  /** Whether they may manage the whole server or workspace. Always false in a direct message. */
  readonly isServerManager: boolean;
}

export type ReplyBlock =
  /** Markdown. */
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'fields';
      readonly fields: readonly { readonly name: string; readonly value: string }[];
    }
  | {
      readonly type: 'table';
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  /** Buttons. Each runs its command line, e.g. `receipt abc`. */
  | {
      readonly type: 'choices';
      readonly choices: readonly { readonly label: string; readonly command: string }[];
    }
  /**
   * A settings form. It submits `{ scope, changes: { name: value } }` to the command `config`, which makes all
   * changes or none. `null` resets a setting. The reply is the form again, with a `problem` at each refused field.
   */
  | {
      readonly type: 'settings';
      readonly scope: SettingScope;
      readonly fields: readonly SettingField[];
      /** The setting to begin with where not all are shown at once. Absent: the first. */
      readonly about?: string;
    }
  | {
      readonly type: 'file';
      readonly name: string;
      readonly mediaType: string;
      readonly content: string;
      /** The reply has the same as text, so platforms that show files as text leave this one out. */
      readonly isDrawn?: true;
      /** What a picture shows, for people who can't see it. */
      readonly description?: string;
    }
  /** A file of any length that is written as it is made, see `takesStreams`. */
  | {
      readonly type: 'stream';
      readonly name: string;
      readonly mediaType: string;
      readonly portions: AsyncIterable<string>;
    };

export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  /** Whether only the person who asked may see it. */
  readonly isPrivate: boolean;
  /** Nothing was done, and the text says why. Scripts get an exit code. Absent: it was done. */
  readonly isRefusal?: true;
  /** The question that the command asked, if any. */
  readonly asked?: AskedQuestion;
}

/** An accepted question. `isNew: false`: the same button or command had asked it before. */
export interface AskedQuestion {
  readonly turnId: string;
  /** How many turns of the thread are ahead of it. */
  readonly turnsBefore: number;
  readonly isNew: boolean;
}

/** A private reply that begins with a text. */
export function textReply(text: string, ...more: readonly ReplyBlock[]): Reply {
  return { isPrivate: true, blocks: [{ type: 'text', text }, ...more] };
}

/** A private reply that says why nothing was done. */
export function refusal(text: string): Reply {
  return { ...textReply(text), isRefusal: true };
}

/** @typeParam Context - What the command works with. */
export interface Command<Context> {
  /** One lower-case word. */
  readonly name: string;
  /** At most 100 characters; shown in menus and help. */
  readonly description: string;
  /**
   * Described options by name. The first required string option takes the words after the command. A `pattern` in
   * an option's metadata distinguishes its values from other words.
   */
  readonly options: z.ZodObject;
  /** Its reply shows turns. That of a recorded council is labelled. */
  readonly showsTurns?: true;
  /** `options` is the output of the command's schema. Throws a {@link CommandError} that says what to fix. */
  run(context: Context, options: Readonly<Record<string, unknown>>): Promise<Reply>;
}

/** The options that people type or pick, by name, without those that only forms and buttons submit. */
export function optionsForPeople({
  options,
}: Pick<Command<never>, 'options'>): readonly (readonly [string, z.ZodType])[] {
  return Object.entries(options.shape).filter(
    ([, option]) => z.globalRegistry.get(option)?.[notForPeople] !== true,
  );
}

/**
 * Parses the options of a command.
 *
 * @throws {CommandError} that says what is wrong and which options there are.
 */
export function optionsIn(
  command: Pick<Command<never>, 'name' | 'options'>,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { name } = command;
  const parsed = z.strictObject(command.options.shape).safeParse(given);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return `There is no option ${listed(issue.keys)}.`;
    const options = optionsOf(command).filter((option) => option.name === issue.path[0]);
    return options.map((option) => problemWith(option, name, given[option.name]));
  });
  const isOnlyMissing = parsed.error.issues.every(
    ({ path: [option] }) => option !== undefined && given[String(option)] === undefined,
  );
  if (isOnlyMissing) throw new CommandError(wrong.join(' '));
  const known = optionsForPeople(command).map(([option]) => option);
  const takes = known.length > 0 ? `It takes ${listed(known)}.` : 'It takes no options.';
  throw new CommandError(
    `“${name}” doesn’t work like that. ${[...new Set(wrong)].join(' ')} ${takes}`,
  );
}

const optionSchema = z.object({
  type: z.string().default(''),
  /** The allowed values; empty: any. */
  enum: z.array(z.string()).default([]),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  description: z.string().default(''),
});

/** An option of a command, as JSON Schema describes it. */
export type CommandOption = ReturnType<typeof optionsOf>[number];

/** The options of a command, in the order of its schema. */
export function optionsOf({ options }: Pick<Command<never>, 'options'>) {
  const schema = options.toJSONSchema({ io: 'input', unrepresentable: 'any' });
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) => {
    const { enum: choices, ...more } = optionSchema.parse(property);
    return { name, isRequired: required.includes(name), choices, ...more };
  });
}

/** Describes the problem with one option. */
function problemWith(
  { name: option, type, choices: all, minimum, maximum, description }: CommandOption,
  command: string,
  given: unknown,
): string {
  const choices = listed(all, undefined, 'or');
  if (given === undefined) {
    const what = choices || `${description.slice(0, 1).toLowerCase()}${description.slice(1)}`;
    return `Write the ${option} after “${command}”: ${what}.`;
  }
  if (choices) return `The option ${option} can be ${choices}.`;
  if (type === 'integer' || type === 'number') {
    return `The option ${option} is a ${type === 'integer' ? 'whole ' : ''}number from ${minimum} to ${maximum}.`;
  }
  return `The option ${option} is ${type === 'boolean' ? 'yes or no' : 'text'}.`;
}

/** An option for the id of a turn, which is one word. */
export function turnOption(
  description = 'Id of the turn; without it, the last one of this thread',
) {
  return z.string().meta({ pattern: String.raw`^\S+$` }).optional().describe(description);
}

/** Metadata of options that only forms and buttons submit. */
const notForPeople = 'notForPeople';

/** An option that only forms and buttons submit. */
export function hiddenOption<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().meta({ description, [notForPeople]: true });
}

/** The message for unexpected errors. */
export const faultWords =
  'That didn’t work because of a fault in the program. The log has the details.';

/** The command can't be run as given. The message says what was expected and how to fix it. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** An id is unknown or missing. The reply offers the latest ones. */
export class UnknownIdError extends CommandError {
  override readonly name = 'UnknownIdError';
  readonly of: 'turn' | 'memory';

  constructor(of: UnknownIdError['of'], message: string) {
    super(message);
    this.of = of;
  }
}
