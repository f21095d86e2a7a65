import { z } from 'zod';
import { type KeptSetting, readKeptSetting } from '../records.ts';
import type { SettingsStore } from '../store.ts';
import { readJsonObject } from '../stored-json.ts';
import type { Clock } from './clock.ts';
import { type Commands, eachSlot } from './commands.ts';
import { slotOfScope } from './keys.ts';
import { scripts } from './scripts.ts';

const storedScopes = z.array(z.array(z.string()));

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
    const kept = readKeptSetting({ ...readJsonObject(flat[at + 1], record), scope, name }, record);
    return kept.expiresAt === undefined || kept.expiresAt > now ? [kept] : [];
  });
}
