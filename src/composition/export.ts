/** The task `export`: what was said in a thread or a channel, as a file. */

import { archivedSteps } from '../bot/archived-steps.ts';
import { archiveFile, missingFrom } from '../memory/archive/archive-file.ts';
import { readPlace } from '../memory/archive/read-place.ts';
import type { Task } from '../operator/command-line.ts';
import { saveFile } from '../platforms/terminal/save-file.ts';
import { lastThread, threadNamed } from './archived-thread.ts';
import { openLog, type Surroundings } from './session.ts';
import { openStore } from './store.ts';

/** @returns 0; 1 when there is nothing to write, or it can't be written. */
export async function exportTask(
  around: Surroundings,
  { thread, scope, format, folder }: Extract<Task, { task: 'export' }>,
): Promise<number> {
  const { config, output, errors } = around;
  const store = await openStore(config, openLog(around, true));
  try {
    const threadId = thread === undefined ? await lastThread(store) : threadNamed(thread);
    const place = { threadId, reach: scope };
    const read = await readPlace(store, place, 'everywhere', archivedSteps);
    for (const missing of missingFrom(read)) errors.write(`${missing}\n`);
    if (read.archive.threads.length === 0) {
      errors.write(
        `Nothing is kept of ${scope === 'thread' ? '' : 'the channel of '}${threadId}.\n`,
      );
      return 1;
    }
    const { name, content } = await archiveFile(read.archive, format);
    try {
      output.write(`${await saveFile(folder, name, content)}\n`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      errors.write(`The file can't be written to ${folder}: ${error.message}\n`);
      return 1;
    }
    return 0;
  } finally {
    await store.close();
  }
}
