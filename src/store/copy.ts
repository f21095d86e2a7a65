/**
 * A store as a whole, for moving it elsewhere: copied into an empty one of whatever kind, and told by a
 * digest of both whether all has arrived. What a running bot changes meanwhile may be missed.
 */

import { createHash } from 'node:crypto';
import type {
  Json,
  Message,
  Shard,
  Store,
  StoredSetting,
  StoredVector,
  TurnRecord,
} from './store.ts';

/** A turn without its messages, which are records of their own. */
export interface DumpedTurn extends Omit<TurnRecord, 'messages'> {
  readonly eventId: string;
}

/** How something that is complete is remembered. */
export interface Standing {
  /** Numbers what was completed or has changed in a workspace, from 1 on. */
  readonly change: number;
  /** Everybody of the workspace may read it. */
  readonly isOpen: boolean;
  /** Its channel is private now. */
  readonly isChannelPrivate: boolean;
}

/** What is known of a message or shard beside itself. */
interface Remembered {
  /** Absent for what is pending, and for what so much came after that it is no longer remembered. */
  readonly standing?: Standing;
  readonly vector?: StoredVector;
}

/** One thing that is stored; none refers to one that is read after it. */
export type DumpRecord =
  /** `rank` counts from 0 in the thread's order, that of the turns; so it does for messages. */
  | { readonly kind: 'turn'; readonly rank: number; readonly turn: DumpedTurn }
  | ({
      readonly kind: 'message';
      readonly rank: number;
      readonly message: Message;
      /** It came from elsewhere; its turn, if it names one, was never here. */
      readonly isImported: boolean;
      /** The shard that it is part of. */
      readonly shardId?: string;
    } & Remembered)
  | ({ readonly kind: 'shard'; readonly shard: Shard } & Remembered)
  | {
      readonly kind: 'setting';
      readonly scope: string;
      readonly name: string;
      readonly setting: StoredSetting;
      /** Milliseconds since 1970; so it is below. */
      readonly expiresAt?: number;
    }
  | { readonly kind: 'claim'; readonly key: string; readonly expiresAt: number }
  /** The event of a turn that was forgotten: it makes no other. */
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

/** Some of what is stored. */
export interface Portion {
  readonly records: readonly DumpRecord[];
  /** How much of the store has been read with it, from 0 to 1. */
  readonly share: number;
}

/** A store whose records can be read and written as they are. */
export interface Dump {
  readonly store: Store;
  /**
   * Reads everything, whatever its age; claims and settings that have expired are left out. A setting
   * may come twice.
   *
   * @param limit - About how many records are read at once.
   */
  read(limit: number): AsyncIterable<Portion>;
  /**
   * Stores records as they are. Those of one source are given in the order in which they were read
   * there; one that was stored before stays.
   */
  write(records: readonly DumpRecord[]): Promise<void>;
}

/** The copy can't be made, or is not what it should be. The message is for the operator. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** How far it is. */
interface CopyProgress {
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
export async function copyStore(source: Dump, target: Dump, options: CopyOptions): Promise<Digest> {
  const { from, signal, onProgress, now } = options;
  if (await isUnfinishedCopy(source)) {
    throw new CopyError(`${from} is itself an unfinished copy. Finish that one first.`);
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
  const digestOf = (dump: Dump, stage: CopyProgress['stage']) =>
    digest(dump, {
      ...{ signal, keptUntil },
      onProgress: (progress) => onProgress({ stage, ...progress }),
    });
  const wanted = await digestOf(source, 'reading the source again');
  const found = await digestOf(target, 'reading the copy');
  assertSame(wanted, found, options);
  await target.store.settings.write(markScope, { [markName]: null }, { setBy: from, setAt: now() });
  return found;
}

/** Whether a store is a copy that broke off: it lacks what was not copied yet. */
export async function isUnfinishedCopy(dump: Pick<Dump, 'store'>): Promise<boolean> {
  return (await sourceOf(dump)) !== undefined;
}

/** Marks an empty target as a copy that is not whole yet; one that broke off has its mark. */
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

function isMark(record: DumpRecord): boolean {
  return record.kind === 'setting' && record.scope === markScope;
}

function assertSame(wanted: Digest, found: Digest, { from, to }: CopyOptions): void {
  const said = differing(wanted, found);
  if (said.length === 0) return;
  throw new CopyError(
    `${to} is not the same as ${from} (${said.join('; ')}). Was the source in use? Stop what uses it, empty ${to} and copy again.`,
  );
}

const kinds = ['turn', 'message', 'shard', 'setting', 'claim', 'forgotten', 'spending'] as const;

/** Of each kind of record, how many there are and a checksum that does not depend on their order. */
export type Digest = {
  readonly [Kind in (typeof kinds)[number]]: { readonly count: number; readonly checksum: string };
};

interface DigestOptions {
  readonly signal: AbortSignal;
  /** What expires before is left out (ms since 1970): it may be gone from one of the two by then. */
  readonly keptUntil: number;
  /** `share`: how much of the store has been read, from 0 to 1. */
  readonly onProgress: (progress: { readonly share: number; readonly records: number }) => void;
}

const modulus = 2n ** 256n;

export async function digest(dump: Dump, options: DigestOptions): Promise<Digest> {
  const { signal, keptUntil, onProgress } = options;
  const tallies = {
    turn: new Tally(),
    message: new Tally(),
    shard: new Tally(),
    setting: new Tally(),
    claim: new Tally(),
    forgotten: new Tally(),
    spending: new Tally(),
  };
  const settings = new Set<string>();
  let records = 0;
  for await (const portion of dump.read(recordsAtOnce)) {
    signal.throwIfAborted();
    for (const record of portion.records) {
      const expires = 'expiresAt' in record ? record.expiresAt : undefined;
      if (isMark(record) || (expires !== undefined && expires < keptUntil)) continue;
      if (record.kind === 'setting') {
        const name = JSON.stringify([record.scope, record.name]);
        if (settings.has(name)) continue;
        settings.add(name);
      }
      tallies[record.kind].add(record);
    }
    records += portion.records.length;
    onProgress({ share: portion.share, records });
  }
  return tallies;
}

/** In which kinds two digests differ, e.g. `message: 17 of 18`. */
function differing(wanted: Digest, found: Digest): readonly string[] {
  return kinds
    .filter((kind) => wanted[kind].checksum !== found[kind].checksum)
    .map((kind) => {
      const [there, here] = [wanted[kind].count, found[kind].count];
      return there === here ? `${kind}: ${here}, not the same` : `${kind}: ${here} of ${there}`;
    });
}

/** Counts records, and sums up their hashes. */
class Tally {
  #count = 0;
  #sum = 0n;

  add(record: DumpRecord): void {
    this.#count += 1;
    const hash = createHash('sha256').update(canonical(record)).digest('hex');
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % modulus;
  }

  get count(): number {
    return this.#count;
  }

  get checksum(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}

/** The same text for the same record, in whatever order its fields are. */
function canonical(record: DumpRecord): string {
  return JSON.stringify(record, (_name, value: Json | Int8Array) => {
    if (value instanceof Int8Array) return [...value];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
