/** The tasks for what is kept of turns: `import`, `export`, and `leaderboard --json` for programs. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dayMs } from '../../../commands/leaderboard.ts';
import { exportedSteps } from '../../bot/commands/export.ts';
import { scoredTurnsIn } from '../../bot/places/turns-of-place.ts';
import { effectiveVoices, leaderboardOf } from '../../council/leaderboard.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { oneLine } from '../../domain/words.ts';
import {
  type ExportedTurn,
  hasContent,
  type ReadableThread,
  storedMessage,
} from '../../memory/export/export.ts';
import { exportFile, exportGaps } from '../../memory/export/export-file.ts';
import { type ImportCounts, importThreads } from '../../memory/export/import-threads.ts';
import { eachThread } from '../../memory/export/read-place.ts';
import { PendingForgetting, visibleStore } from '../../memory/forgetting/visible-store.ts';
import { ShardNotes } from '../../memory/shards/notes.ts';
import { writeJson } from '../../platforms/terminal/plain-text.ts';
import { saveFile } from '../../platforms/terminal/reply-lines.ts';
import type { OpenFile } from '../imports/json-parts.ts';
import { type DamagedImport, type ReadFile, readImportFile } from '../imports/read-file.ts';
import { showProgress } from '../operator/progress.ts';
import { lastThread, openLog, personAt, type Surroundings, threadNamed } from '../session.ts';
import { openStore } from '../store.ts';
import type { Task } from './task.ts';

/** Of whom a file tells nothing. */
const imported = { id: 'imported', name: 'someone' };

/** @returns 0; 1 when one of the files could not be read: the others are brought back all the same. */
export async function importTask(
  around: Surroundings,
  { files, into }: Extract<Task, { task: 'import' }>,
): Promise<number> {
  const { config, output, errors } = around;
  const store = await openStore(config, openLog(around, true));
  const notes = new ShardNotes(store.settings, Date.now);
  // Outside a terminal only the results are written.
  const progress = errors.isTTY ? showProgress(errors) : undefined;
  let [done, total] = [0, 0];
  const told: string[] = [];
  const complaints: string[] = [];
  try {
    for (const path of files) {
      const read = await readFrom(path, around, into, (share) =>
        progress?.show('reading', share, path),
      );
      if (read.status === 'damaged') {
        complaints.push(
          `${path}: ${read.position}: ${read.why}. Nothing of this file was imported.`,
        );
        continue;
      }
      total += read.size;
      const brought = await importThreads(store, read, {
        onProgress: (count) => {
          done += count;
          progress?.show('importing', done / total, `${done} of ${total}`);
        },
        onNew: (threadId) => notes.add({ turnId: `imported:${threadId}`, threadId }),
      });
      told.push(`${path}: ${broughtText(brought)}${leftOutText(read.leftOut)}`);
    }
  } finally {
    progress?.end();
    output.write(told.map((line) => `${line}\n`).join(''));
    errors.write(complaints.map((line) => `${line}\n`).join(''));
    await store.close();
  }
  return complaints.length === 0 ? 0 : 1;
}

/** @param onRead - Told how much of the file has been gone through, from 0 to 1. */
async function readFrom(
  path: string,
  around: Surroundings,
  into: string | undefined,
  onRead: (share: number) => void,
): Promise<ReadFile | DamagedImport> {
  const { id, name } = personAt(around);
  try {
    const { size } = await stat(path);
    let read = 0;
    const open = fileAt(path, (bytes) => {
      read += bytes;
      // Once for what it is, and once for what is in it.
      onRead(Math.min(1, read / (2 * size)));
    });
    return await readImportFile(open, {
      threadOf: (conversationId) => threadNamed(into ?? conversationId),
      check: checkTurn,
      // The terminal is its person's; who asked elsewhere the file does not say.
      askerIn: (threadId) => (threadId.startsWith('terminal:') ? { id, name } : imported),
    });
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    return { status: 'damaged', position: 'the file', why: `it can't be read (${error.code})` };
  }
}

/** What a receipt could not be made of must not come into the store. */
function checkTurn(threadId: string, { request, steps, messages }: ExportedTurn): void {
  const stored = messages.map((message) => storedMessage(threadId, message));
  readPastTurn({ request, steps, messages: stored });
}

/** Gives a file as often as it is asked for, and tells how many bytes were read since the last time. */
function fileAt(path: string, onRead: (bytes: number) => void): OpenFile {
  return async function* () {
    for await (const bytes of createReadStream(path)) {
      onRead(bytes.length);
      yield bytes;
    }
  };
}

function leftOutText(leftOut: readonly string[]): string {
  return leftOut.length === 0 ? '' : `; left out: ${leftOut.map(oneLine).join(', ')}`;
}

function broughtText({ added, known, expired }: ImportCounts): string {
  const old = expired > 0 ? `, ${expired} older than what is kept and left out` : '';
  return `${added} added, ${known} known already${old}`;
}

/** @returns 0. */
export async function leaderboardTask(
  around: Surroundings,
  { thread, by, scope, days }: Extract<Task, { task: 'leaderboard' }>,
): Promise<number> {
  const whole = await openStore(around.config, openLog(around, true));
  try {
    const store = visibleStore(whole, new PendingForgetting(whole));
    const threadId = thread === undefined ? await lastThread(store) : threadNamed(thread);
    const since = Date.now() - days * dayMs;
    const turns = await scoredTurnsIn(store.turns, { threadId }, { reach: scope, since });
    const place = scope === 'channel' ? channelOf(threadId) : workspaceOf(threadId);
    const voices = effectiveVoices(turns);
    writeJson(around.output, {
      ...{ place, days, ...leaderboardOf(turns, by) },
      ...(voices ? { voices } : {}),
    });
    return 0;
  } finally {
    await whole.close();
  }
}

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
        if (await hasContent(read.thread)) yield read.thread;
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
    for (const missing of exportGaps({ unfinished, isPart: false, hidden: 0 })) {
      errors.write(`${missing}\n`);
    }
    if (!isNothing) return 0;
    errors.write(
      `Nothing is stored of ${scope === 'thread' ? '' : 'the channel of '}${threadId}.\n`,
    );
    return 1;
  } finally {
    await store.close();
  }
}

async function* following<Item>(first: Item, rest: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* rest;
}
