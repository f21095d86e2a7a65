/** Builds the settings modal and reads the changes out of it. */

import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { SettingField, SettingScope } from '../../../../commands/command.ts';
import { firstCharacters } from '../../../domain/words.ts';
import type { SettingChoice, SettingInput } from '../../../settings/setting-field.ts';
import {
  boundsOf,
  type Changes,
  changesIn,
  originWords,
  picksOf,
  resetName,
  type SettingsForm,
  whenEmpty,
} from '../../chat/forms.ts';
import { shortName, visibleName } from '../../chat/text/visible-text.ts';
import { encodeForm, type Form } from '../action-id.ts';
import { type Block, button, buttonRow, plain, smallPrint } from '../presenter/blocks.ts';
import { type Modal, sections } from './modals.ts';

type InputElement = types.InputBlock['element'];
type Option = types.PlainTextOption & { readonly value: string };

/** Slack's limits. */
const maxOptions = 100;
const longest = { label: 150, hint: 1900, option: 75 } as const;

/** Slack rejects a modal with anything else as a chosen person, e.g. a typed name. */
const userId = /^[UW][A-Z0-9]+$/;

/** Slack keeps typed values by input id, so each scope needs its own ids. */
export function inputId(scope: SettingScope, name: string): string {
  return `${scope}|${name}`;
}

/**
 * @param form - Where the modal was opened; without a channel it can't switch scopes.
 * @param heading - The command's text above the settings.
 */
export function settingsModal(
  form: Extract<Form, { kind: 'config' }>,
  { scope, fields }: SettingsForm,
  heading: string,
): Modal {
  return {
    type: 'modal',
    title: plain(titles[scope]),
    submit: plain('Save'),
    close: plain('Close'),
    blocks: [
      ...sections(heading),
      ...(form.channel === form.team ? [] : buttonRow([scopeButton(scope)])),
      ...fields.flatMap((field) => fieldBlocks(scope, field)),
      ...resetBlock(scope, fields),
    ],
    ...encodeForm({ ...form, scope }),
  };
}

const titles: Readonly<Record<SettingScope, string>> = {
  channel: 'Settings of this channel',
  server: 'Workspace defaults',
  mine: 'Your own settings',
};

function scopeButton(scope: SettingScope) {
  return scope === 'channel'
    ? button('Show the workspace’s', { kind: 'config', scope: 'server' })
    : button('Show this channel’s', { kind: 'config', scope: 'channel' });
}

function fieldBlocks(scope: SettingScope, field: SettingField): readonly Block[] {
  const element = elementFor(field);
  const origin = `${originWords(field, 'workspace')}.`;
  const notes = smallPrint([
    `${origin.charAt(0).toUpperCase()}${origin.slice(1)}`,
    ...field.ignored.map(visibleName),
  ]);
  const label = shortName(field.label, longest.label);
  if (!element) return [...sections(`${label}: ${field.value}`), ...notes];
  return [
    {
      type: 'input',
      block_id: inputId(scope, field.name),
      optional: whenEmpty(field.input) !== undefined,
      label: plain(label),
      hint: plain(firstCharacters(hintFor(field), longest.hint)),
      element,
    },
    ...notes,
  ];
}

function hintFor({ description, input }: SettingField): string {
  const [bounds, empty] = [boundsOf(input), whenEmpty(input)];
  return `${description}${bounds ? ` ${bounds}.` : ''}${empty ? ` Empty: ${empty}.` : ''}`;
}

/** @returns `undefined` if there is nothing to choose from. */
function elementFor({ name: action_id, input }: SettingField): InputElement | undefined {
  switch (input.kind) {
    case 'choice':
    case 'choices':
    case 'yes_or_no':
      return pickElement(action_id, input);
    case 'number':
      return {
        type: 'number_input',
        action_id,
        is_decimal_allowed: !input.isWhole,
        min_value: `${input.minimum}`,
        max_value: `${input.maximum}`,
        ...(input.whenNone ? { placeholder: plain(input.whenNone) } : {}),
        ...(input.chosen === undefined ? {} : { initial_value: `${input.chosen}` }),
      };
    case 'text':
      return {
        type: 'plain_text_input',
        action_id,
        max_length: input.maxChars,
        placeholder: plain(input.whenNone),
        ...(input.chosen === '' ? {} : { initial_value: input.chosen }),
      };
    case 'people': {
      const chosen = input.chosen.filter((id) => userId.test(id));
      return {
        type: 'multi_users_select',
        action_id,
        max_selected_items: input.most,
        placeholder: plain(input.whenNone),
        ...(chosen.length === 0 ? {} : { initial_users: chosen }),
      };
    }
  }
}

