/** The store in Redis as a whole, for moving it elsewhere. */

import type { Archive } from './archive.ts';
import { archiveReader } from './redis/archive/reader.ts';
import { archiveWriter } from './redis/archive/writer.ts';
import { type Clock, type Commands, clockOf } from './redis/commands.ts';
import { type ConnectionOptions, connect } from './redis/connection.ts';
import { storeOver } from './redis/store-over.ts';
import { workspacesOf } from './redis/workspaces.ts';
import { type RestOptions, rest } from './upstash.ts';

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

/** The store over a server as a whole, however that is reached. */
function archiveOver(commands: Commands, clock: Clock): Archive {
  const store = storeOver(commands, clock);
  const workspaces = workspacesOf(commands);
  return {
    store,
    read: archiveReader(commands, workspaces, clock),
    write: archiveWriter(commands, workspaces, store.settings, clock),
  };
}
