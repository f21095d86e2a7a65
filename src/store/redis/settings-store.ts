import { z } from 'zod';
import type { Json, SettingsStore, StoredSetting, StoredSettings } from '../store.ts';
import { parseRecord, readJson } from '../stored-json.ts';
import type { Clock } from './clock.ts';
import type { Commands } from './commands.ts';
import { eachSlot } from './each-slot.ts';
import { slotOfScope } from './keys.ts';
import { scripts } from './scripts.ts';

const storedSetting = z.object({
  value: z.custom<Json>((value) => value !== undefined),
  setBy: z.string(),
  setAt: z.number(),
  expiresAt: z.number().exactOptional(),
});

/** Of each scope names and values, in turn. */
export const storedScopes = z.array(z.array(z.string()));

/** The settings of a server: a hash for each scope. */
export function redisSettingsStore(commands: Commands, clock: Clock): SettingsStore {
  return {
    read: async (scopes) =>
      eachSlot(scopes, slotOfScope, async (slot, own) => {
        const reply = await commands.run(scripts.readSettings, slot, own);
        return storedScopes
          .parse(reply)
          .map((flat, index) => readScope(flat, own[index] ?? '', clock.now()));
      }),
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

function readScope(flat: readonly string[], scope: string, now: number): StoredSettings {
  const settings = flat.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const { expiresAt = Number.POSITIVE_INFINITY, ...setting } = readSetting(
      flat[at + 1],
      name,
      scope,
    );
    return expiresAt > now ? [[name, setting] as const] : [];
  });
  return Object.fromEntries(settings);
}

/** @param json - The value of the field that is named after the setting. */
export function readSetting(
  json: string | undefined,
  name: string,
  scope: string,
): StoredSetting & { readonly expiresAt?: number } {
  const record = `Setting ${name} of ${scope}`;
  return parseRecord(storedSetting, readJson(json, record), record);
}
