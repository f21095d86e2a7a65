/** Looks for what does not fit together on a server, key by key. */

import { z } from 'zod';
import type { Archive, Orphan } from '../../archive.ts';
import type { Commands } from '../commands.ts';
import { archiveScripts } from './archive-scripts.ts';

const keysAtOnce = 200;

/** In this order: what a list lacks would else be taken for gone. */
const aims = ['lacking', 'left'] as const;
type Aim = (typeof aims)[number];

const cursorSchema = z.object({ aim: z.enum(aims), scan: z.string(), seen: z.number() });
const scanned = z.tuple([z.string(), z.array(z.string()), z.number()]);
const examined = z.tuple([z.string(), z.array(z.tuple([z.string(), z.string()]))]);

export function examiner(commands: Commands): Archive['examine'] {
  /** Every portion of a key is looked at, and mended, in one step. */
  async function examineKey(key: string, aim: Aim, mends: boolean): Promise<readonly Orphan[]> {
    const orphans: Orphan[] = [];
    for (let from = '0'; from !== 'end'; ) {
      const values = [from, mends ? '1' : '0', aim];
      const reply = await commands.run(archiveScripts.examineKey, [key], values);
      const [next, found] = examined.parse(reply);
      orphans.push(...found.map(([problem, record]) => ({ problem, record })));
      from = next;
    }
    return orphans;
  }

  return async (cursor, { mends }) => {
    const { aim, scan, seen } =
      cursor === undefined
        ? ({ aim: 'lacking', scan: '0', seen: 0 } as const)
        : cursorSchema.parse(JSON.parse(cursor));
    const values = [scan, 'council:*', String(keysAtOnce)];
    const [next, keys, count] = scanned.parse(await commands.run(archiveScripts.scan, [], values));
    const found = await Promise.all([...new Set(keys)].map((key) => examineKey(key, aim, mends)));
    const orphans = found.flat();
    const isFirst = aim === 'lacking';
    if (next === '0' && !isFirst) return { orphans, share: 1 };
    const place =
      next === '0'
        ? { aim: 'left', scan: next, seen: 0 }
        : { aim, scan: next, seen: seen + keysAtOnce };
    const ofAim = next === '0' ? 1 : Math.min(1, place.seen / count);
    return {
      orphans,
      next: JSON.stringify(place),
      share: isFirst ? ofAim / 2 : 0.5 + ofAim / 2,
    };
  };
}
