import { expect, it } from 'vitest';
import { settingsTable } from './settings-page.ts';

const rows = settingsTable()
  .split('\n')
  .slice(2)
  .map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

it('gives each setting its default and its meaning', () => {
  expect(rows).toContainEqual([
    '`limits.graceMs`',
    '`20000`',
    'How long the others still get once that share has answered, in milliseconds.',
  ]);
  expect(rows).toContainEqual([
    '`council.language`',
    '–',
    'The language of all answers and of the words around them, e.g. German. auto: the language of the question. Absent: auto.',
  ]);
});

it('shows where the operator chooses a name', () => {
  const settings = rows.map(([setting]) => setting);
  expect(settings).toEqual(
    expect.arrayContaining([
      '`models.sages.<sage>`',
      '`models.providers.<name>.baseUrl`',
      '`models.prices.<provider:model>.inputUsdPerMillionTokens`',
    ]),
  );
});

it('leaves no setting without a sentence, and names none twice', () => {
  for (const [setting, fallback, meaning, ...more] of rows) {
    expect.soft(meaning, setting).toMatch(/^.{10,}\.$/);
    expect.soft(fallback, setting).not.toBe('');
    expect.soft(more, setting).toEqual([]);
  }
  expect(new Set(rows.map(([setting]) => setting)).size).toBe(rows.length);
});