function pickElement(action_id: string, input: SettingInput): InputElement | undefined {
  const picks = picksOf(input);
  const options = picks?.choices.map(optionOf) ?? [];
  if (!picks || options.length === 0) return undefined;
  const chosen = options.filter(({ value }) => picks.chosen.includes(value));
  if (picks.most !== undefined) {
    return {
      type: 'multi_static_select',
      action_id,
      ...offered(options),
      placeholder: plain(whenEmpty(input) ?? ''),
      max_selected_items: Math.max(1, Math.min(picks.most, options.length)),
      ...(chosen.length === 0 ? {} : { initial_options: chosen }),
    };
  }
  const [initial_option] = chosen;
  const initial = initial_option ? { initial_option } : {};
  return input.kind === 'yes_or_no'
    ? { type: 'radio_buttons', action_id, options, ...initial }
    : { type: 'static_select', action_id, ...offered(options), ...initial };
}

function optionOf({ value, label, description }: SettingChoice): Option {
  return {
    value,
    text: plain(shortName(label, longest.option) || firstCharacters(value, longest.option)),
    ...(description ? { description: plain(shortName(description, longest.option)) } : {}),
  };
}

/** Groups the options if there are more than Slack allows in one list. */
function offered(options: readonly Option[]) {
  if (options.length <= maxOptions) return { options: [...options] };
  const count = Math.ceil(options.length / maxOptions);
  const option_groups = Array.from({ length: count }, (_, index) => {
    const part = options.slice(index * maxOptions, (index + 1) * maxOptions);
    const [first = '', last = ''] = [part[0]?.text.text, part.at(-1)?.text.text];
    return {
      label: plain(`${shortName(first, 30)} – ${shortName(last, 30)}`),
      options: part,
    };
  });
  return { option_groups };
}

function resetBlock(scope: SettingScope, fields: readonly SettingField[]): readonly Block[] {
  const own = fields.filter(({ origin }) => origin === scope);
  if (own.length === 0) return [];
  const options = own.map(({ name, label }) => optionOf({ value: name, label }));
  return [
    {
      type: 'input',
      block_id: inputId(scope, resetName),
      optional: true,
      label: plain('Reset'),
      hint: plain(
        'Whatever you pick here goes back to its default, no matter what is chosen above.',
      ),
      element: { type: 'multi_static_select', action_id: resetName, options },
    },
  ];
}

/** A typed text, a person's id, or a picked option. */
const valueSchema = z.union([
  z.string().trim(),
  z.object({ value: z.string() }).transform(({ value }) => value),
]);
/** An input: the values it was shown with (`initial_…`), or was submitted with (`selected_…`, `value`). */
const inputSchema = z.looseObject({ type: z.string() }).transform(({ type, ...input }) => ({
  isList: type.startsWith('multi_'),
  shown: valuesIn(input, /^initial_/),
  held: valuesIn(input, /^(?:selected_|value$)/),
}));
const viewSchema = z.object({
  blocks: z.array(
    z.object({ block_id: z.string().exactOptional(), element: inputSchema.exactOptional() }),
  ),
  state: z.object({ values: z.record(z.string(), z.record(z.string(), inputSchema)) }),
});

function valuesIn(input: Readonly<Record<string, unknown>>, names: RegExp): readonly string[] {
  return Object.entries(input)
    .filter(([name]) => names.test(name))
    .flatMap(([, value]) => value)
    .flatMap((value) => valueSchema.safeParse(value).data || []);
}

/**
 * Reads the changes that a person made in the modal.
 *
 * @param view - As Slack submits it. Throws a `ZodError` for any other modal.
 */
export function submittedChanges(view: unknown, scope: SettingScope): Changes {
  const { blocks, state } = viewSchema.parse(view);
  const shown = new Map(blocks.map(({ block_id, element }) => [block_id, element]));
  const prefix = inputId(scope, '');
  const answers = Object.entries(state.values).flatMap(([id, inputs]) => {
    const [now] = Object.values(inputs);
    // An input of another scope.
    if (!now || !id.startsWith(prefix)) return [];
    return { name: id.slice(prefix.length), ...now, shown: shown.get(id)?.shown ?? [] };
  });
  const reset = answers.find(({ name }) => name === resetName);
  return changesIn(
    answers.filter((answer) => answer !== reset),
    reset?.held,
  );
}
