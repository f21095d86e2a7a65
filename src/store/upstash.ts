/** The store in a Redis at Upstash, reached over HTTP: for one bot process with no server to run. */

import { clockOf, type Keeping } from './redis/clock.ts';
import { type RestOptions, rest } from './redis/rest.ts';
import { storeOver } from './redis/store-over.ts';
import type { Store } from './store.ts';

/** Where the database is, and how long it keeps what it is given. */
export interface UpstashStoreOptions extends RestOptions, Keeping {}

/**
 * Opens the store; nothing is sent before the first verb. It is the store of `redis.ts` in every
 * respect, with the same keys: a database may be used by either.
 *
 * @throws {@link StoreError} `refused` for an address that is none. Verbs throw it for a wrong token,
 *   and `unreachable`, `full` and `read_only` as there.
 */
export function openUpstashStore(options: UpstashStoreOptions): Store {
  return storeOver(rest(options), clockOf(options));
}
