/** Copies a store into an empty one of whatever kind, and looks whether all has arrived. */

import { z } from 'zod';
import type { Archive, ArchiveRecord, Portion } from '../archive.ts';
import { type Digest, type DigestOptions, digest } from './digest.ts';

/** The copy can't be made, or is not what it should be. The message is for the operator. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** How far it is. */
export interface CopyProgress extends Portion {
  readonly stage: 'copying' | 'reading the source again' | 'reading the copy';
  /** How many records were copied in this run. */
  readonly copied: number;
}

export interface CopyOptions {
  /** Names the source, without a secret: a copy that broke off is gone on with from the same one. */
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Where an unfinished copy notes how far it is: settings of this scope, in the copy itself. */
const markScope = 'store copy';
const markName = 'progress';
const markSchema = z.object({
  from: z.string(),
  cursor: z.string().nullable(),
  isCopied: z.boolean(),
});
type Mark = z.infer<typeof markSchema>;

const recordsAtOnce = 500;
/** What expires sooner is copied, but not compared. */
const comparedFromMs = 86_400_000;

/**
 * Copies everything, then reads both and compares counts and checksums. The source stays as it is.
 *
 * A copy that broke off, at whatever moment, is gone on with when it is asked for again.
 *
 * @returns What both hold.
 * @throws {@link CopyError} for a target that holds something else, and for a copy that differs;
 *   what the two stores throw; the reason of `signal` when it is aborted.
 */
export async function copyStore(
  source: Archive,
  target: Archive,
  options: CopyOptions,
): Promise<Digest> {
  const { from, to, signal, onProgress, now } = options;
  if ((await readMark(source)) !== undefined) {
    throw new CopyError(`${from} is itself a copy that broke off. Finish that one first.`);
  }
  const mark = (await readMark(target)) ?? (await beginIn(target, options));
  if (mark.from !== from) {
    throw new CopyError(
      `${to} holds an unfinished copy of ${mark.from}. Finish that one, or give an empty store.`,
    );
  }
  let copied = 0;
  let cursor = mark.cursor ?? undefined;
  while (!mark.isCopied) {
    signal.throwIfAborted();
    const portion = await source.read(cursor, recordsAtOnce);
    await target.write(portion.records);
    cursor = portion.next;
    copied += portion.records.length;
    const isCopied = cursor === undefined;
    await writeMark(target, { from, cursor: cursor ?? null, isCopied }, now());
    onProgress({ ...portion, stage: 'copying', copied });
    if (isCopied) break;
  }
  const compared = (stage: CopyProgress['stage']): DigestOptions => ({
    signal,
    keptUntil,
    leavesOut: isMark,
    onPortion: (portion) => onProgress({ ...portion, stage, copied }),
  });
  const keptUntil = now() + comparedFromMs;
  const wanted = await digest(source, compared('reading the source again'));
  const found = await digest(target, compared('reading the copy'));
  assertSame(wanted, found, options);
  await target.store.settings.write(markScope, { [markName]: null }, { setBy: from, setAt: now() });
  return found;
}

/** Whether a store is a copy that broke off: it lacks what was not copied yet. */
export async function isUnfinishedCopy(archive: Pick<Archive, 'store'>): Promise<boolean> {
  return (await readMark(archive)) !== undefined;
}

async function beginIn(target: Archive, { from, to, now }: CopyOptions): Promise<Mark> {
  if (await holdsAnything(target)) {
    throw new CopyError(
      `${to} is not empty. Give an empty store: what is there would be mixed with what comes.`,
    );
  }
  const mark = { from, cursor: null, isCopied: false };
  await writeMark(target, mark, now());
  return mark;
}

async function holdsAnything(archive: Archive): Promise<boolean> {
  for (let cursor: string | undefined; ; ) {
    const { records, next } = await archive.read(cursor, 1);
    if (records.length > 0) return true;
    if (next === undefined) return false;
    cursor = next;
  }
}

async function readMark({ store }: Pick<Archive, 'store'>): Promise<Mark | undefined> {
  const [settings] = await store.settings.read([markScope]);
  const stored = settings?.[markName];
  return stored === undefined ? undefined : markSchema.parse(stored.value);
}

async function writeMark({ store }: Archive, mark: Mark, setAt: number): Promise<void> {
  await store.settings.write(markScope, { [markName]: mark }, { setBy: mark.from, setAt });
}

function isMark(record: ArchiveRecord): boolean {
  return record.kind === 'setting' && record.scope === markScope;
}

function assertSame(wanted: Digest, found: Digest, { from, to }: CopyOptions): void {
  const kinds = [
    ...(['turn', 'message', 'shard', 'setting', 'claim', 'forgotten', 'spending'] as const),
  ];
  const differing = kinds.filter((kind) => wanted[kind].checksum !== found[kind].checksum);
  if (differing.length === 0) return;
  const said = differing.map((kind) => {
    const [there, here] = [wanted[kind].count, found[kind].count];
    return there === here ? `${kind}: ${here}, not the same` : `${kind}: ${here} of ${there}`;
  });
  throw new CopyError(
    `${to} is not the same as ${from} (${said.join('; ')}). Was the source in use? Stop what uses it, run \`store check --mend\` on it, empty ${to} and copy again.`,
  );
}
