/** Tells whether two stores hold the same, however each keeps it. */

import { createHash } from 'node:crypto';
import type { Archive, ArchiveRecord } from '../archive.ts';
import type { Json } from '../store.ts';

const kinds = ['turn', 'message', 'shard', 'setting', 'claim', 'forgotten', 'spending'] as const;

/** Of each kind of record, how many there are and a checksum that does not depend on their order. */
export type Digest = {
  readonly [Kind in (typeof kinds)[number]]: { readonly count: number; readonly checksum: string };
};

export interface DigestOptions {
  readonly signal: AbortSignal;
  /** What expires before is left out (ms since 1970): it may be gone from one of the two by then. */
  readonly keptUntil: number;
  /** Says of a record that it does not belong to what is compared. */
  readonly leavesOut?: (record: ArchiveRecord) => boolean;
  /** `share`: how much of the store has been read, from 0 to 1. */
  readonly onProgress: (progress: { readonly share: number; readonly records: number }) => void;
}

const recordsAtOnce = 500;
const modulus = 2n ** 256n;

export async function digest(archive: Archive, options: DigestOptions): Promise<Digest> {
  const { signal, keptUntil, leavesOut = () => false, onProgress } = options;
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
  for await (const portion of archive.read(recordsAtOnce)) {
    signal.throwIfAborted();
    for (const record of portion.records) {
      const expires = 'expiresAt' in record ? record.expiresAt : undefined;
      if (leavesOut(record) || (expires !== undefined && expires < keptUntil)) continue;
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
export function differing(wanted: Digest, found: Digest): readonly string[] {
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

  add(record: ArchiveRecord): void {
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
function canonical(record: ArchiveRecord): string {
  return JSON.stringify(record, (_name, value: Json | Int8Array) => {
    if (value instanceof Int8Array) return [...value];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
