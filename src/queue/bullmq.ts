/**
 * The queue of many processes, in Redis: every thread has an inbox, and BullMQ hands out which inbox
 * is to be drained by one turn. `docs/fleet.md` shows the keys and what holds.
 */

import { BullmqQueue, type BullmqQueueOptions } from './bullmq/bullmq-queue.ts';
import { connect } from './bullmq/connection.ts';
import type { Queue } from './queue.ts';

export type { BullmqQueueOptions } from './bullmq/bullmq-queue.ts';

/**
 * Connects to the server; turns are run only after `start`, so that a process that never calls it
 * only adds.
 *
 * @throws What the server, or the way to it, said.
 */
export async function openBullmqQueue(options: BullmqQueueOptions): Promise<Queue> {
  return new BullmqQueue(options, await connect(options.server, false));
}
