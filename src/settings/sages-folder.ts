/** The folder with the predefined sages. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Mistake } from './config-error.ts';
import { readSage, type SageFile } from './sage-file.ts';
import { shownPath } from './shown-path.ts';
import { type FileText, fileProblem, readTextFile } from './text-file.ts';
import { readYaml } from './yaml-source.ts';

/** What was read from the folder. */
export interface SagesFolder {
  /** By key in alphabetical order; those with mistakes too. */
  readonly files: readonly SageFile[];
  /** What is wrong with the folder itself. */
  readonly mistakes: readonly Mistake[];
}

/** Reads every `*.md` in the folder, other than hidden files: each is a sage. */
export function readSages(folder: string): SagesFolder {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    return { files: [], mistakes: [folderMistake(folder, fileProblem(error))] };
  }
  const files = names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .toSorted()
    .map((name) => sageIn(join(folder, name), name.slice(0, -'.md'.length)));
  return { files, mistakes: [] };
}

function sageIn(path: string, key: string): SageFile {
  const file = shownPath(path);
  const read = readTextFile(path);
  if (read.status === 'read') return readSage(file, key, read.text);
  const text = read.status === 'missing' ? 'is a link to a file that is missing' : read.problem;
  return { key, source: readYaml(file, ''), mistakes: [{ file, text }] };
}

function folderMistake(folder: string, read: Exclude<FileText, { status: 'read' }>): Mistake {
  const text =
    read.status === 'missing'
      ? 'is missing. Make it and put one file per sage in it'
      : read.problem;
  return { file: shownPath(folder), text };
}
