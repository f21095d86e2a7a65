/** The store in Redis as a whole, for maintenance. */

import type { Archive } from './archive.ts';
import { archiveOver } from './redis/archive/archive-over.ts';
import { clockOf } from './redis/clock.ts';
import { type ConnectionOptions, connect } from './redis/connection.ts';
import { type RestOptions, rest } from './redis/rest.ts';

/** The clock, in milliseconds since 1970. Default `Date.now`. */
interface Timed {
  readonly now?: () => number;
}

/** Throws as `openRedisStore` does. */
export async function openRedisArchive(options: ConnectionOptions & Timed): Promise<Archive> {
  const { now } = options;
  return archiveOver(await connect(options), clockOf(now === undefined ? {} : { now }));
}

/** Throws as `openUpstashStore` does. */
export function openUpstashArchive(options: RestOptions & Timed): Archive {
  const { now } = options;
  return archiveOver(rest(options), clockOf(now === undefined ? {} : { now }));
}
