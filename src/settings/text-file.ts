/** The text of a file, whatever editor wrote it. */

import { readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';

/** A file's text with `\n` line ends and no byte order mark; or why there is none. */
export type FileText =
  | { readonly status: 'read'; readonly text: string }
  | { readonly status: 'missing' }
  /** `problem`: what is wrong and what to do, for people. */
  | { readonly status: 'unreadable'; readonly problem: string };

/** Reads a whole file of UTF-8 text. */
export function readTextFile(path: string): FileText {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return fileProblem(error);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { status: 'read', text: text.replaceAll(/\r\n?/g, '\n') };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { status: 'unreadable', problem: 'is not UTF-8 text. Save it as UTF-8' };
  }
}

/** Why a file or folder could not be opened. Throws what is not the file system's doing. */
export function fileProblem(error: unknown): Exclude<FileText, { status: 'read' }> {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  if (error.code === 'ENOENT') return { status: 'missing' };
  const problems: Record<string, string> = {
    EACCES: 'can’t be read. Give the bot’s user the right to read it',
    EISDIR: 'is a folder. A file is expected here',
    ENOTDIR: 'is not a folder, or not in one. A folder is expected here',
  };
  const problem = problems[String(error.code)] ?? `can’t be read (${String(error.code)})`;
  return { status: 'unreadable', problem };
}

/**
 * A path as a person at the prompt would type it: seen from the current folder, or whole where it
 * lies outside of that.
 */
export function shownPath(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}
