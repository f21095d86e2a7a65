import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { endedTurn, newTurn } from '../contracts/store/samples.ts';
import { runCouncil } from './council-process.ts';
import { temporaryProject } from './temporary-project.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const settings = { council: { fallbackSage: 'ada' } };
const conversation = {
  id: 'engines',
  created_at: '2025-11-22T21:53:07.123456',
  messages: [
    { role: 'user', content: 'Should we rewrite the engine?' },
    {
      role: 'assistant',
      stage1: [{ model: 'openai/gpt-5.1', response: 'In parts.' }],
      stage2: [],
      stage3: { model: 'google/gemini-3-pro', response: 'In parts, with tests.' },
    },
  ],
};

test('paths are those of the folder where npm was called, which runs the program in its own', async () => {
  const called = temporaryProject(settings, { 'good.json': JSON.stringify(conversation) });
  const folder = temporaryProject(settings);
  const environment = { INIT_CWD: called };
  const council = (...args: readonly string[]) => runCouncil({ folder, args, environment });
  expect(await council('import', 'good.json')).toMatchObject({ code: 0 });
  const { stdout } = await council('export', 'engines');
  expect(readdirSync(called)).toContain(stdout.trim());
  const asked = await council('ask', 'Why?', '--attach', 'none.txt');
  expect(asked.stderr).toBe(`There is no readable file ${join(called, 'none.txt')}.\n`);
  const copied = await council('store', 'copy', '--from', 'sqlite', '--to', 'sqlite:copy.db');
  expect(copied.stdout).toContain(`${join(called, 'copy.db')} has the same records as data/`);
  expect(readdirSync(called)).toContain('copy.db');
});

test('conversations are imported, exported, and found on another machine as they were', async () => {
  const good = JSON.stringify(conversation);
  const folder = temporaryProject(settings, {
    'good.json': good,
    'cut.json': good.slice(0, 60),
    'odd.json': JSON.stringify({ ...conversation, messages: [{ role: 'user' }] }),
    'other.json': JSON.stringify({ ...conversation, id: 'other', title: 'Engines' }),
  });
  const council = (...args: readonly string[]) => runCouncil({ folder, args });
  const files = ['cut.json', 'good.json', 'odd.json', 'absent.json', 'other.json'];
  const imported = await council('import', ...files);
  expect(imported.stdout).toBe(
    'good.json: 1 added, 0 known already\nother.json: 1 added, 0 known already; left out: title\n',
  );
  expect(imported.stderr).toContain('cut.json: line 1, column 61: ');
  expect(imported.stderr).toContain('odd.json: messages[0].content: ');
  expect(imported.stderr).toContain("absent.json: can't be read: no such file or directory. ");
  expect(imported.code).toBe(1);

  const again = await council('import', 'good.json', 'other.json');
  expect(again).toMatchObject({
    code: 0,
    stderr: '',
    stdout:
      'good.json: 0 added, 1 known already\nother.json: 0 added, 1 known already; left out: title\n',
  });

  const written = await council('export', 'engines', '--scope', 'channel', '--format', 'json');
  expect(written).toMatchObject({ code: 0, stderr: '' });
  const file = 'council-terminal-local-chat.json';
  expect(written.stdout.trim()).toBe(file);
  const text = readFileSync(join(folder, file), 'utf8');

  const elsewhere = temporaryProject(settings, { 'archive.json': text });
  const there = (...args: readonly string[]) => runCouncil({ folder: elsewhere, args });
  expect((await there('import', 'archive.json')).stdout).toContain('2 added');
  await there('export', 'other', '--scope', 'channel', '--format', 'json');
  expect(readFileSync(join(elsewhere, file), 'utf8')).toBe(text);
  const database = readdirSync(join(elsewhere, 'data')).find((name) => /\.(db|sqlite)$/.test(name));
  const store = openSqliteStore({ path: join(elsewhere, 'data', database ?? 'none') });
  const [recent] = await store.messages.recent('terminal:local:chat:engines', { limit: 3 });
  expect(recent?.answers.map(({ sage }) => sage)).toEqual(['openai_gpt_5_1']);
  expect(recent?.verdict?.verdict).toBe('In parts, with tests.');
  await store.close();
});

