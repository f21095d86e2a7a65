/** Looks for what does not fit together on a server, key by key. */

import { z } from 'zod';
import type { Archive, Orphan } from '../../archive.ts';
import type { Commands } from '../commands.ts';
import { everyKey, isOfQueue, slotOfKey, workspacesSlot } from '../keys.ts';
import { storeScripts } from '../scripts.ts';
import type { Workspaces } from '../workspaces.ts';

const script = storeScripts('archive/examine');
const scripts = { key: script('key'), workspaces: script('workspaces') } as const;

const keysAtOnce = 200;

/** In this order: what a list lacks would else be taken for gone. */
const aims = ['lacking', 'left'] as const;
type Aim = (typeof aims)[number];

const cursorSchema = z.object({ aim: z.enum(aims), scan: z.string().exactOptional() });
const lacking = z.array(z.string());
/** What the list of workspaces leads to. */
const listed = /^council:\{[^}]*\}:(threads|unfinished|spending)$/;
const examined = z.tuple([z.string(), z.array(z.tuple([z.string(), z.string()]))]);

export function examiner(commands: Commands, workspaces: Workspaces): Archive['examine'] {
  /** Workspaces that hold something, and nobody would find. Their list is in another slot than they. */
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
