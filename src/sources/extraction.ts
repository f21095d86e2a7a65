/**
 * Extracts text from PDFs and web pages in a worker thread, which limits the time and memory that a hostile
 * file can take. Runs one extraction at a time across all turns.
 */

import { Worker } from 'node:worker_threads';
import { within } from '../waiting.ts';
import type { Extracted } from './extraction-thread.ts';
import { Unreadable } from './file-content.ts';

const heapMegabytes = 192;
/** The limit outside the heap, e.g. for unpacked data. */
const maxExternalBytes = 192 * 2 ** 20;
const memoryCheckMs = 20;
const maxMs = 8000;

let last: Promise<unknown> = Promise.resolve();

/**
 * @param data - A PDF, or the text of a web page.
 * @throws {Unreadable}; the signal's reason.
 */
export function extractText(
  data: Uint8Array | string,
  maxChars: number,
  signal: AbortSignal,
): Promise<Exclude<Extracted, { whyNot: string }>> {
  const next = last.then(() => extract(data, maxChars, signal));
  last = next.catch(() => undefined);
  return within(next, { signal });
}

async function extract(data: Uint8Array | string, maxChars: number, signal: AbortSignal) {
  signal.throwIfAborted();
  const thread = new Worker(new URL('./extraction-thread.ts', import.meta.url), {
    workerData: { data, maxChars },
    // The thread gets neither the program's flags nor its secrets.
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 32 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Extracted>();
  const watch = setInterval(async () => {
    // Fails if the thread has already ended.
    const { external_memory: bytes } = await thread.getHeapStatistics().catch(() => ({
      external_memory: 0,
    }));
    if (bytes > maxExternalBytes) reject(tooLarge());
  }, memoryCheckMs);
  thread.once('message', resolve);
  thread.once('error', (error) => {
    const isTooLarge = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(isTooLarge ? tooLarge() : new Unreadable('it could not be read', { cause: error }));
  });
  thread.once('exit', () => reject(new Unreadable('it could not be read')));
  try {
    const late = () => new Unreadable('it takes too long to read');
    const extracted = await within(promise, { ms: maxMs, signal, late });
    if ('whyNot' in extracted) throw new Unreadable(extracted.whyNot);
    return extracted;
  } finally {
    clearInterval(watch);
    await thread.terminate();
  }
}

function tooLarge(): Unreadable {
  return new Unreadable('it unpacks to more than I can read');
}
