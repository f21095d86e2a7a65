/** Forms as data that any chat can draw: settings, the changes made in them, and text inputs. */

import type { Reply, ReplyBlock, SettingField } from '../../../commands/command.ts';
import type { SettingChoice, SettingInput } from '../../settings/setting-field.ts';

/** The settings of one scope, in display order. */
export type SettingsForm = Extract<ReplyBlock, { type: 'settings' }>;

/** The menu entry for a reset. No setting or choice has this name. */
export const resetName = ' reset';

/** The form in a reply of `config`. */
export function formIn({ blocks }: Reply): SettingsForm | undefined {
  return blocks.find((block) => block.type === 'settings');
}

/** The choices of a field. */
interface Picks {
  readonly choices: readonly SettingChoice[];
  /** The chosen values. */
  readonly chosen: readonly string[];
  /** How many may be chosen; absent: exactly one. */
  readonly most?: number;
}

/** The choices of a field; `undefined` for text, numbers and people. */
export function picksOf(input: SettingInput): Picks | undefined {
  switch (input.kind) {
    case 'choices':
      return input;
    case 'choice':
      return { choices: input.choices, chosen: [input.chosen] };
    case 'yes_or_no': {
      const choices = [
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ];
      return { choices, chosen: [input.chosen ? 'yes' : 'no'] };
    }
    case 'number':
    case 'text':
    case 'people':
      return undefined;
  }
}

/** What an empty field means; `undefined` if it can't be empty. */
export function whenEmpty(input: SettingInput): string | undefined {
  return 'whenNone' in input ? input.whenNone : undefined;
}

/** The bounds of a number, e.g. `0 to 4 (sages)`; `undefined` for other fields. */
export function boundsOf(input: SettingInput): string | undefined {
  return input.kind === 'number'
    ? `${input.minimum} to ${input.maximum} (${input.unit})`
    : undefined;
}

/**
 * Where a value comes from, and who set it.
 *
 * @param server - The platform's word for a workspace.
 */
export function originWords(
  { origin, setBy }: Pick<SettingField, 'origin' | 'setBy'>,
  server: 'server' | 'workspace',
): string {
  const where = {
    channel: 'set for this channel',
    server: `set for the ${server}`,
    mine: 'set by you',
    file: 'the default',
  }[origin];
  return setBy === undefined ? where : `${where} by ${setBy}`;
}

/** A setting as a line, e.g. `Depth: quick (set for this channel by Ada)`. */
export function settingLine(field: SettingField, server: 'server' | 'workspace'): string {
  const problem = field.problem === undefined ? '' : `. Not changed: ${field.problem}`;
  return `${field.label}: ${field.value} (${originWords(field, server)})${problem}`;
}

/** Values by setting, for the command `config`; `null` resets one. */
export type Changes = Readonly<Record<string, unknown>>;

/** One field of a submitted form. */
interface Answer {
  readonly name: string;
  /** The values before and after: choices, ids of people, or one text. */
  readonly shown: readonly string[];
  readonly held: readonly string[];
  /** Whether it may hold several values. */
  readonly isList: boolean;
}

/**
 * Only fields that differ from what was shown are changes, so that inherited values stay inherited and changes
 * made by others meanwhile are kept.
 *
 * @param reset - Settings to reset, regardless of their answers.
 */
export function changesIn(answers: readonly Answer[], reset: readonly string[] = []): Changes {
  const changed = answers.filter(({ shown, held }) => !isSame(shown, held));
  return Object.fromEntries([
    ...changed.map(({ name, held, isList }) => [name, isList ? held : (held[0] ?? '')] as const),
    ...reset.map((name) => [name, null] as const),
  ]);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value));
}

/**
 * The value after a pick in a menu with only some of the choices; the others keep their state.
 *
 * @param field - Its current state; `undefined`: the setting no longer exists.
 * @param offered - The values in the menu; may include {@link resetName}.
 * @returns `null`: reset.
 */
export function valueAfterPick(
  field: SettingField | undefined,
  offered: readonly string[],
  picked: readonly string[],
): readonly string[] | null {
  if (picked.includes(resetName)) return null;
  if (field?.input.kind !== 'choices') return picked;
  return [...field.input.chosen.filter((value) => !offered.includes(value)), ...picked];
}

/** A text input of a modal. */
export interface TextInput {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly maxChars: number;
  /** Has several lines. */
  readonly isLong?: true;
  /** May be left empty. */
  readonly isOptional?: true;
  /** Initial text. */
  readonly value?: string;
}

export interface TextForm {
  readonly title: string;
  /** Label of the submit button, on platforms that support one. */
  readonly submit: string;
  readonly inputs: readonly TextInput[];
}

/** Describes a new sage. The inputs are the options of `summon`. */
export const summonForm = {
  title: 'A sage for this channel',
  submit: 'Draft',
  inputs: [
    { name: 'name', label: 'Name', hint: 'A name that no sage here has yet', maxChars: 80 },
    {
      name: 'description',
      label: 'Description',
      hint: 'Who it is and what it is for, in a sentence or two',
      maxChars: 1000,
      isLong: true,
    },
  ],
} as const satisfies TextForm;

/** The forms for a command's options, by the command's name. */
export const commandForms: Readonly<Record<string, TextForm | undefined>> = { summon: summonForm };

/** Asks what a person wants to know about a message. */
export const aboutForm = {
  title: 'Ask the council',
  submit: 'Ask',
  inputs: [
    {
      name: 'question',
      label: 'What do you want to know about it?',
      hint: 'Leave it empty to hear what the sages make of it',
      maxChars: 1000,
      isLong: true,
      isOptional: true,
    },
  ],
} as const satisfies TextForm;
