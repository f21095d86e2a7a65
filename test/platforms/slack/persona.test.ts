import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sage } from '../../../src/domain/turn.ts';
import {
  beginsWithLabel,
  belowLabel,
  personasOf,
  speakingAs,
} from '../../../src/platforms/slack/presenter/persona.ts';

function seat(key: string, name: string, more: Partial<Sage> = {}) {
  const sage = { key, name, description: 'Sees.', source: 'predefined' as const, ...more };
  return { sage, model: 'test:model' };
}

test('a sage without a picture carries its sign in its name, one with a picture does not', () => {
  const personas = personasOf([
    seat('a', 'Ada', { emoji: '⚙️' }),
    seat('b', 'Ben', { emoji: '🔥', avatarUrl: 'https://example.org/ben.png' }),
  ]);
  const [ada, ben] = [...personas.values()].map(speakingAs);
  expect(ada).toEqual({ username: '⚙️ Ada' });
  expect(ben).toEqual({
    username: 'Ben',
    icon_url: 'https://example.org/ben.png',
  });
});

test('whatever sages are called, Slack takes their names, and no two of a turn have the same', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 120 }), { minLength: 1, maxLength: 8 }),
      (names) => {
        const personas = personasOf(
          names.map((name, index) => seat(`${index}`, name, { source: 'dynamic', emoji: '🦉' })),
        );
        const shown = [...personas.values()].map((persona) => speakingAs(persona).username);
        expect(new Set(shown.map((name) => name.toLowerCase())).size).toBe(names.length);
        for (const name of shown) {
          expect(name.length).toBeGreaterThanOrEqual(1);
          expect(name.length).toBeLessThanOrEqual(80);
          expect(name).not.toMatch(/slackbot/i);
        }
      },
    ),
  );
});

test('a label is known again in Slack’s own marks, and no other for it', () => {
  const personas = personasOf([seat('a', 'Ada *L*. <1>', { emoji: '⚙️' }), seat('b', 'Ada')]);
  const ada = personas.get('b');
  const other = personas.get('a');
  if (!ada || !other) throw new Error('Both are seated.');
  expect(beginsWithLabel(`${other.label}\n\nYes.`, other)).toBe(true);
  expect(beginsWithLabel('*⚙️ Ada *L*. &lt;1&gt;*\nYes.', other)).toBe(true);
  expect(beginsWithLabel('*⚙️ Ada *L*. &lt;1&gt;*\nYes.', ada)).toBe(false);
});

test('nothing that a sage says looks like the label of another', () => {
  expect(belowLabel('**Ada**\nSays **so**.\n> __Ben__: no')).toBe(
    '*Ada*\nSays **so**.\n> *Ben*: no',
  );
  expect(belowLabel('```\n**Ada**\n```')).toBe('```\n**Ada**\n```');
});
