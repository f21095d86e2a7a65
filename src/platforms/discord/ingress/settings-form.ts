/** Settings as select menus and a modal, a page at a time. */

import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import type { ReplyBlock, SettingField } from '../../../../commands/command.ts';
import { firstCharacters } from '../../chat/text/visible-text.ts';
import { customIdOf } from '../custom-id.ts';
import {
  button,
  buttonRow,
  type Component,
  type Row,
  separator,
  textPart,
} from '../presenter/components.ts';
import { inertDiscordLine } from '../text/discord-text.ts';
import { menuRow, menusOf } from './settings-menu.ts';

type SettingsBlock = Extract<ReplyBlock, { type: 'settings' }>;

/** What one message shows: each takes up to four of its 40 components. */
const entriesPerPage = 5;
/** Discord's own bounds. */
const mostInputs = 5;
const longestLabel = 45;
const longestHint = 100;
const longestLine = 130;
/** Characters that may be typed; a list of people is one of long numbers. */
const longestTyped = 200;
const longestPeople = 1000;

/** A setting on a page. One with more choices than a menu takes is there several times. */
interface Entry {
  readonly field: SettingField;
  /** Which of its menus, from 0. */
  readonly part: number;
}

function entriesOf(fields: readonly SettingField[]): readonly Entry[] {
  return fields.flatMap((field) =>
    Array.from({ length: menusOf(field) }, (_, part) => ({ field, part })),
  );
}

/** The page on which a menu of a setting is, from 0; the first one for a setting that is not there. */
export function pageWith(fields: readonly SettingField[], setting: string, part: number): number {
  const index = entriesOf(fields).findIndex(
    (entry) => entry.field.name === setting && entry.part === part,
  );
  return Math.floor(Math.max(0, index) / entriesPerPage);
}

export function settingsComponents(
  { scope, fields }: SettingsBlock,
  page: number,
): readonly Component[] {
  const entries = entriesOf(fields);
  const pages = Math.max(1, Math.ceil(entries.length / entriesPerPage));
  const current = Math.min(page, pages - 1);
  const shown = entries.slice(current * entriesPerPage, (current + 1) * entriesPerPage);
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

/** Five fields and their heading share the characters of one message. */
function short(text: string): string {
  const line = inertDiscordLine(text);
  return line.length <= longestLine ? line : `${firstCharacters(line, longestLine - 1)}…`;
}

function originText({ origin, setBy, setAt }: SettingField): string {
  const where = {
    channel: 'set for this channel',
    server: 'set for the server',
    file: 'as the files say',
  }[origin];
  const by = setBy === undefined ? '' : ` by ${inertDiscordLine(setBy)}`;
  const when = setAt === undefined ? '' : ` <t:${Math.floor(setAt / 1000)}:R>`;
  return `${where}${by}${when}`;
}

function inputRow(scope: SettingsBlock['scope'], { field, part }: Entry): readonly Row[] {
  const { label, name } = field;
  if (isTyped(field)) {
    return buttonRow([button(`Change ${label}…`, { kind: 'type', scope, setting: name })]);
  }
  return menuRow(scope, field, part);
}

/** Whether a setting is typed into a modal. */
function isTyped({ input }: SettingField): boolean {
  return input.kind === 'number' || input.kind === 'text' || input.kind === 'people';
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
      label: inertDiscordLine(field.label).slice(0, longestLabel),
      description: hintFor(field).slice(0, longestHint),
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
