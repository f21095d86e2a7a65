import { z } from 'zod';
import type { ArchiveRecord } from '../../archive.ts';
import type { Clock } from '../clock.ts';
import type { Commands } from '../commands.ts';
import { scopeOfKey } from '../keys.ts';
import { scripts } from '../scripts.ts';
import { readSetting } from '../settings-store.ts';

/** Reads the settings under some keys, with when each expires. What has expired is left out. */
export function settingsReader(
  commands: Commands,
  clock: Clock,
): (keys: readonly string[]) => Promise<readonly ArchiveRecord[]> {
  return async (keys) => {
    if (keys.length === 0) return [];
    const reply = z
      .array(z.array(z.string()))
      .parse(await commands.run(scripts.readSettings, keys, []));
    return reply.flatMap((flat, index) => {
      const scope = scopeOfKey(keys[index] ?? '');
      return flat.flatMap((name, at) => {
        if (at % 2 === 1) return [];
        const { expiresAt, ...setting } = readSetting(flat[at + 1], name, scope);
        if (expiresAt !== undefined && expiresAt <= clock.now()) return [];
        const record = { kind: 'setting', scope, name, setting } as const;
        return [{ ...record, ...(expiresAt !== undefined && { expiresAt }) }];
      });
    });
  };
}
