import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sage } from '../../../src/domain/turn.ts';
import {
  discordNameOf,
  personasOf,
  speakerOf,
} from '../../../src/platforms/discord/presenter/persona.ts';

function seat(key: string, name: string, source: Sage['source'] = 'predefined') {
  return { sage: { key, name, description: 'Sees.', source }, model: 'test:model' };
}

test('sages of one name are told apart in their turn', () => {
  const personas = personasOf([
    seat('a', 'Ada'),
    seat('b', 'ada', 'dynamic'),
    seat('c', 'A\u200bda', 'custom'),
  ]);
  expect([...personas.values()].map(({ name }) => name)).toEqual(['Ada', 'ada (2)', 'Ada (3)']);
});

test('whatever a sage is called, Discord takes its name, and no two of a turn have the same', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 120 }), { minLength: 1, maxLength: 8 }),
      (names) => {
        const personas = personasOf(names.map((name, index) => seat(`${index}`, name, 'dynamic')));
        const shown = [...personas.values()].map(({ name }) => name);
        expect(new Set(shown.map((name) => name.toLowerCase())).size).toBe(names.length);
        for (const name of shown) {
          expect(name.length).toBeGreaterThanOrEqual(1);
          expect(Array.from(name).length).toBeLessThanOrEqual(80);
          expect(name).not.toMatch(/clyde|discord/i);
        }
      },
    ),
  );
});

test('only pictures at a public address are shown', () => {
  const [one] = personasOf([
    { sage: { ...seat('a', 'Ada').sage, avatarUrl: 'http://127.0.0.1/a.png' }, model: 'm' },
  ]).values();
  expect(one?.avatarUrl).toBeUndefined();
});

test('a member of staff can’t be posed as by a sage that a member or a model made', () => {
  expect(discordNameOf({ name: 'Server Admin', source: 'custom' })).toBe('Server Admin (a sage)');
  expect(discordNameOf({ name: 'Modern Art', source: 'dynamic' })).toBe('Modern Art');
});

test('a sage is known again by its name or its label', () => {
  const bench: readonly Sage[] = [
    { key: 'ada', name: 'Ada', description: 'Sees.', source: 'predefined', emoji: '⚙️' },
  ];
  expect(speakerOf({ name: 'Ada', content: 'Yes.' }, bench)?.key).toBe('ada');
  expect(speakerOf({ name: undefined, content: '**⚙️ Ada**\nYes.' }, bench)?.key).toBe('ada');
  expect(speakerOf({ name: undefined, content: '**⚙️ Ada** (2)\nYes.' }, bench)?.key).toBe('ada');
  expect(speakerOf({ name: undefined, content: 'Ada said yes.' }, bench)).toBeUndefined();
});

test('a sage whose own name begins with an emoji is known again as well', () => {
  const bench = [seat('roaster', '🔥 Roaster').sage];
  expect(speakerOf({ name: '🔥 Roaster', content: 'No.' }, bench)?.key).toBe('roaster');
});
