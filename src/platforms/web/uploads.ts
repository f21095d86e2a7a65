/** Files that came with a question, until its turn has read them: kept in memory, and never in the store. */

import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type OpenedFile, type PointedSource, plainName } from '../../domain/source.ts';

/** Of all files together, in bytes; the oldest make room. */
const mostBytes = 256_000_000;
/** A turn reads its files when it begins. One that waits longer in a queue does without. */
const keptMs = 3_600_000;

const dataForm = /^data:[^,]{0,200}?(;base64)?,/i;

export class Uploads {
  readonly #kept = new LRUCache<string, Uint8Array>({
    maxSize: mostBytes,
    sizeCalculation: ({ byteLength }) => Math.max(1, byteLength),
    ttl: keptMs,
  });

  /** Keeps what a `data:` address holds. Nothing: it is none, or can't be read. */
  keep(name: string, address: string): PointedSource | undefined {
    const [head, base64] = dataForm.exec(address) ?? [];
    if (head === undefined) return undefined;
    const id = randomUUID();
    const body = address.slice(head.length);
    try {
      const bytes = base64 ? Buffer.from(body, 'base64') : Buffer.from(decodeURIComponent(body));
      this.#kept.set(id, bytes);
    } catch {
      return undefined;
    }
    return { status: 'pointed', kind: 'file', name: plainName(name, 'file'), address: id };
  }

  /** Opens a file by the address that {@link keep} gave it. */
  open(address: string): OpenedFile {
    const bytes = this.#kept.get(address);
    if (!bytes) return { status: 'withheld', why: 'it is not there any more; send it again' };
    return { status: 'open', stream: once(bytes) };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
