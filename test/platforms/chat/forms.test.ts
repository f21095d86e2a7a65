import { expect, test } from 'vitest';
import type { SettingField } from '../../../commands/command.ts';
import { changesIn, resetName, valueAfterPick } from '../../../src/platforms/chat/forms.ts';

function field(name: string, input: SettingField['input']): SettingField {
  return {
    name,
    label: name,
    description: 'A sentence.',
    input,
    value: '',
    origin: 'channel',
    ignored: [],
  };
}

test('only what differs from what was shown is changed', () => {
  const language = { name: 'language', shown: [], isList: false };
  const bench = { name: 'bench', shown: ['ada', 'ben'], isList: true };
  expect(
    changesIn([
      { ...language, held: [] },
      { ...bench, held: ['ben', 'ada'] },
    ]),
  ).toEqual({});
  expect(
    changesIn([
      { ...language, held: ['German'] },
      { ...bench, held: [] },
    ]),
  ).toEqual({ language: 'German', bench: [] });
  expect(changesIn([{ ...language, shown: ['German'], held: [] }])).toEqual({ language: '' });
});

test('what is reset is reset, whatever is chosen for it', () => {
  const depth = { name: 'depth', shown: ['quick'], held: ['standard'], isList: false };
  expect(changesIn([depth], ['depth', 'seats'])).toEqual({ depth: null, seats: null });
});

test('picking in one menu leaves what the others hold', () => {
  const bench = field('bench', {
    kind: 'choices',
    choices: [],
    chosen: ['sage_1', 'sage_30', 'sage_59'],
    most: 60,
    whenNone: 'all',
  });
  const shown = ['sage_0', 'sage_1', 'sage_2'];
  expect(valueAfterPick(bench, shown, ['sage_0', 'sage_2'])).toEqual([
    'sage_30',
    'sage_59',
    'sage_0',
    'sage_2',
  ]);
  expect(valueAfterPick(bench, shown, [])).toEqual(['sage_30', 'sage_59']);
  expect(valueAfterPick(bench, shown, [resetName, 'sage_0'])).toBeNull();
  const one = field('chair', { kind: 'choice', choices: [], chosen: 'old' });
  expect(valueAfterPick(one, ['new'], ['new'])).toEqual(['new']);
});
