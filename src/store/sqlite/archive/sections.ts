import { z } from 'zod';
import type { ArchiveRecord } from '../../archive.ts';
import { parseRecord } from '../../stored-json.ts';
import type { Connection } from '../connection.ts';
import { readSetting, settingColumns } from '../rows.ts';

type Section = (offset: number, limit: number) => readonly ArchiveRecord[];

const spendingRow = z.object({ scope: z.string(), day: z.number(), cost_usd: z.number() });
const claimRow = z.object({ key: z.string(), expires_at: z.number() });
const forgottenRow = z.object({
  event_id: z.string(),
  workspace: z.string(),
  expires_at: z.number(),
});
/** Reads what belongs to no thread. Works inside the caller's `read`. */
export function sectionReader(
  connection: Connection,
): Readonly<Record<'spending' | 'claims' | 'forgotten' | 'settings', Section>> {
  const spending = connection.prepare(
    'SELECT scope, day, cost_usd FROM spending ORDER BY scope, day LIMIT ?2 OFFSET ?1',
  );
  const claims = connection.prepare(
    'SELECT key, expires_at FROM claims WHERE expires_at > ?3 ORDER BY key LIMIT ?2 OFFSET ?1',
  );
  const forgotten = connection.prepare(`
    SELECT event_id, workspace, expires_at FROM forgotten_events WHERE expires_at > ?3
    ORDER BY event_id LIMIT ?2 OFFSET ?1`);
  const settings = connection.prepare(`
    SELECT ${settingColumns} FROM settings
    WHERE expires_at IS NULL OR expires_at > ?3 ORDER BY scope, name LIMIT ?2 OFFSET ?1`);
  return {
    spending: (offset, limit) =>
      spending.all(offset, limit).map((row) => {
        const { scope, day, cost_usd } = parseRecord(spendingRow, row, 'A sum of spending');
        return { kind: 'spending', scope, day, costUsd: cost_usd };
      }),
    claims: (offset, limit) =>
      claims.all(offset, limit, connection.now()).map((row) => {
        const { key, expires_at } = parseRecord(claimRow, row, 'A claim');
        return { kind: 'claim', key, expiresAt: expires_at };
      }),
    forgotten: (offset, limit) =>
      forgotten.all(offset, limit, connection.now()).map((row) => {
        const { event_id, workspace, expires_at } = parseRecord(forgottenRow, row, 'An event');
        return { kind: 'forgotten', workspace, eventId: event_id, expiresAt: expires_at };
      }),
    settings: (offset, limit) =>
      settings
        .all(offset, limit, connection.now())
        .map((row) => ({ kind: 'setting', ...readSetting(row) })),
  };
}
