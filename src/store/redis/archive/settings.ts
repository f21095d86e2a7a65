import type { ArchiveRecord } from '../../archive.ts';
import type { Clock } from '../clock.ts';
import type { Commands } from '../commands.ts';
import { eachSlot } from '../each-slot.ts';
import { slotOfScope } from '../keys.ts';
import { scripts } from '../scripts.ts';
import { readSetting, storedScopes } from '../settings-store.ts';

/** Reads the settings of some scopes, with when each expires. What has expired is left out. */
export function settingsReader(
  commands: Commands,
  clock: Clock,
): (scopes: readonly string[]) => Promise<readonly ArchiveRecord[]> {
  return async (scopes) => {
    const reply = await eachSlot(scopes, slotOfScope, async (slot, own) =>
      storedScopes.parse(await commands.run(scripts.readSettings, slot, own)),
    );
    return reply.flatMap((flat, index) => {
      const scope = scopes[index] ?? '';
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
