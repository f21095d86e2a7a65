/** The store in Redis: a server that others can look after. */

import { clockOf, type Keeping } from './redis/clock.ts';
import { type ConnectionOptions, connect } from './redis/connection.ts';
import { type Inspection, inspect } from './redis/inspection.ts';
import { storeOver } from './redis/store-over.ts';
import type { Store } from './store.ts';

export type { Inspection } from './redis/inspection.ts';

/** Where the server is, and how long it keeps what it is given. */
export interface RedisStoreOptions extends ConnectionOptions, Keeping {}

/**
 * Opens the store on a server; what it needs there makes itself at the first use.
 *
 * A verb that writes is one script: done whole or not at all, in one round trip. Verbs that are asked
 * for in one tick of the event loop travel together. What a verb has acknowledged is as safe as the
 * server keeps it: see `docs/redis.md`.
 *
 * @throws {@link StoreError} `refused` for a wrong user, password or address, `unreachable` when no
 *   server answers. Verbs throw these too, and `full` and `read_only`; nothing is stored then.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const clock = clockOf(options);
  return storeOver(await connect(options), clock);
}

/** Looks at how the server is set up, on a connection of its own. Throws as {@link openRedisStore} does. */
export async function inspectRedis(options: ConnectionOptions): Promise<Inspection> {
  const connection = await connect(options);
  try {
    return await inspect(connection);
  } finally {
    await connection.close();
  }
}
