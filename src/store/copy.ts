/**
 * Copies a whole store into an empty one of any kind and verifies it by a digest of both. Changes made by a
 * running bot meanwhile may be missed.
 */

import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { KeptSetting } from './checks.ts';
import type { Json, Message, Shard, Store, StoredVector, TurnRecord } from './store.ts';

/** A turn without its messages, which are separate records. */
interface DumpedTurn extends Omit<TurnRecord, 'messages'> {
  readonly eventId: string;
}

/** The entry of a complete message or a shard in the long-term memory. */
export interface MemoryEntry {
  /** Numbers the changes in a workspace, from 1. */
  readonly change: number;
  /** Whether the whole workspace may read it. */
  readonly isOpen: boolean;
  /** Whether its channel is private now. */
  readonly isChannelPrivate: boolean;
}

/** The memory of a message or shard. */
export interface Remembered {
  /** Absent for pending messages, and for records pushed out of the memory by newer ones. */
  readonly memory?: MemoryEntry;
  readonly vector?: StoredVector;
}

/** A stored record. No record refers to one that is read after it. */
export type DumpRecord =
  /** `rank` counts from 0 in the thread's order, separately for turns and messages. */
  | { readonly kind: 'turn'; readonly rank: number; readonly turn: DumpedTurn }
  | ({
      readonly kind: 'message';
      readonly rank: number;
      readonly message: Message;
      /** Whether it came from elsewhere. The turn it names, if any, was never here. */
      readonly isImported: boolean;
      /** The shard that includes it. */
      readonly shardId?: string;
    } & Remembered)
  | ({ readonly kind: 'shard'; readonly shard: Shard } & Remembered)
  | ({ readonly kind: 'setting' } & KeptSetting)
  | { readonly kind: 'claim'; readonly key: string; readonly expiresAt: number }
  /** The event of a forgotten turn, which must not start another. */
  | {
      readonly kind: 'forgotten';
      readonly workspace: string;
      readonly eventId: string;
      readonly expiresAt: number;
    }
  | {
      readonly kind: 'spending';
      readonly scope: string;
      /** Days since 1970 in UTC. */
      readonly day: number;
      readonly costUsd: number;
    };

/** A page of records. */
interface Portion {
  readonly records: readonly DumpRecord[];
  /** How much of the store has been read so far, from 0 to 1. */
  readonly share: number;
}

/** A store whose records can be read and written unchanged. */
export interface Dump {
  readonly store: Store;
  /**
   * Reads all records of any age, except expired claims, settings and events.
   *
   * @param limit - About how many records to read at once.
   */
  read(limit: number): AsyncIterable<Portion>;
  /** Stores records unchanged, in the order they were read from their source. Known records stay. */
  write(records: readonly DumpRecord[]): Promise<void>;
}

/** Returns a function that counts the records of each group from 0. All of a group come after each other. */
export function rankCounter(): (group: string) => number {
  let last: string | undefined;
  let rank = 0;
  return (group) => {
    rank = group === last ? rank + 1 : 0;
    last = group;
    return rank;
  };
}

/** The copy can't be made, or differs from its source. The message is for the operator. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

interface CopyProgress {
  readonly stage: 'copying' | 'reading' | 'reading the source again' | 'reading the copy';
  /** From 0 to 1. */
  readonly share: number;
  /** How many records the stage has processed. */
  readonly records: number;
}

