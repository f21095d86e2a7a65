import { z } from 'zod';
import type { ArchiveRecord, Standing } from '../../archive.ts';
import { parseRecord } from '../../records.ts';
import { mostRemembered, type StoredVector } from '../../store.ts';
import type { Connection } from '../connection.ts';
import {
  messageColumns,
  type Row,
  readMessage,
  readShard,
  readVector,
  shardColumns,
  turnGroupReader,
} from '../rows.ts';

const parts = ['turns', 'messages', 'shards'] as const;

/** Up to where a thread was read. */
export const threadPlace = z.object({
  thread: z.string(),
  part: z.enum(parts),
  createdAt: z.number(),
  seq: z.number(),
  rank: z.number(),
});
export type ThreadPlace = z.infer<typeof threadPlace>;

const row = z.object({ seq: z.number(), created_at: z.number() });
const turnRow = z.object({ turn_id: z.string(), event_id: z.string() });
const messageRow = z.object({ turn_seq: z.number().nullable(), shard_id: z.string().nullable() });

/** Reads what belongs to threads. Works inside the caller's `read`. */
export function threadReader(connection: Connection) {
  const threadsFrom = (condition: string) =>
    connection.prepare(
      `SELECT min(thread_id) AS thread_id FROM (${parts
        .map((table) => `SELECT min(thread_id) AS thread_id FROM ${table} ${condition}`)
        .join(' UNION ALL ')})`,
    );
  const firstThread = threadsFrom('');
  const nextThread = threadsFrom('WHERE thread_id > ?1');
  const counted = connection.prepare(
    `SELECT count(*) AS count FROM (${parts.map((table) => `SELECT DISTINCT thread_id FROM ${table}`).join(' UNION ')})`,
  );
  const behind = (table: string, columns: string, condition = '') =>
    connection.prepare(`
      SELECT ${columns} FROM ${table}
      WHERE thread_id = ?1 AND created_at >= ?2 AND (created_at, seq) > (?2, ?3) ${condition}
      ORDER BY created_at, seq LIMIT ?4`);
  const statements = {
    turns: behind('turns', 'seq, created_at, turn_id, event_id'),
    // What refers to a turn that is gone is no part of the store.
    messages: behind(
      'messages',
      `seq, turn_seq, shard_id, change, channel, workspace, ${messageColumns.names}`,
      'AND (turn_seq IS NULL OR EXISTS (SELECT 1 FROM turns WHERE turns.seq = messages.turn_seq))',
    ),
    shards: behind('shards', `seq, change, channel, workspace, ${shardColumns.names}`),
  } as const;
  const readGroup = turnGroupReader(connection);
  const remembered = {
    message: rememberedReader(connection, 'message'),
    shard: rememberedReader(connection, 'shard'),
  } as const;

  const readers = {
    turns: (stored: Row, rank: number): readonly ArchiveRecord[] => {
      const { turn_id, event_id } = parseRecord(turnRow, stored, 'A turn');
      const group = readGroup(turn_id);
      if (group === undefined) return [];
      const { messages: _, ...turn } = group;
      return [{ kind: 'turn', rank, turn: { ...turn, eventId: event_id } }];
    },
    messages: (stored: Row, rank: number): readonly ArchiveRecord[] => {
      const { turn_seq, shard_id } = parseRecord(messageRow, stored, 'A message');
      return [
        {
          ...({ kind: 'message', rank, message: readMessage(stored) } as const),
          isImported: turn_seq === null,
          ...(shard_id !== null && { shardId: shard_id }),
          ...remembered.message(stored),
        },
      ];
    },
    shards: (stored: Row): readonly ArchiveRecord[] => [
      { kind: 'shard', shard: readShard(stored), ...remembered.shard(stored) },
    ],
  } as const;

  function placeIn(thread: unknown): ThreadPlace | undefined {
    if (typeof thread !== 'string') return undefined;
    return { thread, part: 'turns', ...partStart };
  }

  function following({ thread, part }: ThreadPlace): ThreadPlace | undefined {
    const next = parts[parts.indexOf(part) + 1];
    if (next !== undefined) return { thread, part: next, ...partStart };
    return placeIn(nextThread.get(thread)?.thread_id);
  }

  return {
    first: () => placeIn(firstThread.get()?.thread_id),
    /** How many threads there are. */
    count: () => Number(counted.get()?.count),
    /** Reads one part of one thread, from a place on; `next` is absent behind the last thread. */
    read(
      place: ThreadPlace,
      limit: number,
    ): { readonly records: readonly ArchiveRecord[]; readonly next?: ThreadPlace } {
      const { thread, part, createdAt, seq } = place;
      const rows = statements[part].all(thread, createdAt, seq, limit);
      const records = rows.flatMap((stored, at) => readers[part](stored, place.rank + at));
      const last = rows.at(-1);
      const next =
        last === undefined || rows.length < limit
          ? following(place)
          : { thread, part, ...placeOf(last), rank: place.rank + rows.length };
      return { records, ...(next !== undefined && { next }) };
    },
  };
}

const partStart = { createdAt: Number.MIN_SAFE_INTEGER, seq: 0, rank: 0 } as const;

function placeOf(stored: unknown): Pick<ThreadPlace, 'createdAt' | 'seq'> {
  const { seq, created_at } = parseRecord(row, stored, 'A record of a thread');
  return { createdAt: created_at, seq };
}

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
function rememberedReader(
  connection: Connection,
  kind: 'message' | 'shard',
): (row: Row) => { readonly standing?: Standing; readonly vector?: StoredVector } {
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
