import type { Shard } from '../store.ts';
import { insertInto } from './columns.ts';
import type { Connection } from './connection.ts';
import { remembering, type Standing } from './remembering.ts';
import { shardColumns } from './rows.ts';

/** Takes {@link shardInsertValues}. */
export const shardInsert = insertInto(
  'shards',
  `${shardColumns.names}, channel, workspace, change`,
);

/** Notes what a shard was made of. Takes the shard's `seq`, the thread, and a source's id. */
export const sourceInsert = `
  INSERT INTO shard_sources (message_seq, shard_seq)
  SELECT seq, ?1 FROM messages WHERE thread_id = ?2 AND id = ?3 ON CONFLICT DO NOTHING`;

/** Keeps a shard, as the store's `keepShard` says. Works inside the caller's `transaction`. */
export function shardWriter(
  connection: Connection,
): (shard: Shard, supersedes: readonly string[]) => boolean {
  const memory = remembering(connection);
  const known = connection.prepare('SELECT 1 FROM shards WHERE thread_id = ? AND id = ?');
  const source = connection.prepare(
    'SELECT 1 FROM messages WHERE thread_id = ? AND id = ? AND change IS NOT NULL',
  );
  const insert = connection.prepare(shardInsert);
  const insertSource = connection.prepare(sourceInsert);
  const markSource = connection.prepare(
    'UPDATE messages SET shard_id = ? WHERE thread_id = ? AND id = ?',
  );
  const supersede = connection.prepare(`
    UPDATE shards SET superseded_at = ?, change = ?
    WHERE thread_id = ? AND id = ? AND superseded_at IS NULL`);

  const dropVector = connection.prepare(`
    DELETE FROM shard_vectors
    WHERE shard_seq = (SELECT seq FROM shards WHERE thread_id = ? AND id = ?)`);

  return (shard, supersedes) => {
    const { id, threadId, sourceIds } = shard;
    if (known.get(threadId, id) !== undefined) return true;
    if (sourceIds.some((sourceId) => source.get(threadId, sourceId) === undefined)) return false;
    for (const old of supersedes) {
      dropVector.run(threadId, old);
      supersede.run(shard.createdAt, memory.standing(shard).change, threadId, old);
    }
    const { lastInsertRowid } = insert.run(...shardInsertValues(shard, memory.standing(shard)));
    for (const sourceId of sourceIds) {
      markSource.run(id, threadId, sourceId);
      insertSource.run(lastInsertRowid, threadId, sourceId);
    }
    return true;
  };
}

export function shardInsertValues(shard: Shard, { channel, workspace, change }: Standing) {
  return [...shardColumns.values(shard), channel, workspace, change];
}
