import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path}`);
const pages = ['README.md', 'CONTRIBUTING.md', ...inDocs];

/** A page without its listings, in which anything may stand. */
function prose(path: string): string {
  return readFileSync(join(root, path), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
}

/** What is read in one go: paragraphs, items of lists, cells of tables. */
function paragraphs(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n(?=[#|])/)
    .flatMap((block) => (block.startsWith('|') ? block.split(' | ') : block));
}

/** How GitHub makes an anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

function headingsOf(text: string, level: RegExp): readonly string[] {
  return [...text.matchAll(level)].map(([, heading = '']) => heading);
}

const sections = /^## (.+)$/gm;

const sources = globSync('{bench,commands,scripts,src,test}/**/*.{ts,mjs}', { cwd: root });
const code = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');

/** What a page writes as code, listings left out. */
function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, written = '']) => written);
}

describe.each(pages)('%s', (path) => {
  const text = prose(path);

  test('has no paragraph of more than 120 words', () => {
    const long = paragraphs(text).filter((one) => one.trim().split(/\s+/).length > 120);
    expect(long).toEqual([]);
  });

  test('leads to places that are there', () => {
    for (const [, target = ''] of text.matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)) {
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : join(dirname(path), file);
      expect(existsSync(join(root, to)), target).toBe(true);
      if (anchor === undefined) continue;
      expect(headingsOf(prose(to), /^#+ (.+)$/gm).map(anchorOf), target).toContain(anchor);
    }
  });

  test('names source files that are there, by the whole path or by its end', () => {
    const named = codeIn(text).filter((one) => /^[\w./-]+\.(?:ts|mjs)$/.test(one));
    const missing = named.filter((one) => !sources.some((path) => `/${path}`.endsWith(`/${one}`)));
    // In the instructions for adding one.
    expect(missing.filter((one) => !/\byours?\b/.test(one))).toEqual([]);
  });
});

test.each(inDocs.filter((path) => headingsOf(prose(path), sections).length > 2))(
  '%s begins with a list of its sections',
  (path) => {
    const [, listed = ''] = /^# .+\n\n((?:- \[.+\n)+)/.exec(prose(path)) ?? [];
    const lines = headingsOf(prose(path), sections).map((one) => `- [${one}](#${anchorOf(one)})`);
    expect(listed.trimEnd().split('\n')).toEqual(lines);
  },
);

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])(
  '%s names functions and types that are in the code',
  (path) => {
    const named = codeIn(prose(path)).filter((one) => /^(?:[a-z]+[A-Z]|[A-Z][a-z])\w+$/.test(one));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((one) => !new RegExp(`\\b${one}\\b`).test(code))).toEqual([]);
  },
);
