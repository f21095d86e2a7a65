/** Writes files whole, or not at all. */

import {
  chmodSync,
  chownSync,
  existsSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A file with its new text. */
export interface ChangedFile {
  /** A link is followed. */
  readonly path: string;
  readonly text: string;
  /** Default: that of the file, or of any new one. */
  readonly mode?: number;
}

/** Creates or replaces all of the files or none. Readers never see half of one. Throws the system's error. */
export function replaceFiles(files: readonly ChangedFile[]): void {
  const ready = files.map((file) => {
    const target = existsSync(file.path) ? realpathSync(file.path) : file.path;
    return { ...file, target, fresh: `${target}.${process.pid}.new` };
  });
  try {
    for (const { target, fresh, text, mode } of ready) writeLike(target, fresh, text, mode);
    for (const { target, fresh } of ready) renameSync(fresh, target);
  } catch (error) {
    for (const { fresh } of ready) rmSync(fresh, { force: true });
    throw error;
  }
}

/** Root writes for the owner of the file, or of its folder: the bot may run as another user, and must read it. */
function writeLike(target: string, fresh: string, text: string, wanted?: number): void {
  const old = statSync(target, { throwIfNoEntry: false });
  const mode = wanted ?? old?.mode;
  writeFileSync(fresh, text, mode === undefined ? {} : { mode });
  if (mode !== undefined) chmodSync(fresh, mode);
  const { uid, gid } = old ?? statSync(dirname(target));
  if (process.getuid?.() === 0) chownSync(fresh, uid, gid);
}
