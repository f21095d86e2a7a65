/** Saves a file that a command gave. */

import { writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';

const mostAttempts = 1000;

/** A name that can only be a file in the folder, and none that hides itself. */
function safeName(name: string): string {
  const kept = name.replace(/[^\p{L}\p{N}._ -]+/gu, '-').replace(/^[. -]+/, '');
  return kept.slice(0, 120).trim() || 'council-file';
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/**
 * Writes a new file and never over another one: a name that is taken gets a number.
 *
 * @returns The path of the file. Throws the system's error when the folder can't be written to.
 */
export async function saveFile(folder: string, name: string, content: string): Promise<string> {
  const { name: stem, ext } = parse(safeName(name));
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const path = join(folder, attempt === 1 ? stem + ext : `${stem}-${attempt}${ext}`);
    try {
      await writeFile(path, content, { flag: 'wx' });
      return path;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error(
    `There are ${mostAttempts} files named like ${stem}${ext} in ${folder} already. Move some of them away.`,
  );
}
