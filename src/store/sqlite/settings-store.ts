import { z } from 'zod';
import type { SettingsStore, StoredSettings } from '../store.ts';
import { parseRecord, readJson } from '../stored-json.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';

const settingRow = z.object({
  name: z.string(),
  value: z.string(),
  set_by: z.string(),
  set_at: z.number(),
});

/** The settings of a file. Every verb is done whole or not at all. */
export function sqliteSettingsStore(connection: Connection, writes: GroupCommit): SettingsStore {
  const ofScope = connection.prepare(
    `SELECT name, value, set_by, set_at FROM settings
    WHERE scope = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY name`,
  );
  const put = connection.prepare(`
    INSERT INTO settings (scope, name, value, set_by, set_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value, set_by = excluded.set_by,
      set_at = excluded.set_at, expires_at = excluded.expires_at`);
  const remove = connection.prepare('DELETE FROM settings WHERE scope = ? AND name = ?');

  function readScope(scope: string): StoredSettings {
    const settings = ofScope.all(scope, connection.now()).map((row) => {
      const { name, value, set_by, set_at } = parseRecord(settingRow, row, `A setting of ${scope}`);
      const stored = readJson(value, `Setting ${name} of ${scope}`);
      return [name, { value: stored, setBy: set_by, setAt: set_at }] as const;
    });
    return Object.fromEntries(settings);
  }

  return {
    read: async (scopes) => connection.read(() => scopes.map(readScope)),
    write: async (scope, changes, by) =>
      writes.add(() => {
        for (const [name, value] of Object.entries(changes)) {
          if (value === null) remove.run(scope, name);
          else {
            const { setBy, setAt, expiresAt = null } = by;
            put.run(scope, name, JSON.stringify(value), setBy, setAt, expiresAt);
          }
        }
      }),
  };
}
