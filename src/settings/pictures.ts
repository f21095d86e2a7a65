/** The pictures that operators put beside sages' files, e.g. `config/sages/ada.png`: the faces of those sages. */

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Mistake } from './config-error.ts';
import { fileProblem, shownPath } from './text-file.ts';

/** Discord's bound for an emoji, which is what a face becomes there. */
const mostBytes = 256 * 1024;
const endings: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

/** How each kind of picture begins. */
const beginnings = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['52494646', 'image/webp'],
] as const;

/** What kind of picture these bytes are, by their beginning and not by a name; absent: none that is taken. */
export function pictureType(bytes: Buffer): string | undefined {
  const begin = bytes.toString('hex', 0, 4);
  return beginnings.find(([one]) => begin.startsWith(one))?.[1];
}

/** Reads the pictures of a folder; one that is missing or can't be read has none. */
export function readPictures(folder: string): {
  /** By the sage's key; of several the first by name. */
  readonly pictures: ReadonlyMap<string, Buffer>;
  readonly mistakes: readonly Mistake[];
} {
  const pictures = new Map<string, Buffer>();
  const mistakes: Mistake[] = [];
  for (const name of namesIn(folder)) {
    const key = name.slice(0, -extname(name).length);
    const path = join(folder, name);
    const read = readPicture(path);
    if (Buffer.isBuffer(read)) pictures.set(key, pictures.get(key) ?? read);
    else mistakes.push({ file: shownPath(path), text: read });
  }
  return { pictures, mistakes };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => endings.has(extname(name)) && !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    fileProblem(error);
    return [];
  }
}

/** @returns The bytes, or what is wrong with them. */
function readPicture(path: string): Buffer | string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const problem = fileProblem(error);
    return problem.status === 'missing' ? 'is a link to a file that is missing' : problem.problem;
  }
  if (!pictureType(bytes)) return 'is not a picture. Save it as PNG, JPEG, GIF or WebP';
  if (bytes.length <= mostBytes) return bytes;
  return `has ${Math.ceil(bytes.length / 1024)} KB. The limit is 256 KB: save it smaller, e.g. 128 pixels wide and high`;
}
