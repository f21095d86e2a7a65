/** What a person typed before, in a file of one line each. */

import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How many lines are offered; the file is cut back to them when it has twice as many. */
export const mostLines = 1000;

export interface History {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Keeps one more line. Throws the system's error when the file can't be written. */
  add(line: string): Promise<void>;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/**
 * @param path - Made when the first line is added, readable for its owner alone; without one
 *   nothing is kept.
 * @throws The system's error when the file is there and can't be read.
 */
export async function openHistory(path: string | undefined): Promise<History> {
  if (path === undefined) return { lines: [], async add() {} };
  const all = await readLines(path);
  const lines = all.slice(-mostLines);
  if (all.length > 2 * mostLines) await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  let last: Promise<void> = mkdir(dirname(path), {
    recursive: true,
    mode: 0o700,
  }).then(() => {});
  return {
    lines: lines.toReversed(),
    add(line) {
      last = last.then(() => appendFile(path, `${line}\n`, { mode: 0o600 }));
      return last;
    },
  };
}
