/** Goes through everything in a file: turns, messages and shards by thread, then what belongs to none. */

import { z } from 'zod';
import type { Archive, ArchiveRecord, Standing } from '../../archive.ts';
import { parseRecord } from '../../checks.ts';
import { mostRemembered, type StoredVector } from '../../store.ts';
import type { Connection } from '../connection.ts';
import {
  messageColumns,
  type Row,
  readMessage,
  readSetting,
  readShard,
  readVector,
  settingColumns,
  shardColumns,
  turnGroupReader,
} from '../rows.ts';

/** In this order: messages refer to turns, shards to messages. */
const parts = ['turns', 'messages', 'shards'] as const;
const sections = ['spending', 'claims', 'forgotten', 'settings'] as const;
/** How much of the whole the parts are taken for. */
const partsShare = 0.95;

const placeOfRow = z.object({ seq: z.number(), thread_id: z.string(), created_at: z.number() });
const counted = z.object({ count: z.number() });
const turnRow = z.object({ turn_id: z.string(), event_id: z.string() });
const messageRow = z.object({ turn_seq: z.number().nullable(), shard_id: z.string().nullable() });

export function archiveReader(connection: Connection): Archive['read'] {
  const recordsOf = threadRecordReader(connection);
  const readSection = sectionReader(connection);
  const count = connection.prepare(
    `SELECT ${parts.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')} AS count`,
  );
  const behind = (table: string, columns: string) =>
    connection.prepare(`
      SELECT ${columns} FROM ${table}
      WHERE (thread_id, created_at, seq) > (?1, ?2, ?3)
      ORDER BY thread_id, created_at, seq LIMIT ?4`);
  const statements = {
    turns: behind('turns', 'seq, thread_id, created_at, turn_id, event_id'),
    messages: behind(
      'messages',
      `seq, turn_seq, shard_id, change, channel, workspace, ${messageColumns.names}`,
    ),
    shards: behind('shards', `seq, change, channel, workspace, ${shardColumns.names}`),
  } as const;

  return async function* read(limit) {
    const all = parseRecord(
      counted,
      connection.read(() => count.get()),
      'The number of records',
    );
    let done = 0;
    for (const part of parts) {
      let last = { thread_id: '', created_at: Number.MIN_SAFE_INTEGER, seq: 0 };
      let rank = -1;
      for (let found = limit; found === limit; ) {
        const { thread_id, created_at, seq } = last;
        const records = connection.read(() => {
          const rows = statements[part].all(thread_id, created_at, seq, limit);
          found = rows.length;
          return rows.flatMap((row) => {
            const place = parseRecord(placeOfRow, row, 'The place of a record');
            rank = place.thread_id === last.thread_id ? rank + 1 : 0;
            last = place;
            return recordsOf[part](row, rank);
          });
        });
        done += found;
        yield { records, share: (partsShare * done) / Math.max(1, all.count) };
      }
    }
    for (const section of sections) {
      for (let offset = 0, found = limit; found === limit; offset += limit) {
        const records = connection.read(() => readSection[section](offset, limit));
        found = records.length;
        yield { records, share: partsShare };
      }
    }
    yield { records: [], share: 1 };
  };
}

/** Reads rows of turns, messages and shards. Works inside the caller's `read`. */
function threadRecordReader(
  connection: Connection,
): Readonly<Record<(typeof parts)[number], (row: Row, rank: number) => readonly ArchiveRecord[]>> {
  const readGroup = turnGroupReader(connection);
  const remembered = {
    message: rememberedReader(connection, 'message'),
    shard: rememberedReader(connection, 'shard'),
  } as const;
  return {
    turns: (row, rank) => {
      const { turn_id, event_id } = parseRecord(turnRow, row, 'A turn');
      const group = readGroup(turn_id);
      if (group === undefined) return [];
      const { messages: _, ...turn } = group;
      return [{ kind: 'turn', rank, turn: { ...turn, eventId: event_id } }];
    },
    messages: (row, rank) => {
      const { turn_seq, shard_id } = parseRecord(messageRow, row, 'A message');
      return [
        {
          ...({ kind: 'message', rank, message: readMessage(row) } as const),
          isImported: turn_seq === null,
          ...(shard_id !== null && { shardId: shard_id }),
          ...remembered.message(row),
        },
      ];
    },
    shards: (row) => [{ kind: 'shard', shard: readShard(row), ...remembered.shard(row) }],
  };
}

type Section = (offset: number, limit: number) => readonly ArchiveRecord[];

const spendingRow = z.object({ scope: z.string(), day: z.number(), cost_usd: z.number() });
const claimRow = z.object({ key: z.string(), expires_at: z.number() });
const forgottenRow = z.object({
  event_id: z.string(),
  workspace: z.string(),
  expires_at: z.number(),
});
/** Reads what belongs to no thread. Works inside the caller's `read`. */
function sectionReader(
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
    SELECT ${settingColumns.names} FROM settings
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
