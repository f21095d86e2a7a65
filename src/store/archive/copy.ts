/** Copies a store into an empty one of whatever kind, and looks whether all has arrived. */

import type { Archive, ArchiveRecord } from '../archive.ts';
import type { Json } from '../store.ts';
import { type Digest, differing, digest } from './digest.ts';

/** The copy can't be made, or is not what it should be. The message is for the operator. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** How far it is. */
export interface CopyProgress {
  readonly stage: 'copying' | 'reading the source again' | 'reading the copy';
  /** From 0 to 1. */
  readonly share: number;
  /** How many records the stage has gone through. */
  readonly records: number;
}

export interface CopyOptions {
  /** Names the source, without a secret: a copy that broke off is made again from the same one. */
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** An unfinished copy is marked, in the copy itself, by a setting of this scope: the name of its source. */
const markScope = 'store copy';
const markName = 'from';

const recordsAtOnce = 500;
/** What expires sooner is copied, but not compared. */
const comparedFromMs = 86_400_000;

/**
 * Copies everything, then reads both and compares counts and checksums. The source stays as it is. When
 * it breaks off, at whatever moment, the same call again makes it whole.
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
  const { from, signal, onProgress, now } = options;
  if (await isUnfinishedCopy(source)) {
    throw new CopyError(`${from} is itself a copy that broke off. Finish that one first.`);
  }
  await begin(target, options);
  let records = 0;
  for await (const portion of source.read(recordsAtOnce)) {
    signal.throwIfAborted();
    await target.write(portion.records);
    records += portion.records.length;
    onProgress({ stage: 'copying', share: portion.share, records });
  }
  const keptUntil = now() + comparedFromMs;
  const digestOf = (archive: Archive, stage: CopyProgress['stage']) =>
    digest(archive, {
      ...{ signal, keptUntil, leavesOut: isMark },
      onProgress: (progress) => onProgress({ stage, ...progress }),
    });
  const wanted = await digestOf(source, 'reading the source again');
  const found = await digestOf(target, 'reading the copy');
  assertSame(wanted, found, options);
  await target.store.settings.write(markScope, { [markName]: null }, { setBy: from, setAt: now() });
  return found;
}

/** Whether a store is a copy that broke off: it lacks what was not copied yet. */
export async function isUnfinishedCopy(archive: Pick<Archive, 'store'>): Promise<boolean> {
  return (await sourceOf(archive)) !== undefined;
}

/** Marks an empty target as a copy that is not whole yet; one that broke off has its mark. */
async function begin(target: Archive, { from, to, now }: CopyOptions): Promise<void> {
  const source = await sourceOf(target);
  if (source === from) return;
  if (source !== undefined) {
    throw new CopyError(
      `${to} holds an unfinished copy of ${source}. Finish that one, or give an empty store.`,
    );
  }
  for await (const { records } of target.read(1)) {
    if (records.length === 0) continue;
    throw new CopyError(
      `${to} is not empty. Give an empty store: what is there would be mixed with what comes.`,
    );
  }
  await target.store.settings.write(markScope, { [markName]: from }, { setBy: from, setAt: now() });
}

async function sourceOf({ store }: Pick<Archive, 'store'>): Promise<Json | undefined> {
  const [settings] = await store.settings.read([markScope]);
  return settings?.[markName]?.value;
}

function isMark(record: ArchiveRecord): boolean {
  return record.kind === 'setting' && record.scope === markScope;
}

function assertSame(wanted: Digest, found: Digest, { from, to }: CopyOptions): void {
  const said = differing(wanted, found);
  if (said.length === 0) return;
  throw new CopyError(
    `${to} is not the same as ${from} (${said.join('; ')}). Was the source in use? Stop what uses it, empty ${to} and copy again.`,
  );
}
