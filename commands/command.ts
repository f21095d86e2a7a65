/** A command of `/council`, and what it replies. No platform's types: each platform formats a reply at its edge. */

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
   * Whether only some of the workspace can read it: a private channel, a direct message. Absent: unknown,
   * and treated as private.
   */
  readonly isPrivate?: boolean;
  /** Whether fewer people can read the thread than its channel. Absent: no. */
  readonly isPrivateThread?: boolean;
  /** Whether people from outside the workspace read along, or may. Absent: no. */
  readonly isOpenOutside?: boolean;
}

/** Who said it, as the platform vouches at this moment. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** The workspace that they are of; absent: the one that it was said in. */
  readonly workspace?: string;
  /** What they may use up, e.g. with a key of the API; absent: as the operator's file says. */
  readonly limits?: PersonLimits;
  /** May manage this channel, by the platform's own permission. */
  readonly isManager: boolean;
  /** May manage the whole server or workspace; always false in a direct message. */
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
  /** Things to pick from; picking one runs the command line, e.g. `receipt abc`. */
  | {
      readonly type: 'choices';
      readonly choices: readonly { readonly label: string; readonly command: string }[];
    }
  /**
   * Settings to be changed. What is changed in it is given to the command `config` as
   * `{ scope, changes: { name: value } }`, all or none of it; `null` as a value resets one. The
   * reply to that is the same block again, with a `problem` at each field that was refused.
   */
  | {
      readonly type: 'settings';
      readonly scope: SettingScope;
      readonly fields: readonly SettingField[];
    }
  | {
      readonly type: 'file';
      readonly name: string;
      readonly mediaType: string;
      readonly content: string;
      /** Another file of the reply says the same in text: left out where files can only be shown as text. */
      readonly isDrawn?: true;
    }
  /** A file of any length, for places that write it as it is made; see `takesStreams`. */
  | {
      readonly type: 'stream';
      readonly name: string;
      readonly mediaType: string;
      readonly portions: AsyncIterable<string>;
    };

export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  /** Only for the person who asked. */
  readonly isPrivate: boolean;
  /** Nothing was done, and the text says why: a script is told by its exit code. Absent: it was done. */
  readonly isRefusal?: true;
  /** The question that it asked; absent: none. */
  readonly asked?: AskedQuestion;
}

/** A question that was taken. `isNew: false`: it had been, by the same button or command. */
export interface AskedQuestion {
  readonly turnId: string;
  /** How many turns of the thread come first. */
  readonly turnsBefore: number;
  readonly isNew: boolean;
}

/** A private reply of one text. */
export function textReply(text: string): Reply {
  return { isPrivate: true, blocks: [{ type: 'text', text }] };
}

/** A private reply of why something was not done. */
export function refusal(text: string): Reply {
  return { ...textReply(text), isRefusal: true };
}

/** Who may use a command. */
export type Allowed = 'everyone' | 'managers';

/**
 * @typeParam Context - What the command is given to work with.
 */
export interface Command<Context> {
  /** One lower-case word. */
  readonly name: string;
  /** At most 100 characters; shown in menus and help. */
  readonly description: string;
  /**
   * Options by name, each described; the first required string one takes the words that follow the command.
   * A `pattern` in the meta data of an option tells such words from a sentence that is none of its values.
   */
  readonly options: z.ZodObject;
  /** Checked at the moment of use; may depend on what is asked of the command. */
  readonly allowed: Allowed | ((options: Readonly<Record<string, unknown>>) => Allowed);
  /** `options` is the output of the command's own schema. Throws {@link CommandError} for what the person can fix. */
  run(context: Context, options: Readonly<Record<string, unknown>>): Promise<Reply>;
}

/** The options that people write or pick, by name; not those that only forms and buttons give. */
export function optionsForPeople({
  options,
}: Pick<Command<never>, 'options'>): readonly (readonly [string, z.ZodType])[] {
  return Object.entries(options.shape).filter(
    ([, option]) => z.globalRegistry.get(option)?.[notForPeople] !== true,
  );
}

/**
 * Checks what was given against the options of a command.
 *
 * @throws {CommandError} naming what is wrong and what the command takes.
 */
export function optionsIn(
  { name, options }: Pick<Command<never>, 'name' | 'options'>,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const parsed = z.strictObject(options.shape).safeParse(given);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `There is no option ${listed(issue.keys)}.`
      : problemWith(String(issue.path[0]), options, given),
  );
  const known = optionsForPeople({ options }).map(([option]) => option);
  const takes = known.length > 0 ? `It takes ${listed(known)}.` : 'It takes no options.';
  throw new CommandError(
    `“${name}” doesn’t work like that. ${[...new Set(wrong)].join(' ')} ${takes}`,
  );
}

const propertySchema = z.object({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

/** What is wrong with one option, in a sentence of our own. */
function problemWith(
  name: string,
  options: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
): string {
  if (given[name] === undefined) return `The option ${name} is missing.`;
  const { properties = {} } = options.toJSONSchema({ io: 'input', unrepresentable: 'any' });
  const { type, minimum, maximum, ...property } = propertySchema.parse(properties[name]);
  if (property.enum) return `The option ${name} can be ${listed(property.enum, undefined, 'or')}.`;
  if (type === 'integer' || type === 'number') {
    return `The option ${name} is a ${type === 'integer' ? 'whole ' : ''}number from ${minimum} to ${maximum}.`;
  }
  return `The option ${name} is ${type === 'boolean' ? 'yes or no' : 'text'}.`;
}

/** An option for the id of a turn; a sentence that follows a command is none. */
export function turnOption(
  description = 'Id of the turn; without it, the last one of this thread',
) {
  return z.string().meta({ pattern: String.raw`^\S+$` }).optional().describe(description);
}

/** In the meta data of an option: only forms and buttons give it. */
export const notForPeople = 'notForPeople';

/** What people are told when what they wanted failed, and they can fix nothing of it. */
export const faultWords =
  'That didn’t work because of a fault in the program. The log has the details.';

/** The command can't be carried out as it was given. The message says what was expected and how to fix it. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** Nothing has the id that was given, or one is missing: the reply offers the latest ones to choose from. */
export class UnknownIdError extends CommandError {
  override readonly name = 'UnknownIdError';
  readonly of: 'turn' | 'memory';

  constructor(of: UnknownIdError['of'], message: string) {
    super(message);
    this.of = of;
  }
}

/**
 * A command as people type it.
 *
 * @param options - By name; `undefined` ones are left out.
 * @returns Nothing where a value has quotation marks of each kind, so that it can't be quoted.
 */
export function commandLine(
  name: string,
  options: Readonly<Record<string, unknown>>,
): string | undefined {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const words = given.map(([option, value]) => {
    const text = String(value);
    const quoted = /^[\w:.-]+$/.test(text) ? text : quote(text);
    return quoted && `--${option} ${quoted}`;
  });
  return words.includes(undefined) ? undefined : [name, ...words].join(' ');
}

function quote(text: string): string | undefined {
  if (!text.includes('"')) return `"${text}"`;
  return text.includes('”') ? undefined : `“${text}”`;
}
