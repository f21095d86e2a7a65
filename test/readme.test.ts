import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../commands/index.ts';
import { channelSettingsTable, settingsTable } from './settings/settings-page.ts';

function read(path: string): string {
  return readFileSync(join(import.meta.dirname, '..', path), 'utf8');
}

const readme = read('README.md');

test('the page of settings has them as the schema has them', () => {
  expect(read('docs/settings.md')).toContain(settingsTable().trim());
  expect(read('docs/settings.md')).toContain(channelSettingsTable());
});

describe('the README', () => {
  test('leads to every page of the documentation that is there', () => {
    const pages = [...readme.matchAll(/\]\(((?!https?:)[^)]+)\)/g)].map(([, path = '']) => path);
    expect(pages).toContain('docs/settings.md');
    const inDocs = readdirSync(join(import.meta.dirname, '..', 'docs'), { withFileTypes: true });
    for (const entry of inDocs) {
      expect(pages).toContain(`docs/${entry.name}${entry.isDirectory() ? '/README.md' : ''}`);
    }
    for (const path of pages) expect(() => read(path), path).not.toThrow();
  });

  test('names every command', () => {
    for (const { name } of commands) expect(readme).toContain(`\`${name}`);
  });

  test('is at most 150 lines long', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });
});
