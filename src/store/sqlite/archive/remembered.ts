import { z } from 'zod';
import type { Standing } from '../../archive.ts';
import { mostRemembered, type StoredVector } from '../../store.ts';
import { parseRecord } from '../../stored-json.ts';
import type { Connection } from '../connection.ts';
import { readVector } from '../rows.ts';

const standingRow = z.object({
  seq: z.number(),
  thread_id: z.string(),
  change: z.number().nullable(),
  channel: z.string().nullable(),
  workspace: z.string().nullable(),
});

/**
 * Reads how messages or shards are remembered, of rows with `seq`, `thread_id`, `change`, `channel` and
 * `workspace`: as far as it is of use, that is among the newest {@link mostRemembered} of its thread
 * and of its workspace. Works inside the caller's `read`.
 */
export function rememberedReader(
  connection: Connection,
  kind: 'message' | 'shard',
): (row: unknown) => { readonly standing?: Standing; readonly vector?: StoredVector } {
  const oldest = (column: string) =>
    connection.prepare(`
      SELECT change FROM ${kind}s WHERE ${column} = ? AND change > 0
      ORDER BY change DESC LIMIT 1 OFFSET ${mostRemembered}`);
  const ofThread = oldest('thread_id');
  const ofWorkspace = oldest('workspace');
  const isPrivate = connection.prepare('SELECT 1 FROM private_channels WHERE channel = ?');
  const vectorOf = connection.prepare(
    `SELECT model, vector FROM ${kind}_vectors WHERE ${kind}_seq = ?`,
  );

  return (row) => {
    const { seq, thread_id, change, channel, workspace } = parseRecord(
      standingRow,
      row,
      `How a ${kind} is remembered`,
    );
    const isRemembered = change !== null && change > Number(ofThread.get(thread_id)?.change ?? 0);
    const stored = vectorOf.get(seq);
    return {
      ...(isRemembered && {
        standing: {
          change,
          isOpen: workspace !== null && change > Number(ofWorkspace.get(workspace)?.change ?? 0),
          isChannelPrivate: isPrivate.get(channel) !== undefined,
        },
      }),
      ...(stored !== undefined && { vector: readVector(stored) }),
    };
  };
}
