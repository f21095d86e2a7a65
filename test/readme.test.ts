import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../commands/index.ts';
import { settingsTable } from '../config/settings-table.ts';

const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

describe('the README', () => {
  test('has the settings as the schema has them', () => {
    expect(readme).toContain(settingsTable().trim());
  });

  test('names every command', () => {
    for (const { name } of commands) expect(readme).toContain(`\`${name}`);
  });

  test('is at most 150 lines long', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });
});