test('what was imported into the terminal is forgotten as one’s own', async () => {
  const folder = temporaryProject(settings, { 'good.json': JSON.stringify(conversation) });
  await runCouncil({ folder, args: ['import', 'good.json'] });
  const input = '/memory forget mine --confirm\n';
  const forgotten = await runCouncil({ folder, input });
  expect(forgotten.stdout).toMatch(/1 question/);
  expect(await runCouncil({ folder, args: ['export', 'engines'] })).toMatchObject({ code: 1 });
});

test('a file is never written over, and what is not there can not be exported', async () => {
  const folder = temporaryProject(settings, { 'good.json': JSON.stringify(conversation) });
  const council = (...args: readonly string[]) => runCouncil({ folder, args });
  await council('import', 'good.json', '--into', 'work');
  const name = 'council-terminal-local-chat-work.html';
  writeFileSync(join(folder, name), 'mine');
  expect((await council('export', 'work', '--format', 'html')).stdout).toBe(
    'council-terminal-local-chat-work-2.html\n',
  );
  expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
  expect(await council('export', 'nothing')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'Nothing is stored of terminal:local:chat:nothing.\n',
  });
  expect(await council('export', 'work', '--out', 'no-such-folder')).toMatchObject({ code: 1 });
});

test('the operator answers a person by id: all they asked, in every workspace, and then it is gone', async () => {
  const folder = temporaryProject(settings);
  const council = (...args: readonly string[]) => runCouncil({ folder, args: ['person', ...args] });
  const path = join(folder, 'data', 'council.db');
  mkdirSync(dirname(path));
  const store = openSqliteStore({ path });
  const asked = async (turnId: string, threadId: string, id: string, name: string) => {
    const request = { threadId, author: { id, name } };
    await endedTurn(store, newTurn(turnId, { threadId, request, createdAt: Date.now() }));
  };
  await asked('one', 'discord:10:20:30', '7001', 'Ada L.');
  await asked('two', 'discord:@me:5:5', '7001', 'Ada');
  await asked('three', 'discord:10:20:30', '7002', 'Bob');
  await asked('four', 'slack:T1:C1:1.2', 'U7001', 'Ada');
  const heard = { x: { threadId: 'discord:11:1:1', ids: [] } };
  await store.settings.write('heard-of:discord:11:7001', heard, { setBy: 'bot', setAt: 1 });
  await store.close();

  const named = await council('ada', 'forget', '--confirm');
  expect(named).toMatchObject({ code: 1, stdout: '' });
  for (const part of [
    '7001  Ada L.  discord:10  1 question\n',
    '7001  Ada  discord:@me  1 question\n',
    'U7001  Ada  slack:T1  1 question\n',
    'Anyone can take a name',
  ]) {
    expect(named.stderr).toContain(part);
  }
  const written = await council('7001', 'export');
  const files = ['council-discord-10-7001.md', 'council-discord-me-7001.md'];
  expect(written).toMatchObject({ code: 0, stdout: `${files.join('\n')}\n` });
  expect(written.stderr).toContain('7001  (overheard)  discord:11  0 questions');
  const text = readFileSync(join(folder, files[0] ?? ''), 'utf8');
  expect(text).toContain('> What of one?');
  expect(text).not.toContain('three');

  const preview = await council('7001', 'forget');
  expect(preview.stdout).toContain('npm run council -- person 7001 forget --confirm');
  expect((await council('7001', 'forget', '--confirm')).stdout).toContain('Forgotten: 1 question');
  const unknown = 'Nothing is stored of a person whose id or shown name is 7001.';
  const gone = await council('7001');
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining(unknown) });
  expect(await council('bob')).toMatchObject({
    code: 0,
    stdout: '7002  Bob  discord:10  1 question\n',
  });
});

test('an import of turns that could not be read again fails and names the position', async () => {
  const turn = {
    turnId: 't',
    createdAt: 1,
    endedAt: 2,
    outcome: 'answered',
    request: { turnId: 't' },
    steps: [],
    messages: [
      {
        id: 'q',
        turnId: 't',
        role: 'human',
        type: 'user_query',
        createdAt: 1,
        content: { text: 'Why?' },
      },
    ],
  };
  const thread = { threadId: 'terminal:local:chat:x', turns: [turn], messages: [] };
  const exported = {
    format: 'council-archive',
    version: 1,
    place: thread.threadId,
    threads: [thread],
  };
  const folder = temporaryProject(settings, { 'archive.json': JSON.stringify(exported) });
  const { code, stderr } = await runCouncil({ folder, args: ['import', 'archive.json'] });
  expect(stderr).toContain('archive.json: threads[0].turns[0].threadId: ');
  expect(code).toBe(1);
});
