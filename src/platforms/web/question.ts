/** A question as it is asked over the web: what may be wished for it, and the files that came with it. */

import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { askOptions, wishedDepths } from '../../domain/asking.ts';
import { type OpenedFile, type PointedSource, plainName } from '../../domain/source.ts';
import type { Sage } from '../../domain/turn.ts';
import type { Suggestion } from '../platform.ts';

/** Last part of the id of a conversation. */
export const threadForm = /^[\w.-]{1,64}$/;

export const threadName = z
  .string()
  .regex(threadForm)
  .describe('Name of a conversation: letters, digits, dots, dashes and underscores');

/** What programs ask with, in JSON. */
export const questionShape = {
  question: z.string().describe('What to think about, with all that must be known for it'),
  thread: threadName
    .exactOptional()
    .describe('Conversation to go on with, as an earlier answer names it; absent: a new one'),
  depth: z
    .enum(wishedDepths)
    .exactOptional()
    .describe(askOptions.shape.depth.description ?? ''),
  sages: z
    .array(z.string())
    .min(1)
    .exactOptional()
    .describe('Keys of the sages to seat; one alone speaks without a verdict'),
  preset: z
    .string()
    .exactOptional()
    .describe(askOptions.shape.preset.description ?? ''),
};

/** What can be chosen for a question in a workspace. */
export interface Offered {
  /** At most 25. */
  readonly presets: readonly Suggestion[];
  readonly sages: readonly Sage[];
}

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
