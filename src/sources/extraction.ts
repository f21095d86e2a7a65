/**
 * Takes the text out of what is not text, in a thread of its own: whatever a stranger has put into a file
 * can take this much time and memory, and no more. One at a time, however many turns read.
 */

import { Worker } from 'node:worker_threads';
import { within } from '../waiting.ts';
import type { Extracted } from './extraction-thread.ts';
import { Unreadable } from './unreadable.ts';

const heapMegabytes = 192;
/** What is outside of the heap, e.g. what a file unpacks to. */
const maxExternalBytes = 192 * 2 ** 20;
const lookEveryMs = 20;
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
    // What the program itself was started with is not for it; nor are its secrets.
    ...{ execArgv: [], env: {}, stdout: true, stderr: true },
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 32 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Extracted>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(() => reject(new Unreadable('it takes too long to read')), maxMs);
  const watch = setInterval(async () => {
    // Of a thread that has ended there is nothing to tell.
    const { external_memory: bytes } = await thread.getHeapStatistics().catch(() => ({
      external_memory: 0,
    }));
    if (bytes > maxExternalBytes) reject(tooLarge());
  }, lookEveryMs);
  thread.once('message', resolve);
  thread.once('error', (error) => {
    const isTooLarge = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(isTooLarge ? tooLarge() : new Unreadable('it could not be read', { cause: error }));
  });
  thread.once('exit', () => reject(new Unreadable('it could not be read')));
  try {
    const extracted = await promise;
    if ('whyNot' in extracted) throw new Unreadable(extracted.whyNot);
    return extracted;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', giveUp);
    await thread.terminate();
  }
}

function tooLarge(): Unreadable {
  return new Unreadable('it unpacks to more than I can read');
}
