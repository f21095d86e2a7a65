import { StoreError } from '../store.ts';

/** SQLite's primary result codes that an operator can act on. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const;

/**
 * Converts an error about the file to a {@link StoreError} that the operator can act on. Returns other errors
 * unchanged, e.g. of a faulty statement.
 */
export function describeSqliteError(error: unknown, path: string): unknown {
  if (error instanceof Error && 'syscall' in error) return failing(path, error);
  if (!isSqliteError(error)) return error;
  // The low byte of an extended code is the primary code.
  switch (error.errcode & 0xff) {
    case codes.busy:
    case codes.locked:
      return new StoreError(
        `${path} is in use by another process. Stop that one first (a second \`npm start\`, or a bot that still runs), or set the store's path to another file.`,
        { reason: 'in_use', cause: error },
      );
    case codes.readOnly:
    case codes.cantOpen:
      return cannotWrite(path, error);
    case codes.full:
      return new StoreError(
        `There is no space left for ${path}. Everything stored before is safe; the last change was not stored. Free space on its disk.`,
        { reason: 'full', cause: error },
      );
    case codes.corrupt:
    case codes.notADatabase:
      return damaged(path, `is damaged or not a SQLite database (${error.message})`, error);
    case codes.ioError:
      return failing(path, error);
    default:
      return error;
  }
}

/**
 * The same while opening a file that this user may write. Any other SQLite error then means a damaged header or
 * schema.
 */
export function describeOpeningError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  const known =
    (error.errcode & 0xff) === codes.readOnly ? error : describeSqliteError(error, path);
  return known === error ? damaged(path, `is damaged (${error.message})`, error) : known;
}

/** @param how - The damage, e.g. `is damaged (page 7)`. */
export function damaged(path: string, how: string, cause?: unknown): StoreError {
  return new StoreError(
    `${path} ${how}. It was not changed. Replace it with a backup, or move it away together with the files that begin with its name, and start afresh.`,
    { reason: 'corrupt', cause },
  );
}

/** @param cause - The error of the system or SQLite. */
export function cannotWrite(path: string, cause: unknown): StoreError {
  return new StoreError(
    `${path} can't be written. Give this user the right to write the file and its folder (SQLite writes a second file next to it), or set the store's path to a place where it may write.`,
    { reason: 'read_only', cause },
  );
}

function failing(path: string, cause: Error): StoreError {
  return new StoreError(
    `${path} can't be read or written (${cause.message}). Check its disk, then start again.`,
    { reason: 'unreachable', cause },
  );
}

function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
