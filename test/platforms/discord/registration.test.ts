import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { commands } from '../../../commands/index.ts';
import { definitionOf, register } from '../../../src/platforms/discord/registration.ts';

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

test('every description is whole, and no longer than Discord takes', () => {
  const [slash] = definitionOf(commands);
  const described = slash?.options?.flatMap((command) => [command, ...command.options]) ?? [];
  const cut = described.filter(({ description: { length } }) => length < 1 || length > 100);
  expect(cut).toEqual([]);
  const depth = described.find(({ name }) => name === 'depth');
  expect(depth?.description).toMatch(/auto: the moderator decides$/);
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

describe('what is registered', () => {
  /** As Discord tells of it: without what is false or empty, in an order of its own, and with more. */
  const told: readonly Readonly<Record<string, unknown>>[] = JSON.parse(
    JSON.stringify(definitionOf(commands).toReversed(), (_key, value) =>
      value === false || (Array.isArray(value) && value.length === 0) ? undefined : value,
    ),
  ).map((command: object) => ({ ...command, id: '1', version: '2', contexts: [1, 0] }));

  async function requestsWhere(registered: unknown): Promise<readonly string[]> {
    const requests: string[] = [];
    const rest = {
      withRetries: async ({ method }: { readonly method: string }) => {
        requests.push(method);
        return registered;
      },
    };
    const isChanged = await register(rest, '1', definitionOf(commands));
    expect(isChanged).toBe(requests.includes('PUT'));
    return requests;
  }

  test('is left alone while it is the same', async () => {
    expect(await requestsWhere(told)).toEqual(['GET']);
  });

  test.each([
    ['nothing is there', []],
    ['one is missing', told.slice(1)],
    ['one more is there', [...told, { name: 'old', type: 1 }]],
    ['a description is another', told.map((command) => ({ ...command, description: 'Old' }))],
    ['it is offered elsewhere', told.map((command) => ({ ...command, contexts: [0] }))],
    [
      'an option had choices',
      JSON.parse(
        JSON.stringify(told).replace('"name":"question"', '"choices":[],"name":"question"'),
      ),
    ],
    ['what is told can’t be read', { message: 'What?' }],
  ])('is replaced where %s', async (_where, registered) => {
    expect(await requestsWhere(registered)).toEqual(['GET', 'PUT']);
  });
});
