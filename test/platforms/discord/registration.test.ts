import { expect, test } from 'vitest';
import { z } from 'zod';
import { commands } from '../../../commands/index.ts';
import { definitionOf } from '../../../src/platforms/discord/registration.ts';

test('each command is a subcommand, and its options come as Discord takes them', () => {
  const [slash, menu] = definitionOf(commands);
  expect(slash?.options?.map(({ name }) => name)).toEqual(commands.map(({ name }) => name));
  const ask = slash?.options?.find(({ name }) => name === 'ask');
  expect(ask?.options.map(({ name, required }) => [name, required])).toEqual([
    ['question', true],
    ['depth', false],
    ['sages', false],
    ['preset', false],
  ]);
  expect(ask?.options[1]?.choices?.map(({ value }) => value)).toEqual([
    'quick',
    'standard',
    'deep',
    'auto',
  ]);
  expect(ask?.options[2]?.autocomplete).toBe(true);
  expect(menu).toMatchObject({ type: 3, name: 'Ask the council' });
});

test('what a modal asks for is not in the menu', () => {
  const [slash] = definitionOf(commands);
  expect(slash?.options?.find(({ name }) => name === 'summon')?.options).toEqual([]);
});

test('required options come first, and bounds are told', () => {
  const command = {
    name: 'try',
    description: 'Tries',
    options: z.object({
      maybe: z.string().optional().describe('Maybe'),
      count: z.int().min(1).max(9).describe('How many'),
      whatever: z.record(z.string(), z.unknown()).optional().describe('No menu has a form for it'),
    }),
  };
  const [slash] = definitionOf([command]);
  expect(slash?.options?.[0]?.options).toMatchObject([
    { name: 'count', required: true, min_value: 1, max_value: 9 },
    { name: 'maybe', required: false },
  ]);
});
