/** Tells whether two stores hold the same, however each keeps it. */

import { createHash } from 'node:crypto';
import type { Archive, ArchiveRecord, Portion } from '../archive.ts';
import type { Json } from '../store.ts';

/** Of each kind of record, how many there are and a checksum that does not depend on their order. */
export type Digest = {
  readonly [Kind in ArchiveRecord['kind']]: { readonly count: number; readonly checksum: string };
};

export interface DigestOptions {
  readonly signal: AbortSignal;
  /** What expires before is left out (ms since 1970): it may be gone from one of the two by then. */
  readonly keptUntil: number;
  /** Says of a record that it does not belong to what is compared. */
  readonly leavesOut: (record: ArchiveRecord) => boolean;
  readonly onPortion: (portion: Portion) => void;
}

const recordsAtOnce = 500;
const modulus = 2n ** 256n;

export async function digest(archive: Archive, options: DigestOptions): Promise<Digest> {
  const { signal, keptUntil, leavesOut, onPortion } = options;
  const tallies = {
    turn: new Tally(),
    message: new Tally(),
    shard: new Tally(),
    setting: new Tally(),
    claim: new Tally(),
    forgotten: new Tally(),
    spending: new Tally(),
  };
  // A server may name a key twice while it goes through them all.
  const settings = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    signal.throwIfAborted();
    const portion = await archive.read(cursor, recordsAtOnce);
    for (const record of portion.records) {
      if (
        leavesOut(record) ||
        ('expiresAt' in record && (record.expiresAt ?? keptUntil) < keptUntil)
      ) {
        continue;
      }
      if (record.kind === 'setting') {
        const name = JSON.stringify([record.scope, record.name]);
        if (settings.has(name)) continue;
        settings.add(name);
      }
      tallies[record.kind].add(record);
    }
    onPortion(portion);
    cursor = portion.next;
    if (cursor === undefined) break;
  }
  return tallies;
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
