/**
 * What many processes share, in Redis. Every thread has an inbox, and BullMQ hands out which inbox is
 * to be drained by one turn; `docs/fleet.md` shows the keys and what holds.
 */

import { BullmqBackground } from './bullmq/bullmq-background.ts';
import { BullmqQueue, type BullmqQueueOptions } from './bullmq/bullmq-queue.ts';
import { type Client, connect, type ServerOptions } from './bullmq/connection.ts';
import { RedisQuotas } from './bullmq/redis-quotas.ts';
import { RedisStopRequests } from './bullmq/redis-stop-requests.ts';
import { ServerWatch } from './bullmq/server-watch.ts';
import type { Coordination } from './coordination.ts';
import type { QueueLog } from './queue-log.ts';

export interface SharedOptions extends Omit<BullmqQueueOptions, 'server' | 'onError'> {
  /** `redis://user:password@host:6379/0`; `rediss://…` for TLS. */
  readonly url: string;
  /** The server for people, without a secret. */
  readonly name: string;
}

/**
 * Connects to the server. Turns are run, and background work is done, only after `start`, so that a
 * process that never calls it only adds.
 *
 * @throws What the server, or the way to it, said.
 */
export async function openShared(options: SharedOptions): Promise<Coordination> {
  const { url, name, log } = options;
  const watch = new ServerWatch(name, log);
  const { onError } = watch;
  const server = { url };
  const client = await connect({ url, ...watch.listeners }, false);
  const stops = await openStops(client, server, log).catch((error: unknown) => {
    client.destroy();
    throw error;
  });
  return {
    queue: new BullmqQueue({ ...options, server, onError }, client),
    background: new BullmqBackground({ server, client, log, onError }),
    stops,
    quotas: new RedisQuotas(client),
    health: () => watch.health(),
    close: async () => {
      await stops.close();
      client.destroy();
    },
  };
}

async function openStops(
  client: Client,
  server: ServerOptions,
  log: QueueLog,
): Promise<RedisStopRequests> {
  const subscriber = await connect(server, true);
  return RedisStopRequests.open(client, subscriber, log).catch((error: unknown) => {
    subscriber.destroy();
    throw error;
  });
}
