/** The store in Redis as a whole, for maintenance. */

import { z } from 'zod';
import type { Archive, Orphan } from './archive.ts';
import { archiveReader } from './redis/archive/reader.ts';
import { archiveWriter } from './redis/archive/writer.ts';
import { type Clock, type Commands, clockOf } from './redis/commands.ts';
import { type ConnectionOptions, connect } from './redis/connection.ts';
import { everyKey, isOfQueue, slotOfKey, workspacesSlot } from './redis/keys.ts';
import { storeScripts } from './redis/scripts.ts';
import { storeOver } from './redis/store-over.ts';
import { type Workspaces, workspacesOf } from './redis/workspaces.ts';
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
    examine: examiner(commands, workspaces),
  };
}

const examinations = storeScripts('archive/examine');
const scripts = { key: examinations('key'), workspaces: examinations('workspaces') } as const;

const keysAtOnce = 200;

/** In this order: what a list lacks would else be taken for gone. */
const aims = ['lacking', 'left'] as const;
type Aim = (typeof aims)[number];

const cursorSchema = z.object({ aim: z.enum(aims), scan: z.string().exactOptional() });
const lacking = z.array(z.string());
/** What the list of workspaces leads to. */
const listed = /^council:\{[^}]*\}:(threads|unfinished|spending)$/;
const examined = z.tuple([z.string(), z.array(z.tuple([z.string(), z.string()]))]);

function examiner(commands: Commands, workspaces: Workspaces): Archive['examine'] {
  /** Workspaces that hold something, but are in no list. Their list is in another slot than they. */
  async function examineWorkspaces(keys: readonly string[], mends: boolean) {
    const slots = [...new Set(keys.filter((key) => listed.test(key)).map(slotOfKey))];
    if (slots.length === 0) return [];
    const reply = await commands.run(scripts.workspaces, workspacesSlot, slots);
    const missing = lacking.parse(reply);
    if (mends) await Promise.all(missing.map((slot) => workspaces.enlist(slot)));
    return missing.map((record) => ({ problem: 'a workspace in no list', record }));
  }

  /** Every portion of a key is looked at, and mended, in one step. */
  async function examineKey(key: string, aim: Aim, mends: boolean): Promise<readonly Orphan[]> {
    const orphans: Orphan[] = [];
    for (let from = '0'; from !== 'end'; ) {
      const values = [key, from, mends ? '1' : '0', aim];
      const reply = await commands.run(scripts.key, slotOfKey(key), values);
      const [next, found] = examined.parse(reply);
      orphans.push(...found.map(([problem, record]) => ({ problem, record })));
      from = next;
    }
    return orphans;
  }

  return async (cursor, { mends }) => {
    const { aim, scan } =
      cursor === undefined ? ({ aim: 'lacking' } as const) : cursorSchema.parse(JSON.parse(cursor));
    const { keys: found, next, share } = await commands.scan(scan, everyKey, keysAtOnce);
    const keys = [...new Set(found)].filter((key) => !isOfQueue(key));
    const isFirst = aim === 'lacking';
    const orphans = (
      await Promise.all([
        ...keys.map((key) => examineKey(key, aim, mends)),
        ...(isFirst ? [examineWorkspaces(keys, mends)] : []),
      ])
    ).flat();
    if (next === undefined && !isFirst) return { orphans, share: 1 };
    const place = next === undefined ? { aim: 'left' } : { aim, scan: next };
    return {
      orphans,
      next: JSON.stringify(place),
      share: isFirst ? share / 2 : 0.5 + share / 2,
    };
  };
}
