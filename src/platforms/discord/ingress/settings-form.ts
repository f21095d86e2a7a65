/** Shows settings as menus and modals, a page at a time. */

import { type APISelectMenuOption, ComponentType, SelectMenuDefaultValueType } from 'discord.js';
import type { SettingField, SettingScope } from '../../../../commands/command.ts';
import { firstCharacters, shortened } from '../../../domain/words.ts';
import type { SettingChoice, SettingInput } from '../../../settings/setting-field.ts';
import {
  boundsOf,
  originWords,
  picksOf,
  resetName,
  type SettingsForm,
  whenEmpty,
} from '../../chat/forms.ts';
import { customIdOf, type Modal, typingModal } from '../custom-id.ts';
import { inertDiscordLine } from '../discord-text.ts';
import {
  button,
  buttonRow,
  type Component,
  type Row,
  separator,
  textPart,
} from '../presenter/components.ts';

/** Each entry takes up to four of a message's 40 components. */
const entriesPerPage = 5;
/** Discord's limits. */
const maxInputs = 5;
/** A menu takes 25 options; one may be the reset. */
const maxChoices = 24;
const longestOption = 100;
const longestLabel = 45;
const longestHint = 100;
const longestLine = 130;
const maxPeople = 25;
const snowflake = /^\d{15,21}$/;
/** In characters. */
const longestTyped = 200;

/** A menu or button on a page. A setting with more choices than a menu takes has several entries. */
interface Entry {
  readonly field: SettingField;
  /** Index of the setting's menu, from 0. */
  readonly part: number;
}

function entriesOf(fields: readonly SettingField[]): readonly Entry[] {
  return fields.flatMap((field) =>
    Array.from({ length: menusOf(field) }, (_, part) => ({ field, part })),
  );
}

/** The page with a setting's menu, from 0; the first page for an unknown setting. */
export function pageWith(fields: readonly SettingField[], setting: string, part: number): number {
  const index = entriesOf(fields).findIndex(
    (entry) => entry.field.name === setting && entry.part === part,
  );
  return Math.floor(Math.max(0, index) / entriesPerPage);
}

export function settingsComponents(
  { scope, fields, about = '' }: SettingsForm,
  page = pageWith(fields, about, 0),
): readonly Component[] {
  const entries = entriesOf(fields);
  const pages = Math.max(1, Math.ceil(entries.length / entriesPerPage));
  const current = Math.min(page, pages - 1);
  const shown = entries.slice(current * entriesPerPage, (current + 1) * entriesPerPage);
  const other = scope === 'channel' ? 'server' : 'channel';
  const to = (label: string, shownScope: SettingScope, shownPage: number) =>
    button(label, { kind: 'page', scope: shownScope, page: shownPage });
  const navigation = [
    current > 0 ? to('Back', scope, current - 1) : undefined,
    current < pages - 1 ? to('More settings', scope, current + 1) : undefined,
    current === 0 ? to(`Show the ${other}’s`, other, 0) : undefined,
  ];
  return [
    separator(),
    ...shown.flatMap((entry) => [textPart(entryText(entry)), ...inputRow(scope, entry)]),
    ...buttonRow(navigation),
  ];
}

function entryText({ field, part }: Entry): string {
  if (part === 0) return fieldText(field);
  return `-# ${inertDiscordLine(field.label)}, ${part + 1} of ${menusOf(field)}`;
}

function fieldText(field: SettingField): string {
  const { label, description, value, ignored, problem } = field;
  return [
    `**${inertDiscordLine(label)}**: ${short(value)} (${originText(field)})`,
    `-# ${short(description)}`,
    ...(problem === undefined ? [] : [`⚠️ Not changed: ${short(problem)}`]),
    ...ignored.slice(0, 1).map((reason) => `-# ${short(reason)}`),
  ].join('\n');
}

/** Five fields and a heading share one message. */
function short(text: string): string {
  return shortened(inertDiscordLine(text), longestLine);
}

function originText({ origin, setBy, setAt }: SettingField): string {
  const by = setBy === undefined ? {} : { setBy: inertDiscordLine(setBy) };
  const when = setAt === undefined ? '' : ` <t:${Math.floor(setAt / 1000)}:R>`;
  return `${originWords({ origin, ...by }, 'server')}${when}`;
}

