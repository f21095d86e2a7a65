import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('ending-process.ts', import.meta.url));
const hours = 1e8;

/** Starts a process of which a thread can't be interrupted; tells its next line. */
async function startBusy(orderlyMs: number) {
  const child = spawn(process.execPath, [script, `${orderlyMs}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value;
  expect(await nextLine()).toBe('at work');
  return { child, nextLine };
}

test('a process does not outlive the time that it has to end in order', async () => {
  const { child, nextLine } = await startBusy(1);
  child.kill('SIGTERM');
  expect(await nextLine()).toBe('asked by SIGTERM');
  expect(await once(child, 'exit')).toEqual([143, null]);
});

test('a process that is asked to end a second time ends at once', async () => {
  const { child, nextLine } = await startBusy(hours);
  child.kill('SIGTERM');
  expect(await nextLine()).toBe('asked by SIGTERM');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

test('Ctrl-C ends a process that is not through only when it is pressed again', async () => {
  const { child, nextLine } = await startBusy(1);
  child.kill('SIGINT');
  expect(await nextLine()).toBe('asked by SIGINT');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

test('a process ends with its exit code on Windows too, where no process can be replaced', () => {
  const windows = `Object.defineProperty(process, 'platform', { value: 'win32' });`;
  const code = `${windows} import('./src/app/operator/ending.ts').then(({ exitNow }) => exitNow(78));`;
  const { status, stderr } = spawnSync(process.execPath, ['--eval', code], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 78, stderr: '' });
});
