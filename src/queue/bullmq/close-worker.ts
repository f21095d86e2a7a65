import type { Worker } from 'bullmq';
import type { Client } from './connection.ts';

/** How much longer than the grace a server that is away is waited for, in milliseconds. */
const closeMs = 3000;

/**
 * Lets a worker take nothing more, waits for what runs, and closes its connections.
 *
 * @param client - The worker's own.
 * @param abort - Aborts what still runs after `graceMs`. What a server that is away can't be told by
 *   then is taken over when its lock expires.
 */
export async function closeWorker(
  worker: Pick<Worker, 'close'>,
  client: Client,
  graceMs: number,
  abort: () => void,
): Promise<void> {
  const closed = worker.close();
  const { promise: tooLate, resolve } = Promise.withResolvers<void>();
  const timers = [setTimeout(abort, graceMs), setTimeout(resolve, graceMs + closeMs)];
  await Promise.race([closed, tooLate]);
  for (const timer of timers) clearTimeout(timer);
  client.destroy();
}
