/** Settings that are picked, as select menus: as many of them as it takes to show every choice. */

import { type APISelectMenuOption, type APIStringSelectComponent, ComponentType } from 'discord.js';
import type { SettingField, SettingScope } from '../../../../commands/command.ts';
import type { SettingChoice } from '../../../settings/setting-field.ts';
import { picksOf, resetName } from '../../chat/forms/settings-form.ts';
import { firstCharacters } from '../../chat/text/visible-text.ts';
import { customIdOf } from '../custom-id.ts';
import type { Row } from '../presenter/components.ts';
import { oneLine } from '../presenter/verdict-text.ts';

/** Discord takes 25, of which one may be the reset. */
const mostChoices = 24;
/** Discord's own bound. */
const longestOption = 100;
const longestNameInRange = 30;

/** How many menus a setting takes; one that is typed, or is picked from a few, takes one place as well. */
export function menusOf({ input }: SettingField): number {
  return Math.max(1, Math.ceil((picksOf(input)?.choices.length ?? 0) / mostChoices));
}

/** @param part - Which of its menus, from 0. */
export function menuRow(scope: SettingScope, field: SettingField, part: number): readonly Row[] {
  const custom_id = customIdOf({ kind: 'set', scope, setting: field.name, part });
  const options = optionsOf(field, part);
  if (custom_id === undefined || options.length === 0) return [];
  const most = picksOf(field.input)?.most;
  const menu: APIStringSelectComponent = {
    type: ComponentType.StringSelect,
    custom_id,
    placeholder: firstCharacters(placeholderOf(field, part), longestOption),
    options: [...options],
    min_values: most === undefined ? 1 : 0,
    max_values: Math.max(1, Math.min(most ?? 1, options.length)),
  };
  return [{ type: ComponentType.ActionRow, components: [menu] }];
}

function placeholderOf(field: SettingField, part: number): string {
  const choices = choicesOf(field, part);
  const [first] = choices;
  const last = choices.at(-1);
  if (menusOf(field) === 1 || !first || !last) return `Change ${field.label}`;
  const names = [first, last].map(({ label }) =>
    firstCharacters(oneLine(label), longestNameInRange),
  );
  return `Change ${field.label}: ${names.join(' to ')}`;
}

function choicesOf({ input }: SettingField, part: number): readonly SettingChoice[] {
  const choices = picksOf(input)?.choices ?? [];
  return choices.slice(part * mostChoices, (part + 1) * mostChoices);
}

function optionsOf(field: SettingField, part: number): readonly APISelectMenuOption[] {
  const chosen = picksOf(field.input)?.chosen ?? [];
  const options = choicesOf(field, part).map((one) => optionOf(one, chosen.includes(one.value)));
  const isReset = field.origin !== 'file' && part === 0;
  return [
    ...options,
    ...(isReset ? [{ label: 'Reset to what holds elsewhere', value: resetName }] : []),
  ];
}

function optionOf(choice: SettingChoice, isChosen: boolean): APISelectMenuOption {
  return {
    value: choice.value.slice(0, longestOption),
    label: firstCharacters(oneLine(choice.label), longestOption),
    default: isChosen,
    ...(choice.description
      ? { description: firstCharacters(oneLine(choice.description), longestOption) }
      : {}),
  };
}
