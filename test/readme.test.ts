import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../commands/index.ts';
import { parseArguments } from '../src/app/operator/command-line.ts';
import { readRecording } from '../src/app/recordings.ts';
import { namesOf } from '../src/domain/words.ts';
import { channelSettingsTable, settingsTable, withTable } from './settings/settings-page.ts';

function read(path: string): string {
  return readFileSync(join(import.meta.dirname, '..', path), 'utf8');
}

const readme = read('README.md');

test('the page of settings has them as the schema has them', async () => {
  const page = withTable(read('docs/settings.md'), settingsTable());
  const current = withTable(page, channelSettingsTable());
  await expect(current).toMatchFileSnapshot(join(import.meta.dirname, '../docs/settings.md'));
});

test('the page of commands names every one', () => {
  const page = read('docs/commands.md');
  const missing = (names: readonly string[]) => names.filter((name) => !page.includes(`\`${name}`));
  const names = commands.map(({ name }) => name);
  expect(missing(names)).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
  const help = parseArguments(['--help'], '1.0.0');
  const [, listed = ''] = help.task === 'print' ? help.text.split('Commands:') : [];
  const inShell = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  expect(inShell).toContain('try-live');
  expect(missing(inShell)).toEqual([]);
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

  test('has fewer than 700 words', () => {
    expect(readme.split(/\s+/).length).toBeLessThan(700);
  });

  test('shows the recorded council as it is', () => {
    expect(readme).toContain('](docs/verdict.svg)');
    const { request, seated, answers, ranked, verdict } = readRecording('rewrite');
    const nameOf = namesOf(seated.seats.map(({ sage }) => sage));
    // Each line of the picture is a text of its own.
    const shown = [...read('docs/verdict.svg').matchAll(/<text[^>]*>([^<]*)</g)]
      .map(([, line = '']) => line.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
      .join(' ');
    const told = [
      request.question,
      ...ranked.ranking.places.map(({ sage }) => nameOf(sage)),
      ...ranked.ranking.places.map(({ score }) => `${Math.round(score * 100)} %`),
      ...answers.map(({ answer }) => /^\*\*(.+?)\*\*/.exec(answer)?.[1] ?? answer),
      ...verdict.verdict.split('\n\n'),
      verdict.minorityReport,
    ];
    for (const text of told) {
      expect(shown).toContain(text.replaceAll('**', '').replaceAll(/\s+/g, ' ').trim());
    }
  });
});