export interface CopyOptions {
  /** The source's name, without secrets. An interrupted copy can only be continued from the same source. */
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A setting in this scope marks an unfinished copy, with the name of its source. */
const markScope = 'store copy';
const markName = 'from';

const recordsAtOnce = 100;
/** Records that expire sooner are copied but not compared, in milliseconds. */
const comparedFromMs = 86_400_000;

/**
 * Copies everything, then reads both stores and compares counts and checksums. The source isn't changed. If
 * interrupted, repeat the same call to complete the copy.
 *
 * @returns The digest of both.
 * @throws {@link CopyError} if the target contains anything else, or the copy differs; the stores' errors;
 *   the signal's reason.
 */
export async function copyStore(source: Dump, target: Dump, options: CopyOptions): Promise<Digest> {
  const { from, now } = options;
  if (await isUnfinishedCopy(source)) {
    throw new CopyError(`${from} is itself an unfinished copy. Finish that one first.`);
  }
  await begin(target, options);
  await readAll(source, 'copying', options, (records) => target.write(records));
  const keptUntil = now() + comparedFromMs;
  const wanted = await digest(source, 'reading the source again', { ...options, keptUntil });
  const found = await digest(target, 'reading the copy', { ...options, keptUntil });
  assertSame(wanted, found, options);
  await target.store.settings.write(markScope, { [markName]: null }, { setBy: from, setAt: now() });
  return found;
}

/** Reads all records, a page at a time. */
async function readAll(
  dump: Dump,
  stage: CopyProgress['stage'],
  { signal, onProgress }: Pick<CopyOptions, 'signal' | 'onProgress'>,
  use: (records: readonly DumpRecord[]) => unknown,
): Promise<void> {
  let records = 0;
  for await (const portion of dump.read(recordsAtOnce)) {
    signal.throwIfAborted();
    await use(portion.records);
    records += portion.records.length;
    onProgress({ stage, share: portion.share, records });
    // A file answers at once, so no signal would arrive before its end.
    await breathe();
  }
}

/** Whether a store is an interrupted, incomplete copy. */
export async function isUnfinishedCopy(dump: Pick<Dump, 'store'>): Promise<boolean> {
  return (await sourceOf(dump)) !== undefined;
}

/** Marks an empty target as an unfinished copy; an interrupted one has its mark already. */
async function begin(target: Dump, { from, to, now }: CopyOptions): Promise<void> {
  const source = await sourceOf(target);
  if (source === from) return;
  if (source !== undefined) {
    throw new CopyError(
      `${to} holds an unfinished copy of ${source}. Finish that one, or use an empty store.`,
    );
  }
  for await (const { records } of target.read(1)) {
    if (records.length === 0) continue;
    throw new CopyError(
      `${to} is not empty. Use an empty store: otherwise the records would be mixed.`,
    );
  }
  await target.store.settings.write(markScope, { [markName]: from }, { setBy: from, setAt: now() });
}

async function sourceOf({ store }: Pick<Dump, 'store'>): Promise<Json | undefined> {
  const [settings] = await store.settings.read([markScope]);
  return settings?.[markName]?.value;
}

const kinds = ['turn', 'message', 'shard', 'setting', 'claim', 'forgotten', 'spending'] as const;

/** For each kind of record, the number of records and a checksum that doesn't depend on their order. */
export type Digest = Readonly<Record<DumpRecord['kind'], Pick<Tally, 'count' | 'checksum'>>>;

interface DigestOptions extends Pick<CopyOptions, 'signal' | 'onProgress'> {
  /** Omits records that expire before this time (ms since 1970): one store may have deleted them already. */
  readonly keptUntil: number;
}

export async function digest(
  dump: Dump,
  stage: CopyProgress['stage'],
  options: DigestOptions,
): Promise<Digest> {
  const tallies = {
    turn: new Tally(),
    message: new Tally(),
    shard: new Tally(),
    setting: new Tally(),
    claim: new Tally(),
    forgotten: new Tally(),
    spending: new Tally(),
  };

  function add(record: DumpRecord): void {
    const expires = 'expiresAt' in record ? record.expiresAt : undefined;
    const isMark = record.kind === 'setting' && record.scope === markScope;
    if (isMark || (expires !== undefined && expires < options.keptUntil)) return;
    tallies[record.kind].add(record);
  }

  await readAll(dump, stage, options, (records) => records.forEach(add));
  return tallies;
}

function assertSame(wanted: Digest, found: Digest, { from, to }: CopyOptions): void {
  const differences = kinds
    .filter((kind) => wanted[kind].checksum !== found[kind].checksum)
    .map((kind) => {
      const [there, here] = [wanted[kind].count, found[kind].count];
      return there === here ? `${kind}: ${here}, not the same` : `${kind}: ${here} of ${there}`;
    });
  if (differences.length === 0) return;
  throw new CopyError(
    `${to} is not the same as ${from} (${differences.join('; ')}). Was the source in use? Stop what uses it, empty ${to} and copy again.`,
  );
}

/** Counts records and sums their hashes. */
class Tally {
  count = 0;
  #sum = 0n;

  add(record: DumpRecord): void {
    this.count += 1;
    const hash = createHash('sha256').update(canonical(record)).digest('hex');
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash}`));
  }

  get checksum(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}

/** JSON that doesn't depend on the order of fields. Of memory entries, stores hold more or fewer. */
function canonical(record: DumpRecord): string {
  return JSON.stringify({ ...record, memory: undefined }, (_name, value: Json | Int8Array) => {
    if (value instanceof Int8Array) return [...value];
    // SQLite replaces half a character, e.g. of a name that was cut.
    if (typeof value === 'string') return value.toWellFormed();
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
