/** The task `import`: brings back what was exported, and conversations of LLM Council. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readPastTurn } from '../../council/past-turn.ts';
import { oneLine } from '../../domain/words.ts';
import { type BroughtBack, bringBack } from '../../memory/export/bring-back.ts';
import { type ExportedTurn, storedMessage } from '../../memory/export/export.ts';
import { ShardNotes } from '../../memory/shards/notes.ts';
import type { OpenFile } from '../imports/json-parts.ts';
import { type DamagedImport, type ReadFile, readImportFile } from '../imports/read-file.ts';
import { showProgress } from '../operator/progress.ts';
import { openLog, personAt, type Surroundings, threadNamed } from '../session.ts';
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
      const brought = await bringBack(store, read, {
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

function broughtText({ added, known, expired }: BroughtBack): string {
  const old = expired > 0 ? `, ${expired} older than what is kept and left out` : '';
  return `${added} added, ${known} known already${old}`;
}
