/** Settings as select menus and a modal, a page at a time. */

import {
  type APIModalInteractionResponseCallbackData,
  type APISelectMenuOption,
  type APIStringSelectComponent,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import type { ReplyBlock, SettingField } from '../../../../commands/command.ts';
import { customIdOf } from '../custom-id.ts';
import {
  button,
  buttonRow,
  type Component,
  type Row,
  separator,
  textPart,
} from '../presenter/components.ts';
import { oneLine } from '../presenter/verdict-text.ts';

type SettingsBlock = Extract<ReplyBlock, { type: 'settings' }>;

/** Fields of one message: each takes up to four of its 40 components. */
const fieldsPerPage = 5;
/** Discord's own bounds. */
const mostOptions = 25;
const mostInputs = 5;
const longestLabel = 45;
const longestOption = 100;
const longestLine = 130;
/** Characters that may be typed; a list of people is one of long numbers. */
const longestTyped = 200;
const longestPeople = 1000;

/** The value of a menu's entry that makes the setting as if nobody had set it here. */
export const resetValue = ' reset';

/** The page on which a setting is, from 0; the first one for a setting that is not there. */
export function pageWith(fields: readonly SettingField[], setting: string): number {
  const index = fields.findIndex(({ name }) => name === setting);
  return Math.floor(Math.max(0, index) / fieldsPerPage);
}

export function settingsComponents(
  { scope, fields }: SettingsBlock,
  page: number,
): readonly Component[] {
  const pages = Math.max(1, Math.ceil(fields.length / fieldsPerPage));
  const current = Math.min(page, pages - 1);
  const shown = fields.slice(current * fieldsPerPage, (current + 1) * fieldsPerPage);
  const navigation = [
    ...(current > 0 ? [button('Back', { kind: 'page', scope, page: current - 1 })] : []),
    ...(current < pages - 1
      ? [button('More settings', { kind: 'page', scope, page: current + 1 })]
      : []),
    ...(current === 0
      ? [
          scope === 'channel'
            ? button('Show the server’s', { kind: 'page', scope: 'server', page: 0 })
            : button('Show the channel’s', { kind: 'page', scope: 'channel', page: 0 }),
        ]
      : []),
  ];
  return [
    separator(),
    ...shown.flatMap((field) => [textPart(fieldText(field)), ...inputRow(scope, field)]),
    ...buttonRow(navigation),
  ];
}

function fieldText(field: SettingField): string {
  const { label, description, value, ignored, problem } = field;
  return [
    `**${oneLine(label)}**: ${short(value)} (${originText(field)})`,
    `-# ${short(description)}`,
    ...(problem === undefined ? [] : [`⚠️ Not changed: ${short(problem)}`]),
    ...ignored.slice(0, 1).map((reason) => `-# ${short(reason)}`),
  ].join('\n');
}

/** Five fields and their heading share the characters of one message. */
function short(text: string): string {
  const line = oneLine(text);
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1)}…`;
}

function originText({ origin, setBy, setAt }: SettingField): string {
  const where = {
    channel: 'set for this channel',
    server: 'set for the server',
    file: 'as the files say',
  }[origin];
  const by = setBy === undefined ? '' : ` by ${oneLine(setBy)}`;
  const when = setAt === undefined ? '' : ` <t:${Math.floor(setAt / 1000)}:R>`;
  return `${where}${by}${when}`;
}

function inputRow(scope: SettingsBlock['scope'], field: SettingField): readonly Row[] {
  const { input, name } = field;
  if (isTyped(field)) {
    return buttonRow([button(`Change ${field.label}…`, { kind: 'type', scope, setting: name })]);
  }
  const custom_id = customIdOf({ kind: 'set', scope, setting: name });
  const options = optionsOf(field);
  if (custom_id === undefined || options.length === 0) return [];
  const several = input.kind === 'choices';
  const menu: APIStringSelectComponent = {
    type: ComponentType.StringSelect,
    custom_id,
    placeholder: `Change ${field.label}`.slice(0, longestOption),
    options: [...options],
    min_values: several ? 0 : 1,
    max_values: several ? Math.max(1, Math.min(input.most, options.length)) : 1,
  };
  return [{ type: ComponentType.ActionRow, components: [menu] }];
}

function optionsOf({ input, origin }: SettingField): readonly APISelectMenuOption[] {
  const reset =
    origin === 'file' ? [] : [{ label: 'Reset to what holds elsewhere', value: resetValue }];
  switch (input.kind) {
    case 'choice':
      return [
        ...input.choices.map((choice) => optionOf(choice, choice.value === input.chosen)),
        ...reset,
      ];
    case 'choices': {
      const room = mostOptions - reset.length;
      const chosenFirst = input.choices.toSorted(
        (one, other) =>
          Number(input.chosen.includes(other.value)) - Number(input.chosen.includes(one.value)),
      );
      return [
        ...chosenFirst
          .slice(0, room)
          .map((choice) => optionOf(choice, input.chosen.includes(choice.value))),
        ...reset,
      ];
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

/** Whether a setting is typed into a modal. */
function isTyped({ input }: SettingField): boolean {
  return input.kind === 'number' || input.kind === 'text' || input.kind === 'people';
}

function optionOf(
  choice: { readonly value: string; readonly label: string; readonly description?: string },
  isChosen: boolean,
): APISelectMenuOption {
  return {
    value: choice.value.slice(0, longestOption),
    label: oneLine(choice.label).slice(0, longestOption),
    default: isChosen,
    ...(choice.description
      ? { description: oneLine(choice.description).slice(0, longestOption) }
      : {}),
  };
}

/**
 * The modal for a setting that is typed, together with those that are typed after it, at most five.
 *
 * @returns Absent when there is no such setting any more.
 */
export function settingsModal(
  { scope, fields }: SettingsBlock,
  setting: string,
): APIModalInteractionResponseCallbackData | undefined {
  const typed = typedFrom(fields, setting);
  const custom_id = customIdOf({ kind: 'typed', scope, setting });
  if (typed.length === 0 || custom_id === undefined) return undefined;
  return {
    custom_id,
    title: scope === 'channel' ? 'Settings of this channel' : 'Settings of the server',
    components: typed.map((field) => ({
      type: ComponentType.Label,
      label: oneLine(field.label).slice(0, longestLabel),
      description: hintFor(field).slice(0, longestOption),
      component: {
        type: ComponentType.TextInput,
        custom_id: field.name,
        style: TextInputStyle.Short,
        required: false,
        value: currentText(field),
        max_length: field.input.kind === 'people' ? longestPeople : longestTyped,
      },
    })),
  };
}

/** The settings of a modal that begins with this one, and what each shows at the moment. */
export function typedFrom(
  fields: readonly SettingField[],
  setting: string,
): readonly SettingField[] {
  const typed = fields.filter(isTyped);
  const start = typed.findIndex(({ name }) => name === setting);
  return start < 0 ? [] : typed.slice(start, start + mostInputs);
}

/** What a typed field shows. */
export function currentText({ input }: SettingField): string {
  if (input.kind === 'number') return input.chosen === undefined ? '' : String(input.chosen);
  if (input.kind === 'people') return input.chosen.join(', ');
  return input.kind === 'text' ? input.chosen : '';
}

function hintFor({ input }: SettingField): string {
  if (input.kind === 'number') {
    const empty = input.whenNone === undefined ? '' : `; empty: ${input.whenNone}`;
    return `${input.minimum} to ${input.maximum} (${input.unit})${empty}`;
  }
  if (input.kind === 'people')
    return `Ids of at most ${input.most} people; empty: ${input.whenNone}`;
  return input.kind === 'text' ? `Empty: ${input.whenNone}` : '';
}
