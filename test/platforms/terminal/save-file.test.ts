import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileSaver, saveFile } from '../../../src/platforms/terminal/reply-lines.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'council-files-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a folder for what commands give is made when the first file comes', async () => {
  const inside = join(folder, 'saved');
  const save = fileSaver(inside);
  expect(existsSync(inside)).toBe(false);
  expect(await save('talk.md', 'one')).toBe(join(inside, 'talk.md'));
  expect(await save('talk.md', 'two')).toBe(join(inside, 'talk-2.md'));
});

test('a file that is not whole yet has a name that says so', async () => {
  const seen: (readonly string[])[] = [];
  async function* portions() {
    yield 'one ';
    seen.push(readdirSync(folder));
    yield 'two';
  }
  const path = await saveFile(folder, 'talk.md', portions());
  expect(seen).toEqual([[expect.stringMatching(/^talk\.md\.\w+\.part$/)]]);
  expect(readdirSync(folder)).toEqual(['talk.md']);
  expect(readFileSync(path, 'utf8')).toBe('one two');
});

test('a file is for its owner alone from its first byte on, whatever the umask', async () => {
  const before = process.umask(0);
  const modes = () => readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  try {
    const seen: (readonly number[])[] = [];
    async function* portions() {
      seen.push(modes());
      yield 'one';
    }
    await saveFile(folder, 'talk.md', portions());
    expect([...seen, modes()]).toEqual([[0o600], [0o600]]);
  } finally {
    process.umask(before);
  }
});

test('nothing is left of a file whose content breaks off', async () => {
  async function* portions() {
    yield 'one ';
    throw new Error('The store is gone.');
  }
  await expect(saveFile(folder, 'talk.md', portions())).rejects.toThrow('The store is gone.');
  expect(readdirSync(folder)).toEqual([]);
});

test('nothing is left of a file whose writing is aborted', async () => {
  const ending = new AbortController();
  async function* portions() {
    yield 'one ';
    ending.abort();
    yield 'two';
  }
  await expect(saveFile(folder, 'talk.md', portions(), ending.signal)).rejects.toThrow('aborted');
  expect(readdirSync(folder)).toEqual([]);
});

test('a portion is asked for when those before it are written', async () => {
  const written: string[] = [];
  async function* portions() {
    yield 'x'.repeat(1_000_000);
    const [part = ''] = readdirSync(folder);
    written.push(readFileSync(join(folder, part), 'utf8'));
    yield 'y';
  }
  await saveFile(folder, 'talk.md', portions());
  expect(written.map(({ length }) => length)).toEqual([1_000_000]);
});

test('a name that is taken gets a number, and what had it stays', async () => {
  writeFileSync(join(folder, 'talk.md'), 'mine');
  const paths = [await saveFile(folder, 'talk.md', 'a'), await saveFile(folder, 'talk.md', 'b')];
  expect(paths).toEqual([join(folder, 'talk-2.md'), join(folder, 'talk-3.md')]);
  expect(readFileSync(join(folder, 'talk.md'), 'utf8')).toBe('mine');
  expect(existsSync(join(folder, 'talk-4.md'))).toBe(false);
});
