import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { projectRoot, runCouncil, startCouncil } from './council-process.ts';
import { type RehearsedModels, startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

const question = 'Should we rewrite the engine?';
const stackLine = /^\s+at .*:\d+/m;

/** Models that hold the first call of a part for ever. */
function startHolding(held: string): Promise<RehearsedModels> {
  return startRehearsedModels((name, earlier) =>
    name === held && earlier === 0 ? { kind: 'hang' } : undefined,
  );
}

/** The only turn in a store that no process has open. */
async function onlyTurn(folder: string) {
  const store = openSqliteStore({ path: join(folder, 'data/council.db') });
  const [spoken] = await store.turns.list('terminal:local:chat:work', { limit: 2 });
  const record = spoken && (await store.turns.read(spoken));
  await store.close();
  if (!record) throw new Error('There is no turn.');
  return { record, kept: readPastTurn(record) };
}

describe('a process that is asked to end', () => {
  const chat = ['chat', '--thread', 'work'];

  test('leaves a turn that does not finish in its grace to the next start', async () => {
    const models = await startHolding('sage cleo');
    const limits = { shutdownGraceMs: 0 };
    const folder = temporaryProject({ ...models.settings, limits });
    const first = startCouncil({ folder, args: chat });
    first.type(`${question}\n`);
    await expect.poll(() => first.stderr).toMatch(/"sage":"ben".*"status":"answered"/);
    await expect.poll(() => models.counts()['sage cleo']).toBe(1);
    first.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
    await expect.poll(() => models.openCalls()).toBe(0);
    expect((await onlyTurn(folder)).record.status).toBe('running');

    const second = await runCouncil({ folder, args: chat });
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('## Verdict');
    expect(models.counts()).toMatchObject({ moderator: 1, 'sage ben': 1, 'sage cleo': 2 });
    expect((await onlyTurn(folder)).record).toMatchObject({ outcome: 'answered', attempt: 2 });
  });

  test('finishes a turn that needs no longer than its grace', async () => {
    const models = await startRehearsedModels(undefined, { latencyMs: 100 });
    const folder = temporaryProject(models.settings);
    const council = startCouncil({ folder, args: chat });
    council.type(`${question}\n`);
    await expect.poll(() => models.asked.length).toBeGreaterThan(0);
    council.kill('SIGTERM');
    const ended = await council.ended;
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(ended.stdout).toContain('## Verdict');
    expect((await onlyTurn(folder)).record).toMatchObject({ outcome: 'answered', attempt: 1 });
  });

  test('a second time ends at once', async () => {
    const models = await startHolding('moderator');
    const folder = temporaryProject(models.settings);
    const council = startCouncil({ folder, args: chat });
    council.type(`${question}\n`);
    await expect.poll(() => models.openCalls()).toBe(1);
    council.kill('SIGTERM');
    council.kill('SIGINT');
    expect([130, 143]).toContain((await council.ended).code);
  });
});

describe('Ctrl-C', () => {
  test('stops one question, and what had been said is kept', async () => {
    const models = await startHolding('sage cleo');
    const folder = temporaryProject(models.settings);
    const args = ['ask', question, '--thread', 'work'];
    const council = startCouncil({ folder, args, input: '' });
    await expect.poll(() => council.stdout).toContain('## Ada Sage');
    await expect.poll(() => council.stderr).toMatch(/"sage":"ben".*"status":"answered"/);
    await expect.poll(() => models.openCalls()).toBe(1);
    council.kill('SIGINT');
    const ended = await council.ended;
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('What was said is kept.');
    expect(ended.stderr).not.toMatch(stackLine);
    await expect.poll(() => models.openCalls()).toBe(0);
    const { record, kept } = await onlyTurn(folder);
    expect(record.outcome).toBe('stopped');
    const statuses = kept.answers.map(({ sage, status }) => [sage, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      ada: 'answered',
      ben: 'answered',
      cleo: 'stopped',
    });
    expect(models.counts()).not.toHaveProperty('chair');
  });
});

describe('a reader that goes away', () => {
  test.each([
    ['a conversation', ['chat']],
    ['a question', ['ask', question]],
    ['a question with --json', ['ask', question, '--json']],
    ['doctor', ['doctor']],
    ['the list of sages', ['sages']],
    ['the help', ['--help']],
  ])('of %s leaves no stack trace behind', async (_what, args) => {
    const models = await startRehearsedModels();
    const folder = temporaryProject({ ...models.settings, limits: { shutdownGraceMs: 0 } });
    const council = startCouncil({ folder, args, input: `${question}\n` });
    council.stopReading();
    const ended = await council.ended;
    expect(ended.signal).toBeNull();
    expect(ended.stderr).not.toMatch(stackLine);
    expect(ended.stderr).not.toContain('EPIPE');
  });

  test('of a question keeps no one at work for it', async () => {
    const models = await startHolding('chair');
    const folder = temporaryProject(models.settings);
    const council = startCouncil({
      folder,
      args: ['ask', question, '--thread', 'work'],
      input: '',
    });
    council.stopReading();
    expect((await council.ended).code).toBe(1);
    expect((await onlyTurn(folder)).record.outcome).toBe('stopped');
    expect(models.openCalls()).toBe(0);
  });
});

describe('a disk that is full', () => {
  test('of what is printed ends the process with one line, and of its log ends nothing', async () => {
    const models = await startRehearsedModels();
    const folder = temporaryProject(models.settings);
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const run = async (args: readonly string[], ...streams: readonly (number | 'pipe')[]) => {
      const all = [`${projectRoot}src/index.ts`, '--config', `${folder}/config`, ...args];
      const stdio = ['ignore' as const, ...streams];
      const child = spawn(process.execPath, all, { cwd: folder, stdio });
      const readable = child.stdout ?? child.stderr;
      return readable && text(readable);
    };
    const said = await run(['sages'], full, 'pipe');
    expect(said).toMatch(/^The output can't be written: ENOSPC: .*\n$/);
    expect(await run(['ask', question], 'pipe', full)).toContain('## Verdict');
  });
});

describe('a store', () => {
  test('that another process has open is refused, and that one goes on', async () => {
    const models = await startHolding('chair');
    const folder = temporaryProject(models.settings);
    const first = startCouncil({ folder });
    first.type(`${question}\n`);
    await expect.poll(() => models.counts().chair).toBe(1);
    for (const args of [[], ['ask', question], ['receipt']]) {
      const second = await runCouncil({ folder, args });
      expect(second.code).toBe(1);
      expect(second.stderr).toContain('council.db is in use by another process. Stop that one');
      expect(second.stderr).not.toMatch(stackLine);
    }
    expect((await runCouncil({ folder, args: ['sages'] })).code).toBe(0);
    const doctor = await runCouncil({ folder, args: ['doctor', '--offline'] });
    expect(doctor.stdout).toContain('is in use by a running Council');
    expect(doctor.code).toBe(0);
    expect(first.stderr).not.toContain('"level":"error"');
  });

  test('that a newer version has written ends the start, and no restart is asked for', async () => {
    const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
    await runCouncil({ folder, args: ['doctor', '--offline'] });
    const database = new DatabaseSync(`${folder}/data/council.db`);
    database.exec('PRAGMA user_version = 9999');
    database.close();
    const ended = await runCouncil({ folder, input: `${question}\n` });
    expect(ended.stderr).toContain('was written by a newer version of Council');
    expect(ended.code).toBe(78);
    expect(ended.stderr).not.toMatch(stackLine);
  });

  test('that can not be written is refused in plain words', async () => {
    const models = await startRehearsedModels();
    const store = { path: 'a-file/council.db' };
    const folder = temporaryProject({ ...models.settings, store }, { 'a-file': '' });
    for (const args of [['ask', question], ['doctor']]) {
      const ended = await runCouncil({ folder, args });
      expect(ended.code).toBe(1);
      expect(ended.stdout + ended.stderr).toContain(
        "a-file/council.db can't be written. Give this user",
      );
      expect(ended.stderr).not.toMatch(stackLine);
    }
    expect(models.counts()).not.toHaveProperty('moderator');
  });
});
