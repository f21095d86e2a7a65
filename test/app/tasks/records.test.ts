import { readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { exportTask, importTask } from '../../../src/app/tasks/records.ts';
import type { TaskContext } from '../../../src/app/tasks/task.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { endedTurn, newTurn, threadId } from '../../contracts/store/samples.ts';
import { load, projectWith } from '../../settings/config-folder.ts';

test('nothing is left of an export that is interrupted', async () => {
  const [folder, data] = [projectWith({}), projectWith({})];
  const path = `${data}/council.db`;
  const store = openSqliteStore({ path });
  await endedTurn(store, newTurn('one'));
  await store.close();
  const errors = new PassThrough();
  const ending = new AbortController();
  const context = {
    config: load({ 'config/council.yaml': `store: { path: ${path} }` }),
    folder,
    errors,
    output: new PassThrough(),
    ending: ending.signal,
    // The signal comes as soon as the task can be interrupted.
    onInterrupt: () => ending.abort(),
  };
  const wanted = { task: 'export', format: 'markdown', scope: 'thread', folder: '.' } as const;
  expect(await exportTask(context, { ...wanted, thread: threadId })).toBe(1);
  expect(String(errors.read())).toBe("The file can't be written to .: it was interrupted\n");
  expect(readdirSync(folder)).toEqual([]);
});

test('an import that is interrupted says how it goes on', async () => {
  const path = `${projectWith({})}/council.db`;
  const config = load({ 'config/council.yaml': `store: { path: ${path} }` });
  const context: TaskContext = {
    config,
    places: { directory: '', environment: {} },
    input: process.stdin,
    folder: '.',
    output: new PassThrough(),
    errors: new PassThrough(),
    ending: new AbortController().signal,
    colour: false,
    isLive: false,
    columns: undefined,
    userName: 'Ada',
    historyPath: '',
    onInterrupt: (react) => react('SIGINT'),
    giveUp: (sentence) => {
      throw new Error(sentence);
    },
  };
  const imported = importTask(context, { task: 'import', files: [] });
  await expect(imported).rejects.toThrow('The same command imports the rest.');
});
