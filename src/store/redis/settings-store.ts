import { z } from 'zod';
import type { Json, SettingsStore, StoredSettings } from '../store.ts';
import { parseRecord, readJson } from '../stored-json.ts';
import type { Commands } from './commands.ts';
import { settingsKey } from './keys.ts';
import { scripts } from './scripts.ts';

const storedSetting = z.object({
  value: z.custom<Json>((value) => value !== undefined),
  setBy: z.string(),
  setAt: z.number(),
});

/** The settings of a server: a hash for each scope. */
export function redisSettingsStore(commands: Commands): SettingsStore {
  return {
    read: async (scopes) => {
      if (scopes.length === 0) return [];
      const reply = await commands.run(scripts.readSettings, scopes.map(settingsKey), []);
      return z
        .array(z.array(z.string()))
        .parse(reply)
        .map((flat, index) => readScope(flat, scopes[index] ?? ''));
    },
    write: async (scope, changes, by) => {
      const values = Object.entries(changes).flatMap(([name, value]) => [
        name,
        value === null ? '' : JSON.stringify({ value, ...by }),
      ]);
      if (values.length > 0)
        await commands.run(scripts.writeSettings, [settingsKey(scope)], values);
    },
  };
}

function readScope(flat: readonly string[], scope: string): StoredSettings {
  const settings = flat.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const record = `Setting ${name} of ${scope}`;
    return [[name, parseRecord(storedSetting, readJson(flat[at + 1], record), record)] as const];
  });
  return Object.fromEntries(settings);
}
