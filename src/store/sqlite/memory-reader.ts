import { z } from 'zod';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { type MemoryScope, mostRemembered, type RememberedMessage, type Shard } from '../store.ts';
import { parseRecord } from '../stored-json.ts';
import type { Row } from './columns.ts';
import type { Connection } from './connection.ts';
import { messageColumns, readMessage, readShard, shardColumns } from './rows.ts';

/** A part of what has changed, oldest change first. */
interface Part<Item> {
  readonly items: readonly Item[];
  /** The last change that was looked at. */
  readonly upTo: number;
  readonly hasMore: boolean;
}

/** Reads one kind of what is remembered. Works inside the caller's `read`. */
interface PartReader<Item> {
  /**
   * @param options.since - Absent: from the oldest that is still remembered.
   * @param options.keptSince - What ages from before is left out.
   */
  read(
    scope: MemoryScope,
    options: {
      readonly since: number | undefined;
      readonly keptSince: number;
      readonly limit: number;
    },
  ): Part<Item>;
}

const standingRow = z.object({ seq: z.number(), change: z.number() });
const rememberedRow = z.object({
  seq: z.number(),
  ages_from: z.number(),
  shard_id: z.string().nullable(),
});
/** What the retention of a message counts from: its turn's time, or its own. */
export const messageAgesFrom =
  'coalesce((SELECT created_at FROM turns WHERE turns.seq = messages.turn_seq), created_at)';

export function messageReader(connection: Connection): PartReader<RememberedMessage> {
  const columns = `shard_id, ${messageColumns.names}, ${messageAgesFrom} AS ages_from`;
  return partReader(connection, 'messages', columns, (row) => {
    const { seq, ages_from, shard_id } = parseRecord(rememberedRow, row, 'A remembered message');
    return {
      message: readMessage(row),
      place: seq,
      agesFrom: ages_from,
      ...(shard_id !== null && { shardId: shard_id }),
    };
  });
}

export function shardReader(connection: Connection): PartReader<Shard> {
  return partReader(connection, 'shards', shardColumns.names, readShard);
}

function partReader<Item extends { readonly agesFrom: number }>(
  connection: Connection,
  table: 'messages' | 'shards',
  columns: string,
  readRow: (row: Row) => Item,
): PartReader<Item> {
  const statements = (['thread_id', 'channel', 'workspace'] as const).map((column) => ({
    column,
    since: connection.prepare(`
      SELECT seq, change, ${columns} FROM ${table}
      WHERE ${column} = ? AND change > ? ORDER BY change LIMIT ?`),
    oldest: connection.prepare(`
      SELECT change FROM ${table} WHERE ${column} = ? AND change > 0
      ORDER BY change DESC LIMIT 1 OFFSET ${mostRemembered - 1}`),
  }));

  function sourcesOf({ threadId, reach }: MemoryScope) {
    const wanted = {
      thread: [{ column: 'thread_id', value: threadId }],
      channel: [{ column: 'channel', value: channelOf(threadId) }],
      workspace: [
        { column: 'channel', value: channelOf(threadId) },
        { column: 'workspace', value: workspaceOf(threadId) },
      ],
    }[reach];
    return wanted.flatMap(({ column, value }) =>
      statements.flatMap((one) => (one.column === column ? [{ ...one, value }] : [])),
    );
  }

  return {
    read(scope, { since, keptSince, limit }) {
      const sources = sourcesOf(scope);
      const start =
        since ??
        Math.max(...sources.map(({ oldest, value }) => Number(oldest.get(value)?.change ?? 1) - 1));
      // What both sources have comes once.
      const rows = new Map(
        sources
          .flatMap((source) => source.since.all(source.value, start, limit + 1))
          .map((row) => ({ row, ...parseRecord(standingRow, row, 'What is remembered') }))
          .sort((one, other) => one.change - other.change)
          .map((one) => [one.seq, one] as const),
      );
      const given = [...rows.values()].slice(0, limit);
      return {
        items: given.map(({ row }) => readRow(row)).filter(({ agesFrom }) => agesFrom >= keptSince),
        upTo: given.at(-1)?.change ?? start,
        hasMore: rows.size > limit,
      };
    },
  };
}
