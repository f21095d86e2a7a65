import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sage } from '../../../src/domain/turn.ts';
import {
  beginsWithLabel,
  belowLabel,
  personasOf,
  speakingAs,
} from '../../../src/platforms/slack/presenter/persona.ts';
import { readSages } from '../../../src/settings/sages.ts';

function seat(key: string, name: string, more: Partial<Sage> = {}) {
  const sage = { key, name, description: 'Sees.', source: 'predefined' as const, ...more };
  return { sage, model: 'test:model' };
}

test('a sage carries its emoji in its name, and as its picture where it has no other', () => {
  const personas = personasOf([
    seat('a', 'Ada', { emoji: '⚙️' }),
    seat('b', 'Ben', { emoji: '🔥', avatarUrl: 'https://example.org/ben.png' }),
  ]);
  const [ada, ben] = [...personas.values()].map(speakingAs);
  expect(ada).toEqual({ username: '⚙️ Ada', icon_emoji: ':gear:' });
  expect(ben).toEqual({
    username: '🔥 Ben',
    icon_url: 'https://example.org/ben.png',
  });
});

test('a flag is a picture, and two letters that are no flag are none', () => {
  const iconOf = (emoji: string) =>
    [...personasOf([seat('a', 'Ada', { emoji })]).values()].map(speakingAs)[0]?.icon_emoji;
  expect(['🇩🇪', '🇳🇴', '🇿🇼', '🇽🇽'].map(iconOf)).toEqual([
    ':de:',
    ':flag-no:',
    ':flag-zw:',
    undefined,
  ]);
});

test('men are pictures as women are', () => {
  const iconOf = (emoji: string) =>
    [...personasOf([seat('a', 'Ada', { emoji })]).values()].map(speakingAs)[0]?.icon_emoji;
  expect(['👨‍⚕️', '👩‍⚕️', '🏃‍♂️', '👯‍♂️', '🧜‍♂️', '👨‍👦'].map(iconOf)).toEqual([
    ':male-doctor:',
    ':female-doctor:',
    ':man-running:',
    ':men-with-bunny-ears-partying:',
    ':merman:',
    ':man-boy:',
  ]);
});

test('every sage that comes with the council has a picture in Slack', () => {
  const { files } = readSages('config/sages');
  const seats = files.flatMap(({ key, sage }) =>
    sage?.emoji ? [seat(key, sage.name, { emoji: sage.emoji })] : [],
  );
  const icons = [...personasOf(seats).values()].map((persona) => speakingAs(persona).icon_emoji);
  expect(icons.length).toBe(files.length);
  expect(icons).toEqual(icons.map(() => expect.stringMatching(/^:[a-z0-9_+-]+:$/)));
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
