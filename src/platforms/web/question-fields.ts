/** What callers send: the fields of questions, their choices and files, and messages to remember. */

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { askOptions, wishedDepths } from '../../domain/asking.ts';
import { type OpenedFile, plainName, type Source } from '../../domain/source.ts';
import type { Sage } from '../../domain/turn.ts';
import type { Suggestion } from '../platform.ts';

/** The last part of a conversation's thread id. */
export const threadForm = /^[\w.-]{1,64}$/;

export const threadName = z
  .string()
  .regex(threadForm)
  .describe('Name of a conversation: letters, digits, dots, dashes and underscores');

/** The JSON fields of a question. */
export const questionShape = {
  question: z.string().describe('The question, with everything needed to answer it'),
  thread: threadName
    .exactOptional()
    .describe('The conversation to continue, as named by an earlier answer; absent: a new one'),
  depth: z
    .enum(wishedDepths)
    .exactOptional()
    .describe(askOptions.shape.depth.description ?? ''),
  sages: z
    .array(z.string())
    .min(1)
    .max(100)
    .exactOptional()
    .describe('Names or keys of the sages to seat; a single sage answers without a verdict'),
  preset: z
    .string()
    .exactOptional()
    .describe('Name of a saved council; list_sages and GET /v1/models list them'),
};

/** A message from elsewhere, to be remembered. */
export const ingestedMessage = z.strictObject({
  id: z
    .string()
    .min(1)
    .max(200)
    .describe('Unique in its conversation: a repeated message is stored once'),
  thread: threadName,
  author: z.string().min(1).max(200),
  text: z.string().min(1).max(20_000),
  at: z.int().min(0).max(8_640_000_000_000_000).describe('Milliseconds since 1970'),
});
export type IngestedMessage = z.infer<typeof ingestedMessage>;
/** `isPrivate`: its conversation is; no other one recalls it. */
export type PlacedMessage = IngestedMessage & { readonly isPrivate: boolean };

/** How many messages were added. */
export const ingested = z.object({
  added: z.number(),
  known: z.number().describe('Were stored already'),
  expired: z.number().describe('Too old to be kept, and skipped'),
});
export type Ingested = z.infer<typeof ingested>;

/** A summary of a conversation. */
export const listedThread = z.object({
  thread: threadName,
  title: z.string().describe('Its first stored question'),
  askedAt: z.number().describe('When its latest question was asked, in milliseconds since 1970'),
  turnIds: z.array(z.string()).describe('Newest first'),
});
export type WebThread = Readonly<z.infer<typeof listedThread>>;

/** The choices for a question in a workspace. */
export interface Offered {
  readonly presets: readonly Suggestion[];
  readonly sages: readonly Sage[];
}

/** Total size of all files in bytes; the least recently used are dropped. */
const mostBytes = 256_000_000;
/** A turn reads its files when it begins. If it is queued for longer, it goes without them. */
const keptMs = 3_600_000;

const dataUrlPattern = /^data:[^,]{0,200}?(;base64)?,/i;
const base64Pattern = /^[\w+/-]+={0,2}$/;

/** Files sent with questions, kept in memory until their turn reads them. */
export class Uploads {
  readonly #kept = new LRUCache<string, Uint8Array>({
    maxSize: mostBytes,
    sizeCalculation: ({ byteLength }) => Math.max(1, byteLength),
    ttl: keptMs,
  });

  /** Keeps the content of a `data:` URL, or plain base64. A web address is a page to read; anything else can't be read. */
  keep(sent: string, address: string): Source {
    const name = plainName(sent, 'file');
    const bytes = bytesIn(address);
    if (bytes) {
      const id = randomUUID();
      this.#kept.set(id, bytes);
      return { status: 'pointed', kind: 'file', name, address: id };
    }
    const url = URL.parse(address);
    return url && /^https?:$/.test(url.protocol)
      ? { status: 'pointed', kind: 'page', name, address: url.href }
      : { status: 'unread', kind: 'file', name, why: 'its content was not sent' };
  }

  /** Opens a file by the address from {@link keep}. */
  open(address: string): OpenedFile {
    const bytes = this.#kept.get(address);
    if (!bytes) return { status: 'withheld', why: 'it is no longer available; send it again' };
    return { status: 'open', stream: Readable.from([bytes]) };
  }
}

/** The content of a `data:` URL or of plain base64; `undefined` for anything else. */
function bytesIn(address: string): Uint8Array | undefined {
  const [head = '', base64 = base64Pattern.test(address)] = dataUrlPattern.exec(address) ?? [];
  if (head === '' && !base64) return undefined;
  const body = address.slice(head.length);
  try {
    return base64 ? Buffer.from(body, 'base64') : Buffer.from(decodeURIComponent(body));
  } catch {
    return undefined;
  }
}
