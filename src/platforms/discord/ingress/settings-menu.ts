/** Settings that are picked, as select menus: as many of them as it takes to show every choice. */

import { type APISelectMenuOption, type APIStringSelectComponent, ComponentType } from 'discord.js';
import type { ReplyBlock, SettingField } from '../../../../commands/command.ts';
import { firstCharacters } from '../../chat/text/visible-text.ts';
import { customIdOf } from '../custom-id.ts';
import type { Row } from '../presenter/components.ts';
import { inertDiscordLine } from '../text/discord-text.ts';

type Scope = Extract<ReplyBlock, { type: 'settings' }>['scope'];

/** Discord takes 25, of which one may be the reset. */
const mostChoices = 24;
/** Discord's own bound. */
const longestOption = 100;
const longestNameInRange = 30;

/** The value of a menu's entry that makes the setting as if nobody had set it here. */
export const resetValue = ' reset';

/** How many menus a setting takes; one that is typed, or is picked from a few, takes one place as well. */
export function menusOf({ input }: SettingField): number {
  const count = 'choices' in input ? input.choices.length : 0;
  return Math.max(1, Math.ceil(count / mostChoices));
}

/** @param part - Which of its menus, from 0. */
export function menuRow(scope: Scope, field: SettingField, part: number): readonly Row[] {
  const { input, name } = field;
  const custom_id = customIdOf({ kind: 'set', scope, setting: name, part });
  const options = optionsOf(field, part);
  if (custom_id === undefined || options.length === 0) return [];
  const several = input.kind === 'choices';
  const menu: APIStringSelectComponent = {
    type: ComponentType.StringSelect,
    custom_id,
    placeholder: firstCharacters(placeholderOf(field, part), longestOption),
    options: [...options],
    min_values: several ? 0 : 1,
    max_values: several ? Math.max(1, Math.min(input.most, options.length)) : 1,
  };
  return [{ type: ComponentType.ActionRow, components: [menu] }];
}

/**
 * What a setting is after somebody has picked in one of its menus: what the menu did not show stays
 * as it is.
 *
 * @param field - As it is at the moment; absent: there is no such setting any more.
 * @param shown - The values that the menu offered.
 * @returns `null` resets it.
 */
export function valueAfter(
  field: SettingField | undefined,
  shown: readonly string[],
  picked: readonly string[],
): readonly string[] | null {
  if (picked.includes(resetValue)) return null;
  if (field?.input.kind !== 'choices') return picked;
  return [...field.input.chosen.filter((value) => !shown.includes(value)), ...picked];
}

function placeholderOf(field: SettingField, part: number): string {
  const choices = choicesOf(field, part);
  const [first] = choices;
  const last = choices.at(-1);
  if (menusOf(field) === 1 || !first || !last) return `Change ${field.label}`;
  const names = [first, last].map(({ label }) =>
    firstCharacters(inertDiscordLine(label), longestNameInRange),
  );
  return `Change ${field.label}: ${names.join(' to ')}`;
}

function choicesOf({ input }: SettingField, part: number) {
  const choices = 'choices' in input ? input.choices : [];
  return choices.slice(part * mostChoices, (part + 1) * mostChoices);
}

function optionsOf(field: SettingField, part: number): readonly APISelectMenuOption[] {
  const { input, origin } = field;
  const isReset = origin !== 'file' && part === 0;
  const reset = isReset ? [{ label: 'Reset to what holds elsewhere', value: resetValue }] : [];
  switch (input.kind) {
    case 'choice':
    case 'choices': {
      const chosen: readonly string[] = [input.chosen].flat();
      const choices = choicesOf(field, part);
      return [...choices.map((one) => optionOf(one, chosen.includes(one.value))), ...reset];
    }
    case 'yes_or_no':
      return [
        { label: 'Yes', value: 'yes', default: input.chosen },
        { label: 'No', value: 'no', default: !input.chosen },
        ...reset,
      ];
    case 'number':
    case 'text':
    case 'people':
      return [];
  }
}

function optionOf(
  choice: { readonly value: string; readonly label: string; readonly description?: string },
  isChosen: boolean,
): APISelectMenuOption {
  return {
    value: choice.value.slice(0, longestOption),
    label: firstCharacters(inertDiscordLine(choice.label), longestOption),
    default: isChosen,
    ...(choice.description
      ? { description: firstCharacters(inertDiscordLine(choice.description), longestOption) }
      : {}),
  };
}
