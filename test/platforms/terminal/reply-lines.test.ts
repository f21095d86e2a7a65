import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReplyBlock } from '../../../commands/command.ts';
import { replyLines, saveFile } from '../../../src/platforms/terminal/reply-lines.ts';
import { recordedPage } from './recorded-page.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'council-files-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function shown(isLive: boolean, ...blocks: readonly ReplyBlock[]): Promise<string> {
  const { page } = recordedPage(isLive);
  const save: Parameters<typeof replyLines>[2] = (name, content) => saveFile(folder, name, content);
  return (await replyLines({ blocks, isPrivate: false }, page, save)).join('\n');
}

const table: ReplyBlock = {
  type: 'table',
  header: ['sage', 'model', 'seconds'],
  rows: [
    ['納瓦爾', 'test:one', '0.8'],
    ['Marcus Aurelius', 'test:another', '12.0'],
  ],
};
const minutes = {
  type: 'file',
  name: 'minutes.md',
  mediaType: 'text/markdown',
  content: '# Hi\n',
} as const;

describe('a reply', () => {
  it('shows settings by name, with who set them and what was wrong', async () => {
    const field = {
      label: 'Depth',
      description: 'How far a question goes.',
      input: { kind: 'yes_or_no', chosen: true },
      ignored: [],
    } as const;
    const text = await shown(false, {
      type: 'settings',
      scope: 'channel',
      fields: [
        { ...field, name: 'depth', value: 'quick', origin: 'channel', setBy: 'Max (m1)', setAt: 1 },
        { ...field, name: 'memory', value: 'yes', origin: 'file', problem: 'Expected: yes or no.' },
      ],
    });
    expect(text.split('\n')).toEqual([
      'depth   quick (channel, set by Max (m1))',
      'memory  yes (file)',
      '        Expected: yes or no.',
    ]);
  });

  it('has a blank line between its blocks', async () => {
    const blocks = await shown(
      false,
      { type: 'text', text: 'One.\n' },
      { type: 'text', text: 'Two.' },
    );
    expect(blocks).toBe('One.\n\nTwo.');
  });

  it('lines fields up, and wraps their values under each other', async () => {
    const fields = [
      { name: 'Turn', value: 'abc' },
      { name: 'Outcome', value: 'a long explanation of what has happened' },
    ];
    expect(await shown(true, { type: 'fields', fields })).toBe(
      'Turn     abc\nOutcome  a long explanation of what has\n         happened',
    );
  });

  it('puts values below names that would leave no room for them', async () => {
    const fields = [
      {
        name: '/council export [format] [scope] [thread]',
        value: 'Saves the whole conversation in a file',
      },
      { name: '/council sages', value: 'Who may sit' },
    ];
    expect((await shown(true, { type: 'fields', fields })).split('\n')).toEqual([
      '/council export [format] [scope]',
      '[thread]',
      '  Saves the whole conversation in a file',
      '/council sages',
      '  Who may sit',
    ]);
  });

  it('shows a table in columns where it fits', async () => {
    expect(await shown(false, table)).toBe(
      [
        'sage             model         seconds',
        '納瓦爾           test:one      0.8',
        'Marcus Aurelius  test:another  12.0',
      ].join('\n'),
    );
  });

  it('shows a table row by row where it does not', async () => {
    const wide = { ...table, header: ['sage', 'model that answered', 'seconds'] };
    expect(await shown(true, wide)).toContain(
      'sage                 納瓦爾\nmodel that answered  test:one\nseconds              0.8\n\nsage',
    );
  });

  it('shows choices as the commands to type', async () => {
    const choices = [{ label: 'Last turn', command: 'receipt abc' }];
    expect(await shown(false, { type: 'choices', choices })).toBe(
      'Last turn  /council receipt abc',
    );
  });

  it('gives the text of a file to a pipe', async () => {
    expect(await shown(false, minutes)).toBe('# Hi');
    expect(await readdir(folder)).toEqual([]);
  });

  it('saves a file for a person and never over another one', async () => {
    await shown(true, minutes);
    expect(await shown(true, { ...minutes, content: 'second' })).toContain('Saved minutes.md as');
    expect((await readdir(folder)).toSorted()).toEqual(['minutes-2.md', 'minutes.md']);
    expect(await readFile(join(folder, 'minutes.md'), 'utf8')).toBe('# Hi\n');
  });

  it('saves a file of any length as it is made', async () => {
    const portions = (async function* () {
      yield '# Hi';
      expect(await readdir(folder)).toEqual([expect.stringMatching(/^long\.md\..*\.part$/)]);
      yield ' again\n';
    })();
    const block = {
      type: 'stream',
      name: 'long.md',
      mediaType: 'text/markdown',
      portions,
    } as const;
    expect(await shown(true, block)).toContain('Saved long.md as');
    expect(await readFile(join(folder, 'long.md'), 'utf8')).toBe('# Hi again\n');
  });

  it('saves a file nowhere but in its folder', async () => {
    await shown(true, { ...minutes, name: '../../.hidden/etc\u0000.md' });
    expect(await readdir(folder)).toEqual(['hidden-etc-.md']);
  });

  it('says why a file could not be saved', async () => {
    const { page } = recordedPage(true);
    const save = () => Promise.reject(new Error('the disk is full'));
    const lines = await replyLines({ blocks: [minutes], isPrivate: false }, page, save);
    expect(lines.join(' ')).toBe('minutes.md could not be saved: the disk is full');
  });

  it('takes terminal sequences out of every block', async () => {
    const evil = '\u001b[2Jx\u009b';
    const text = await shown(
      false,
      { type: 'text', text: evil },
      { type: 'fields', fields: [{ name: evil, value: evil }] },
      { type: 'table', header: [evil], rows: [[evil]] },
      { type: 'choices', choices: [{ label: evil, command: evil }] },
      { ...minutes, content: evil },
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(text).not.toMatch(/[\u001b\u009b]/);
  });
});
