/** The task `export`: what was said in a thread or a channel, as a file. */

import { exportedSteps } from '../../bot/commands/export.ts';
import { channelOf } from '../../domain/thread-id.ts';
import { holdsAnything, type ReadableThread } from '../../memory/export/export.ts';
import { exportFile, missingFrom } from '../../memory/export/export-file.ts';
import { eachThread } from '../../memory/export/read-place.ts';
import { PendingForgetting, visibleStore } from '../../memory/forgetting/visible-store.ts';
import { saveFile } from '../../platforms/terminal/save-file.ts';
import { lastThread, openLog, type Surroundings, threadNamed } from '../session.ts';
import { openStore } from '../store.ts';
import type { Task } from './task.ts';

/** @returns 0; 1 when there is nothing to write, or it can't be written. */
export async function exportTask(
  around: Surroundings,
  { thread, scope, format, folder }: Extract<Task, { task: 'export' }>,
): Promise<number> {
  const { config, output, errors } = around;
  const whole = await openStore(config, openLog(around, true));
  const store = visibleStore(whole, new PendingForgetting(whole));
  try {
    const threadId = thread === undefined ? await lastThread(store) : threadNamed(thread);
    let unfinished = 0;
    const threads = (async function* (): AsyncGenerator<ReadableThread> {
      for await (const read of eachThread(store, { threadId, reach: scope }, exportedSteps)) {
        unfinished += read.unfinished;
        if (await holdsAnything(read.thread)) yield read.thread;
      }
    })();
    const first = await threads.next();
    const isNothing = first.done === true;
    if (!isNothing) {
      const place = scope === 'thread' ? threadId : channelOf(threadId);
      const { name, portions } = exportFile(place, following(first.value, threads), format);
      try {
        output.write(`${await saveFile(folder, name, portions)}\n`);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
        errors.write(`The file can't be written to ${folder}: ${error.message}\n`);
        return 1;
      }
    }
    for (const missing of missingFrom({ unfinished, isPart: false, hidden: 0 })) {
      errors.write(`${missing}\n`);
    }
    if (!isNothing) return 0;
    errors.write(`Nothing is kept of ${scope === 'thread' ? '' : 'the channel of '}${threadId}.\n`);
    return 1;
  } finally {
    await store.close();
  }
}

async function* following<Item>(first: Item, rest: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* rest;
}
