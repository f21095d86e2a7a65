/**
 * What many processes share, in Redis. Every thread has an inbox, and BullMQ hands out which inbox is
 * to be drained by one turn; `docs/fleet.md` shows the keys and what holds.
 */

import { connect } from '../store/redis/connection.ts';
import { BullmqBackground } from './bullmq/bullmq-background.ts';
import { BullmqQueue, type BullmqQueueOptions } from './bullmq/bullmq-queue.ts';
import { Commands } from './bullmq/commands.ts';
import { RedisQuotas, RedisSemaphores } from './bullmq/redis-limits.ts';
import { RedisStopRequests } from './bullmq/redis-stop-requests.ts';
import { QueueServer } from './bullmq/server.ts';
import { ServerWatch } from './bullmq/server-watch.ts';
import type { Coordination } from './coordination.ts';

export { SilentServerError } from './bullmq/refusals.ts';

export interface SharedOptions extends Omit<BullmqQueueOptions, 'server' | 'onError'> {
  /** `redis://user:password@host:6379/0`; `rediss://…` for TLS; `redis+sentinel://…` for Sentinel. */
  readonly url: string;
  /** The server for people, without a secret. */
  readonly name: string;
  /** How long a command that no worker waits for may take, in milliseconds. Default 10,000. */
  readonly commandTimeoutMs?: number;
}

/**
 * Connects to the server. Turns are run, and background work is done, only after `start`, so that a
 * process that never calls it only adds.
 *
 * @throws What the server said, as a `StoreError` where it refuses the connection or is not reached.
 */
export async function openShared(options: SharedOptions): Promise<Coordination> {
  const { url, name, log } = options;
  const watch = new ServerWatch(name, log);
  const { onError } = watch;
  // The queue's own client does not say what sentinels, nodes and certificates keep it from; this one does.
  const way = await connect({ url });
  await way.infos().finally(() => way.close());
  const server = new QueueServer(url);
  try {
    const client = await server.connect(false, watch.listeners);
    // Permits go by the server's clock: without the right to ask for it, calls would wait for ever.
    await client.time();
    const isTold = (error: unknown) => watch.heard(error);
    const commands = new Commands(client, isTold, options.commandTimeoutMs);
    const stops = new RedisStopRequests(commands, log);
    const closing = new AbortController();
    void watch.heartbeat(commands, closing.signal);
    return {
      queue: new BullmqQueue({ ...options, server, onError }, commands),
      background: new BullmqBackground({ server, commands, log, onError }),
      stops,
      quotas: new RedisQuotas(commands),
      semaphores: new RedisSemaphores(commands, log),
      health: () => watch.health(),
      close: async () => {
        closing.abort();
        await stops.close();
        server.close();
      },
    };
  } catch (error) {
    server.close();
    throw error;
  }
}
