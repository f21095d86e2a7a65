/** The task `import`: brings back what was exported, and conversations of LLM Council. */

import { readFile } from 'node:fs/promises';
import { ZodError } from 'zod';
import { readPastTurn } from '../../council/past-turn.ts';
import { oneLine } from '../../domain/words.ts';
import { type ArchivedThread, storedMessage } from '../../memory/export/archive.ts';
import { type BroughtBack, bringBack, sizeOf } from '../../memory/export/bring-back.ts';
import { ShardNotes } from '../../memory/shards/notes.ts';
import { damagedAt, type ReadFile, readArchiveFile } from '../imports/read-file.ts';
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
      const read = await readFrom(path, into, personAt(around));
      if (read.status === 'damaged') {
        complaints.push(`${path}: ${read.place}: ${read.why}. Nothing of this file was imported.`);
        continue;
      }
      total += sizeOf(read);
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

async function readFrom(
  path: string,
  into: string | undefined,
  { id, name }: ReturnType<typeof personAt>,
): Promise<ReadFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { status: 'damaged', place: 'the file', why: `it can't be read (${error.code})` };
  }
  const read = readArchiveFile(text, {
    threadOf: (conversationId) => threadNamed(into ?? conversationId),
    // The terminal is its person's; who asked elsewhere the file does not say.
    askerIn: (threadId) => (threadId.startsWith('terminal:') ? { id, name } : imported),
  });
  return read.status === 'read' ? (damageIn(read.threads) ?? read) : read;
}

/** What a receipt could not be made of must not come into the store. */
function damageIn(threads: readonly ArchivedThread[]): ReadFile | undefined {
  for (const [number, { threadId, turns }] of threads.entries()) {
    for (const [index, { request, steps, messages }] of turns.entries()) {
      try {
        const stored = messages.map((message) => storedMessage(threadId, message));
        readPastTurn({ request, steps, messages: stored });
      } catch (error) {
        if (!(error instanceof ZodError)) throw error;
        return damagedAt(error, ['threads', number, 'turns', index]);
      }
    }
  }
  return undefined;
}

function leftOutText(leftOut: readonly string[]): string {
  return leftOut.length === 0 ? '' : `; left out: ${leftOut.map(oneLine).join(', ')}`;
}

function broughtText({ added, known, expired }: BroughtBack): string {
  const old = expired > 0 ? `, ${expired} older than what is kept and left out` : '';
  return `${added} added, ${known} known already${old}`;
}
