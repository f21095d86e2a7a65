/** The tasks for stored turns: `import`, `export`, and `leaderboard --json` for programs. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { dayMs } from '../../../commands/leaderboard.ts';
import { exportedSteps } from '../../bot/commands/export.ts';
import { scoredTurnsIn } from '../../bot/places/turns-of-place.ts';
import { effectiveVoices, leaderboardOf } from '../../council/leaderboard.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { oneLine } from '../../domain/words.ts';
import { type ExportedTurn, storedMessage } from '../../memory/export/export.ts';
import { exportFile, exportGaps } from '../../memory/export/export-file.ts';
import { type ImportCounts, importThreads } from '../../memory/export/import-threads.ts';
import { readPerson, readPlace } from '../../memory/export/read-place.ts';
import { PendingForgetting, visibleStore } from '../../memory/forgetting/visible-store.ts';
import { ShardNotes } from '../../memory/shards/notes.ts';
import { saveFile } from '../../platforms/terminal/reply-lines.ts';
import { writeJson } from '../../platforms/terminal/terminal-text.ts';
import type { OpenFile } from '../imports/json-parts.ts';
import { type DamagedImport, type ReadFile, readImportFile } from '../imports/read-file.ts';
import { openLog } from '../operator/log.ts';
import { progressOn } from '../operator/progress.ts';
import { openStore } from '../store.ts';
import { personAt, type TaskContext, type TaskOf, threadFor, threadNamed } from './task.ts';

/** The asker of questions whose file does not name one. */
const unknownAsker = { id: 'imported', name: 'someone' };

/** @returns 0; 1 if any file could not be read. The other files are imported all the same. */
export async function importTask(
  context: TaskContext,
  { files, into }: TaskOf<'import'>,
): Promise<number> {
  const { config, output, errors } = context;
  const store = await openStore(config, openLog(context, true));
  const notes = new ShardNotes(store.settings, Date.now);
  // Outside a terminal, only the results are written.
  const progress = errors.isTTY ? progressOn(errors) : undefined;
  context.onInterrupt(() => {
    context.giveUp('Interrupted before it was done. The same command imports the rest.');
  });
  let [done, total] = [0, 0];
  const results: string[] = [];
  const failures: string[] = [];
  try {
    for (const path of files) {
      const read = await readFrom(path, context, into, (share) =>
        progress?.('reading', share, path),
      );
      if (read.status === 'damaged') {
        failures.push(`${path}: ${read.position}: ${read.why}. Nothing of this file was imported.`);
        continue;
      }
      total += read.size;
      const imported = await importThreads(store, read, {
        onProgress: (count) => {
          done += count;
          progress?.('importing', done / total, `${done} of ${total}`);
        },
        onNew: (threadId) => notes.add({ turnId: `imported:${threadId}`, threadId }),
      });
      const left = read.leftOut.map(oneLine).join(', ');
      results.push(`${path}: ${importedText(imported)}${left && `; left out: ${left}`}`);
    }
  } finally {
    output.write(results.map((line) => `${line}\n`).join(''));
    errors.write(failures.map((line) => `${line}\n`).join(''));
    await store.close();
  }
  return failures.length === 0 ? 0 : 1;
}

/** @param onRead - Receives the share of the file that has been read, from 0 to 1. */
async function readFrom(
  path: string,
  context: TaskContext,
  into: string | undefined,
  onRead: (share: number) => void,
): Promise<ReadFile | DamagedImport> {
  const { id, name } = personAt(context);
  try {
    const file = resolve(context.folder, path);
    const { size } = await stat(file);
    let read = 0;
    const open: OpenFile = async function* () {
      for await (const bytes of createReadStream(file)) {
        read += bytes.length;
        // The file is read twice: once to find out what it is, once for its content.
        onRead(Math.min(1, read / (2 * size)));
        yield bytes;
      }
    };
    return await readImportFile(open, {
      threadOf: (conversationId) => threadNamed(into ?? conversationId),
      check: checkTurn,
      // Only the person at the terminal asks in the terminal; elsewhere the asker is unknown.
      askerIn: (threadId) => (threadId.startsWith('terminal:') ? { id, name } : unknownAsker),
    });
  } catch (error) {
    const errno = error instanceof Error && 'errno' in error && error.errno;
    if (typeof errno !== 'number') throw error;
    return { status: 'damaged', position: "can't be read", why: getSystemErrorMessage(errno) };
  }
}

/** Throws for a turn from which no receipt could be made: it must not get into the store. */
function checkTurn(threadId: string, { request, steps, messages }: ExportedTurn): void {
  const stored = messages.map((message) => storedMessage(threadId, message));
  readPastTurn({ request, steps, messages: stored });
}

function importedText({ added, known, expired, forgotten }: ImportCounts): string {
  const old = expired > 0 ? `, ${expired} older than what is kept and left out` : '';
  const gone = forgotten ? `, ${forgotten} forgotten less than a day ago and left out` : '';
  return `${added} added, ${known} known already${old}${gone}`;
}

/** @returns 0. */
export async function leaderboardTask(
  context: TaskContext,
  { thread, by, scope, days }: TaskOf<'leaderboard'>,
): Promise<number> {
  const fullStore = await openStore(context.config, openLog(context, true));
  try {
    const store = visibleStore(fullStore, new PendingForgetting(fullStore));
    const threadId = await threadFor(thread, store);
    const since = Date.now() - days * dayMs;
    const turns = await scoredTurnsIn(store.turns, { threadId }, { reach: scope, since });
    const place = scope === 'channel' ? channelOf(threadId) : workspaceOf(threadId);
    const voices = effectiveVoices(turns);
    writeJson(context.output, {
      place,
      days,
      ...leaderboardOf(turns, by),
      ...(voices ? { voices } : {}),
    });
    return 0;
  } finally {
    await fullStore.close();
  }
}

/** @returns 0; 1 if there is nothing to export or the file can't be written. */
export async function exportTask(
  context: Pick<TaskContext, 'config' | 'ending' | 'errors' | 'folder' | 'onInterrupt' | 'output'>,
  { thread, scope, person, format, folder }: TaskOf<'export'>,
): Promise<number> {
  const { config, output, errors, ending } = context;
  const fullStore = await openStore(config, openLog(context, true));
  const store = visibleStore(fullStore, new PendingForgetting(fullStore));
  try {
    const threadId = await threadFor(thread, store);
    const read = person
      ? await readPerson(store, person, exportedSteps)
      : await readPlace(store, { threadId, reach: scope }, 'shell', exportedSteps);
    for (const missing of exportGaps(read)) errors.write(`${missing}\n`);
    if (read.isEmpty) {
      const what = person || scope === 'thread' ? read.place : `the channel of ${threadId}`;
      errors.write(`Nothing is stored of ${what}.\n`);
      return 1;
    }
    const { name, portions } = exportFile(read.place, read.threads, format);
    // The first Ctrl-C aborts `ending`, so that no half of a file is left.
    context.onInterrupt(() => undefined);
    try {
      const path = await saveFile(resolve(context.folder, folder), name, portions, ending);
      output.write(`${join(folder, basename(path))}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      const why = ending.aborted ? 'it was interrupted' : error.message;
      errors.write(`The file can't be written to ${folder}: ${why}\n`);
      return 1;
    }
  } finally {
    await store.close();
  }
}
