/** Saves a file that a command gave. */

import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';

const mostAttempts = 1000;
/** Readable for its owner alone: it holds what people said. */
const mode = 0o600;

/** A name that can only be a file in the folder, and none that hides itself. */
function safeName(name: string): string {
  const kept = name.replace(/[^\p{L}\p{N}._ -]+/gu, '-').replace(/^[. -]+/, '');
  return kept.slice(0, 120).trim() || 'council-file';
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/**
 * Writes a new file for its owner alone, and never over another one: a name that is taken gets a number. Until all of it is
 * written, also where the process dies, it has a name that ends in `.part`.
 *
 * @param content - Portions are asked for one at a time, as the disk takes them.
 * @returns The path of the file. Throws the system's error when the folder can't be written to, and
 *   what making the content throws.
 */
export async function saveFile(
  folder: string,
  name: string,
  content: string | AsyncIterable<string>,
): Promise<string> {
  const safe = safeName(name);
  const part = join(folder, `${safe}.${randomUUID().slice(0, 8)}.part`);
  try {
    await writeFile(part, content, { flag: 'wx', mode });
    const path = await takeName(folder, safe);
    await rename(part, path);
    return path;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Makes an empty file of a name that is free. */
async function takeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name);
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const path = join(folder, attempt === 1 ? stem + ext : `${stem}-${attempt}${ext}`);
    try {
      await writeFile(path, '', { flag: 'wx', mode });
      return path;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error(
    `There are ${mostAttempts} files named like ${name} in ${folder} already. Move some of them away.`,
  );
}

/** Saves files in a folder, which is made when the first one comes. */
export function fileSaver(
  folder: string,
): (name: string, content: string | AsyncIterable<string>) => Promise<string> {
  return async (name, content) => {
    await mkdir(folder, { recursive: true });
    return saveFile(folder, name, content);
  };
}
