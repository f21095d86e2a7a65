/** Forms as data that any chat can draw: settings, with what was changed in them, and texts to be typed. */

import type { Reply, ReplyBlock, SettingField } from '../../../commands/command.ts';
import type { SettingChoice, SettingInput } from '../../settings/setting-field.ts';

/** The settings of one scope, in the order in which they are shown. */
export type SettingsForm = Extract<ReplyBlock, { type: 'settings' }>;

/** Stands for a reset among the names of settings or choices; none of them is called so. */
export const resetName = ' reset';

/** The form in a reply of the command `config`. */
export function formIn({ blocks }: Reply): SettingsForm | undefined {
  return blocks.find((block) => block.type === 'settings');
}

/** What a field offers to be picked. */
interface Picks {
  readonly choices: readonly SettingChoice[];
  /** Values of those that are chosen. */
  readonly chosen: readonly string[];
  /** How many may be chosen; absent: exactly one. */
  readonly most?: number;
}

/** @returns Absent for a field that is typed, or in which people are named. */
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

/** What an empty field means; absent where it can't be empty. */
export function whenEmpty(input: SettingInput): string | undefined {
  return 'whenNone' in input ? input.whenNone : undefined;
}

/** e.g. `0 to 4 (sages)`; absent unless it is a number. */
export function boundsOf(input: SettingInput): string | undefined {
  return input.kind === 'number'
    ? `${input.minimum} to ${input.maximum} (${input.unit})`
    : undefined;
}

/**
 * Where a value comes from, and who set it.
 *
 * @param server - The platform's word for it.
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

/** e.g. `Depth: quick (set for this channel by Ada)`. */
export function settingLine(field: SettingField, server: 'server' | 'workspace'): string {
  const problem = field.problem === undefined ? '' : `. Not changed: ${field.problem}`;
  return `${field.label}: ${field.value} (${originWords(field, server)})${problem}`;
}

/** Values by name, as the command `config` takes them; `null` resets one. */
export type Changes = Readonly<Record<string, unknown>>;

/** One field of a submitted form. */
interface Answer {
  readonly name: string;
  /** What it showed, and what it holds now: values that are picked, ids of people, or one text. */
  readonly shown: readonly string[];
  readonly held: readonly string[];
  /** Whether it may hold several values. */
  readonly isList: boolean;
}

/**
 * Only what differs from what was shown is a change. So inherited values stay inherited, and changes
 * that others made meanwhile are not undone.
 *
 * @param reset - Names of settings to reset, whatever was chosen for them.
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
 * The value after a pick in a menu that offered some of the choices; the others stay as they are.
 *
 * @param field - As it is now; absent: the setting no longer exists.
 * @param offered - The values in the menu; {@link resetName} may be one.
 * @returns `null` resets it.
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

/** Forms in which a person types, as data that any chat can draw as a modal. */

/** One text to be typed. */
export interface TextInput {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly maxChars: number;
  /** It takes several lines; absent: one. */
  readonly isLong?: true;
  /** It may be left empty; absent: it may not. */
  readonly isOptional?: true;
  /** The text that it is filled with; absent: none. */
  readonly value?: string;
}

export interface TextForm {
  readonly title: string;
  /** Label of the button that sends it, on platforms that let it be named. */
  readonly submit: string;
  readonly inputs: readonly TextInput[];
}

/** Describes a sage. The inputs are the options of the command `summon`. */
export const summonForm = {
  title: 'A sage for this channel',
  submit: 'Draft',
  inputs: [
    { name: 'name', label: 'Name', hint: 'Not yet taken on this bench', maxChars: 80 },
    {
      name: 'description',
      label: 'Description',
      hint: 'Who it is and what it is for, in a sentence or two',
      maxChars: 1000,
      isLong: true,
    },
  ],
} as const satisfies TextForm;

/** The forms that ask for a command's options, by the command's name. */
export const commandForms: Readonly<Record<string, TextForm | undefined>> = { summon: summonForm };

/** Says what a person wants to know about a message; all of it may be left empty. */
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
