import { describe, expect, test } from 'vitest';
import type { SettingField } from '../../../commands/command.ts';
import {
  inputId,
  settingsModal,
  submittedChanges,
} from '../../../src/platforms/slack/ingress/settings-modal.ts';
import { modal } from '../../fakes/slack/schema/views.ts';

const long = 'A long sentence that explains it. '.repeat(120);

function field(name: string, input: SettingField['input']): SettingField {
  return {
    name,
    label: `The ${name} <!channel>`,
    description: long,
    input,
    value: long,
    origin: 'channel',
    setBy: 'Mia',
    setAt: 0,
    ignored: [long, long],
  };
}

const sages = Array.from({ length: 260 }, (_, index) => ({
  value: `sage_${index}`,
  label: `Sage ${index}`,
  description: long,
}));
const everyKind: readonly SettingField[] = [
  field('many', {
    kind: 'choices',
    choices: sages,
    chosen: ['sage_259'],
    most: 260,
    whenNone: 'all',
  }),
  field('none', { kind: 'choices', choices: [], chosen: [], most: 1, whenNone: 'all' }),
  field('model', { kind: 'choice', choices: sages, chosen: 'sage_101' }),
  field('gone', { kind: 'choice', choices: sages.slice(0, 3), chosen: 'sage_200' }),
  field('empty', { kind: 'choice', choices: [], chosen: '' }),
  field('usd', {
    kind: 'number',
    minimum: 0.01,
    maximum: 9,
    isWhole: false,
    unit: 'US dollars',
    whenNone: 'unlimited',
  }),
  field('count', {
    kind: 'number',
    minimum: 0,
    maximum: 4,
    isWhole: true,
    unit: 'sages',
    chosen: 2,
  }),
  field('language', { kind: 'text', maxChars: 40, chosen: '', whenNone: 'auto' }),
  field('managers', { kind: 'people', chosen: ['U1', 'ann'], most: 25, whenNone: 'nobody' }),
  field('memory', { kind: 'yes_or_no', chosen: true }),
];
const form = { kind: 'config', team: 'T1', channel: 'C1', thread: 'C1', scope: 'channel' } as const;

function shown(fields: readonly SettingField[]) {
  return settingsModal(form, { type: 'settings', scope: 'channel', fields }, long);
}

/** As Slack gives it back when no one has touched anything. */
function untouched(view: ReturnType<typeof shown>) {
  const values = view.blocks.flatMap((block) => {
    if (!('element' in block)) return [];
    const { element } = block;
    const options = 'initial_options' in element ? element.initial_options : undefined;
    const state = {
      type: element.type,
      selected_option: 'initial_option' in element ? element.initial_option : null,
      selected_options: options ?? [],
      selected_users: 'initial_users' in element ? element.initial_users : [],
      value: 'initial_value' in element ? element.initial_value : null,
    };
    return [[block.block_id ?? '', { input: state }] as const];
  });
  return { blocks: view.blocks, state: { values: Object.fromEntries(values) } };
}

describe('the modal of settings', () => {
  test('keeps to what Slack takes, however many sages there are and however long the texts', () => {
    expect(modal.safeParse(shown(everyKind)).error?.issues ?? []).toEqual([]);
    const text = JSON.stringify(shown(everyKind));
    expect(text).toContain('"sage_259"');
    expect(text).toContain('"initial_options":[{"value":"sage_259"');
  });

  test('shows those whom someone named by id, and can be shown though they named others by words', () => {
    const text = JSON.stringify(shown(everyKind));
    expect(text).toContain('"initial_users":["U1"]');
    const nobody = field('managers', {
      kind: 'people',
      chosen: ['ann'],
      most: 25,
      whenNone: 'none',
    });
    expect(modal.safeParse(shown([nobody])).error?.issues ?? []).toEqual([]);
  });

  test('given back untouched changes nothing', () => {
    expect(submittedChanges(untouched(shown(everyKind)), 'channel')).toEqual({});
  });

  test('gives what was chosen, emptied and reset', () => {
    const view = untouched(shown(everyKind));
    const values = {
      ...view.state.values,
      [inputId('channel', 'many')]: {
        input: { type: 'multi_static_select', selected_options: [] },
      },
      [inputId('channel', 'model')]: {
        input: { type: 'static_select', selected_option: { value: 'sage_7' } },
      },
      [inputId('channel', 'count')]: { input: { type: 'number_input', value: '3' } },
      [inputId('channel', 'language')]: { input: { type: 'plain_text_input', value: '  ' } },
      [inputId('channel', 'managers')]: {
        input: { type: 'multi_users_select', selected_users: ['U1', 'U2'] },
      },
      [inputId('channel', ' reset')]: {
        input: { type: 'multi_static_select', selected_options: [{ value: 'memory' }] },
      },
      [inputId('server', 'usd')]: { input: { type: 'number_input', value: '5' } },
    };
    expect(submittedChanges({ ...view, state: { values } }, 'channel')).toEqual({
      many: [],
      model: 'sage_7',
      count: '3',
      managers: ['U1', 'U2'],
      memory: null,
    });
  });
});