function inputRow(scope: SettingScope, { field, part }: Entry): readonly Row[] {
  const { label, name, input } = field;
  if (isTyped(field)) {
    return buttonRow([button(`Change ${label}…`, { kind: 'type', scope, setting: name })]);
  }
  const custom_id = customIdOf({ kind: 'set', scope, setting: name, part });
  const menu = input.kind === 'people' ? peopleMenu(input) : choiceMenu(field, part);
  if (custom_id === undefined || menu === undefined) return [];
  const { range, ...given } = menu;
  const placeholder = firstCharacters(`Change ${label}${range}`, longestOption);
  return [{ type: ComponentType.ActionRow, components: [{ ...given, custom_id, placeholder }] }];
}

function isTyped({ input }: SettingField): boolean {
  return picksOf(input) === undefined && input.kind !== 'people';
}

/** People are picked by name. Ids that Discord can't have issued are left out. */
function peopleMenu({ chosen, most }: Extract<SettingInput, { kind: 'people' }>) {
  const people = chosen.filter((id) => snowflake.test(id)).slice(0, most);
  return {
    type: ComponentType.UserSelect as const,
    range: '',
    min_values: 0,
    max_values: Math.min(most, maxPeople),
    default_values: people.map((id) => ({ id, type: SelectMenuDefaultValueType.User as const })),
  };
}

/** The number of a setting's entries, at least 1. */
function menusOf({ input }: SettingField): number {
  return Math.max(1, Math.ceil((picksOf(input)?.choices.length ?? 0) / maxChoices));
}

/** @returns `undefined` if there is nothing to choose. */
function choiceMenu(field: SettingField, part: number) {
  const options = optionsOf(field, part);
  if (options.length === 0) return undefined;
  const most = picksOf(field.input)?.most;
  const last = options.findLast(({ value }) => value !== resetName);
  return {
    type: ComponentType.StringSelect as const,
    range: menusOf(field) > 1 ? `: ${options[0]?.label} – ${last?.label}` : '',
    options: [...options],
    min_values: most === undefined ? 1 : 0,
    max_values: Math.max(1, Math.min(most ?? 1, options.length)),
  };
}

function optionsOf(field: SettingField, part: number): readonly APISelectMenuOption[] {
  const { choices = [], chosen = [] } = picksOf(field.input) ?? {};
  const options = choices
    .slice(part * maxChoices, (part + 1) * maxChoices)
    .map((one) => optionOf(one, chosen.includes(one.value)));
  const isReset = field.origin !== 'file' && part === 0;
  return [...options, ...(isReset ? [{ label: 'Reset to the default', value: resetName }] : [])];
}

function optionOf(choice: SettingChoice, isChosen: boolean): APISelectMenuOption {
  return {
    value: choice.value.slice(0, longestOption),
    label: firstCharacters(inertDiscordLine(choice.label), longestOption),
    default: isChosen,
    ...(choice.description
      ? { description: firstCharacters(inertDiscordLine(choice.description), longestOption) }
      : {}),
  };
}

/**
 * The modal for a typed setting and those that follow it, at most five.
 *
 * @returns `undefined` if the setting no longer exists.
 */
export function settingsModal({ scope, fields }: SettingsForm, setting: string): Modal | undefined {
  const typed = typedFrom(fields, setting);
  if (typed.length === 0) return undefined;
  const title = scope === 'channel' ? 'Settings of this channel' : 'Settings of the server';
  const inputs = typed.map((field) => ({
    name: field.name,
    label: inertDiscordLine(field.label).slice(0, longestLabel),
    hint: hintFor(field).slice(0, longestHint),
    maxChars: longestTyped,
    isOptional: true as const,
    value: currentText(field),
  }));
  return typingModal({ title, inputs }, { kind: 'typed', scope, setting });
}

/** The settings of the modal that starts with this one. */
export function typedFrom(
  fields: readonly SettingField[],
  setting: string,
): readonly SettingField[] {
  const typed = fields.filter(isTyped);
  const start = typed.findIndex(({ name }) => name === setting);
  return start < 0 ? [] : typed.slice(start, start + maxInputs);
}

/** The current text of a typed setting. */
export function currentText({ input }: SettingField): string {
  if (input.kind === 'number') return input.chosen === undefined ? '' : String(input.chosen);
  return input.kind === 'text' ? input.chosen : '';
}

function hintFor({ input }: SettingField): string {
  const bounds = boundsOf(input);
  const empty = whenEmpty(input);
  if (empty === undefined) return bounds ?? '';
  return bounds === undefined ? `Empty: ${empty}` : `${bounds}; empty: ${empty}`;
}
