import { z } from 'zod';
import type { Json, SettingsStore, StoredSetting } from '../store.ts';
import { parseRecord, readJson } from '../stored-json.ts';
import type { Clock } from './clock.ts';
import { type Commands, eachSlot } from './commands.ts';
import { slotOfScope } from './keys.ts';
import { scripts } from './scripts.ts';

const storedSetting = z.object({
  value: z.custom<Json>((value) => value !== undefined),
  setBy: z.string(),
  setAt: z.number(),
  expiresAt: z.number().exactOptional(),
});

const storedScopes = z.array(z.array(z.string()));

/** A setting as it is kept, with when it expires (ms since 1970). */
interface KeptSetting {
  readonly scope: string;
  readonly name: string;
  readonly setting: StoredSetting;
  readonly expiresAt?: number;
}

/** The settings of a server: a hash for each scope. */
export function redisSettingsStore(commands: Commands, clock: Clock): SettingsStore {
  const read = settingsReader(commands, clock);
  return {
    read: async (scopes) =>
      (await read(scopes)).map((kept) =>
        Object.fromEntries(kept.map(({ name, setting }) => [name, setting])),
      ),
    write: async (scope, changes, by) => {
      const values = Object.entries(changes).flatMap(([name, value]) => [
        name,
        value === null ? '' : JSON.stringify({ value, ...by }),
      ]);
      if (values.length > 0) {
        const written = [scope, String(clock.now()), ...values];
        await commands.run(scripts.writeSettings, slotOfScope(scope), written);
      }
    },
  };
}

/** Reads the settings of each scope, in the order asked for. What has expired is left out. */
export function settingsReader(
  commands: Commands,
  clock: Clock,
): (scopes: readonly string[]) => Promise<readonly (readonly KeptSetting[])[]> {
  return (scopes) =>
    eachSlot(scopes, slotOfScope, async (slot, own) => {
      const reply = storedScopes.parse(await commands.run(scripts.readSettings, slot, own));
      return reply.map((flat, index) => readScope(flat, own[index] ?? '', clock.now()));
    });
}

/** @param flat - Names and values, in turn. */
function readScope(flat: readonly string[], scope: string, now: number): readonly KeptSetting[] {
  return flat.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const record = `Setting ${name} of ${scope}`;
    const kept = parseRecord(storedSetting, readJson(flat[at + 1], record), record);
    const { expiresAt, ...setting } = kept;
    if (expiresAt === undefined) return [{ scope, name, setting }];
    return expiresAt > now ? [{ scope, name, setting, expiresAt }] : [];
  });
}
