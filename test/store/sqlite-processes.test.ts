import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { turnKey } from '../contracts/store/samples.ts';
import { onSmallDisk } from './small-disk.ts';

const script = fileURLToPath(new URL('store-process.ts', import.meta.url));
let folder: string;
let path: string;
let children: ChildProcessByStdio<Writable, Readable, null>[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'council-store-'));
  path = join(folder, 'council.db');
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

function start(task: string) {
  const child = spawn(process.execPath, [script, task, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout }) };
}

/** The lines of a process that ends by itself. */
async function linesOf(task: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of start(task).lines) lines.push(line);
  return lines;
}

test('refuses a file that another process has open, and says what to do', async () => {
  const store = openSqliteStore({ path });
  const [line] = await linesOf('hold');
  expect(line).toMatch(/^refused in_use: .*council\.db is in use by another process\. Stop that/);
  expect(await store.claim('still ours', 1000)).toBe(true);
  await store.close();
});

test('lets go of the file with the process that is killed', async () => {
  const { child, lines } = start('hold');
  await once(lines, 'line');
  expect(() => openSqliteStore({ path })).toThrow(
    expect.objectContaining({ name: 'StoreError', reason: 'in_use' }),
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  await openSqliteStore({ path }).close();
});

test('has everything that was acknowledged to a process before it was killed', async () => {
  const acknowledged: string[] = [];
  for (const killedAfterLines of [1, 2, 35, 250]) {
    const { child, lines } = start('write');
    let count = 0;
    for await (const line of lines) {
      acknowledged.push(line);
      count += 1;
      if (count === killedAfterLines) child.kill('SIGKILL');
    }
    expect(child.signalCode ?? (await once(child, 'exit'))[1]).toBe('SIGKILL');
  }
  const store = openSqliteStore({ path });
  expect(acknowledged.length).toBeGreaterThanOrEqual(288);
  for (const line of acknowledged) {
    const [what, turnId = ''] = line.split(' ');
    const record = await store.turns.read(turnKey(turnId));
    expect(record?.attempt, line).toBe(1);
    if (what === 'answered') {
      expect(record?.messages, line).toHaveLength(2);
      expect(record?.steps, line).toHaveLength(1);
    }
  }
  await store.close();
});

test('refuses a file that it may only read', async () => {
  await openSqliteStore({ path }).close();
  chmodSync(folder, 0o777);
  chmodSync(path, 0o444);
  const [line] = await linesOf('openUnprivileged');
  expect(line).toMatch(/^refused read_only: .*can't be written\. Give this user the right/);
});

test('refuses a folder that it may only read', async () => {
  await openSqliteStore({ path }).close();
  chmodSync(path, 0o666);
  chmodSync(folder, 0o555);
  const [line] = await linesOf('openUnprivileged');
  expect(line).toMatch(/^refused read_only: .*can't be written\. Give this user the right/);
});

test('loses nothing on a disk that is full, and goes on when there is room', (context) => {
  if (onSmallDisk(folder, 'true').status !== 0) {
    context.skip('This machine does not let a user mount a small disk.');
  }
  const run = onSmallDisk(folder, process.execPath, script, 'fill', path);
  const lines = run.stdout.trim().split('\n');
  expect(run.stderr).toBe('');
  expect(lines).toContain('refused full');
  const answered = lines.flatMap((line) => /^answered (.*)/.exec(line)?.[1] ?? []);
  expect(answered.length).toBeGreaterThan(10);
  expect(answered.at(-1)).toBe('after');
  for (const turnId of answered) expect(lines).toContain(`found ${turnId} with 2 messages`);
});

test('takes over the log that a killed process left beside the file', async () => {
  const { child, lines } = start('write');
  await once(lines, 'line');
  child.kill('SIGKILL');
  await once(child, 'exit');
  writeFileSync(`${path}-wal`, Buffer.from('half a frame'), { flag: 'a' });
  const store = openSqliteStore({ path });
  expect((await store.turns.unfinished(1)).length).toBe(1);
  await store.close();
});
