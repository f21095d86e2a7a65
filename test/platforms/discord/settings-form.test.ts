import { expect, test } from 'vitest';
import type { SettingField } from '../../../commands/command.ts';
import {
  pageWith,
  settingsComponents,
  settingsModal,
  typedFrom,
} from '../../../src/platforms/discord/ingress/settings-form.ts';
import { channelTable } from '../../../src/settings/channel-table.ts';

function field(name: string, input: SettingField['input']): SettingField {
  const long = 'A long sentence that explains it. '.repeat(40);
  return {
    name,
    label: name,
    description: long,
    input,
    value: long,
    origin: 'channel',
    setBy: 'Mia',
    setAt: 0,
    problem: long,
    ignored: [long, long],
  };
}

const number: SettingField['input'] = {
  kind: 'number',
  minimum: 0,
  maximum: 4,
  isWhole: true,
  unit: 'sages',
  chosen: 2,
};
const choices = {
  kind: 'choices',
  choices: Array.from({ length: 60 }, (_, index) => ({
    value: `sage_${index}`,
    label: `Sage ${index}`,
    description: 'Sees. '.repeat(40),
  })),
  chosen: ['sage_59'],
  most: 60,
  whenNone: 'all',
} as const satisfies SettingField['input'];

const fields = [
  ...Array.from({ length: 6 }, (_, index) => field(`number${index}`, number)),
  ...Array.from({ length: 5 }, (_, index) => field(`choice${index}`, choices)),
];

function texts(value: unknown): string {
  return [...JSON.stringify(value).matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, text]) => text)
    .join('');
}

test('what is cut ends between two characters', () => {
  const long = Array.from({ length: 5 }, (_, index) => `${'a'.repeat(index)}${'🙂'.repeat(100)}`);
  const sages = {
    ...choices,
    choices: long.map((text, index) => ({ value: `${index}`, label: text, description: text })),
  };
  const shown = long.flatMap((text) =>
    settingsComponents(
      {
        type: 'settings',
        scope: 'channel',
        fields: [{ ...field('sages', sages), label: text, value: text, description: text }],
      },
      0,
    ),
  );
  expect(JSON.stringify(shown)).toContain('🙂');
  expect(JSON.stringify(shown)).not.toMatch(/\\ud[89a-f]/);
});

test('a page keeps to what one message may hold, however long the texts are', () => {
  for (const page of [0, 1, 2, 3, 4]) {
    const components = settingsComponents({ type: 'settings', scope: 'channel', fields }, page);
    const json = JSON.stringify(components);
    expect(json.match(/"type":/g)?.length).toBeLessThanOrEqual(38);
    expect(texts(components).length).toBeLessThanOrEqual(3100);
  }
});

test('of no setting the description is cut', () => {
  const cut = Object.entries(channelTable).filter(([name, { description, label }]) => {
    const shown = { ...field(name, number), label, description };
    const block = { type: 'settings', scope: 'channel', fields: [shown] } as const;
    return !texts(settingsComponents(block, 0)).includes(description);
  });
  expect(cut).toEqual([]);
});

test('of more choices than a menu takes, each is in one menu of some page', () => {
  const many = [field('bench', choices)];
  const block = { type: 'settings', scope: 'channel', fields: many } as const;
  const json = JSON.stringify(settingsComponents(block, 0));
  const menus = json.split('"options":').slice(1);
  expect(menus).toHaveLength(3);
  for (const menu of menus) {
    expect(menu.match(/"label":/g)?.length).toBeLessThanOrEqual(25);
  }
  const offered = [...json.matchAll(/"value":"(sage_\d+)"/g)].map(([, value]) => value);
  expect(offered).toEqual(Array.from({ length: 60 }, (_, index) => `sage_${index}`));
  expect(json).toContain('"value":"sage_59","label":"Sage 59","default":true');
  expect(json.match(/Reset to the default/g)).toHaveLength(1);
  expect([...json.matchAll(/"placeholder":"([^"]*)"/g)].map(([, words]) => words)).toEqual([
    'Change bench: Sage 0 – Sage 23',
    'Change bench: Sage 24 – Sage 47',
    'Change bench: Sage 48 – Sage 59',
  ]);
});

test('a setting whose menus do not fit onto one page goes on on the next', () => {
  const last = Math.ceil((6 + 5 * 3) / 5) - 1;
  const shown = Array.from({ length: last + 1 }, (_, page) =>
    JSON.stringify(settingsComponents({ type: 'settings', scope: 'channel', fields }, page)),
  );
  const menus = shown.join().match(/\|set\|channel\|choice\d\|\d/g);
  expect(new Set(menus).size).toBe(15);
  expect(menus).toHaveLength(15);
  expect(pageWith(fields, 'choice4', 2)).toBe(last);
  expect(shown[last]).toContain('choice4|2');
});

test('of more models than a menu takes each can be picked, and the one that holds is marked', () => {
  const models = choices.choices.map(({ value }) => ({ value: `test:${value}`, label: value }));
  const chair = field('chairModel', { kind: 'choice', choices: models, chosen: 'test:sage_50' });
  const block = { type: 'settings', scope: 'channel', fields: [chair] } as const;
  const json = JSON.stringify(settingsComponents(block, 0));
  expect(json.match(/"value":"test:sage_\d+"/g)).toHaveLength(60);
  expect(json.match(/"default":true/g)).toHaveLength(1);
  expect(json).toContain('"value":"test:sage_50","label":"sage_50","default":true');
});

test('a modal asks for five typed settings at most, beginning with the one that was chosen', () => {
  const block = { type: 'settings', scope: 'channel', fields } as const;
  const modal = settingsModal(block, 'number1');
  expect(modal?.components).toHaveLength(5);
  expect(typedFrom(fields, 'number1').map(({ name }) => name)).toEqual([
    'number1',
    'number2',
    'number3',
    'number4',
    'number5',
  ]);
  expect(settingsModal(block, 'gone')).toBeUndefined();
});

test('people are picked from a menu, which shows those who are named', () => {
  const chosen = Array.from({ length: 25 }, (_, index) => `8138478876571238${index + 10}`);
  const people: SettingField['input'] = {
    kind: 'people',
    most: 25,
    whenNone: 'nobody',
    chosen: ['typed-by-hand', ...chosen],
  };
  const block = {
    type: 'settings',
    scope: 'channel',
    fields: [field('managers', people)],
  } as const;
  const shown = JSON.stringify(settingsComponents(block, 0));
  for (const id of chosen) expect(shown).toContain(`{"id":"${id}","type":"user"}`);
  expect(shown).toContain('"max_values":25');
  expect(shown).not.toContain('{"id":"typed-by-hand"');
  expect(settingsModal(block, 'managers')).toBeUndefined();
});
