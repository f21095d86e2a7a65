import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { Message, Shard } from '../store.ts';
import type { Connection } from './connection.ts';
import { insertInto, shardColumns } from './rows.ts';

/** Where something that is remembered can be read, and its number among all that is. */
export interface Standing {
  readonly channel: string;
  /** Only where everybody of the workspace may read it. */
  readonly workspace: string | null;
  readonly change: number;
}

type Said = Pick<Message, 'threadId' | 'isPrivate'>;

/** Keeps the order of what is remembered, and what is private. Each verb works inside the caller's `transaction`. */
export function remembering(connection: Connection) {
  const tick = connection.prepare(`
    INSERT INTO memory_clocks (workspace, change, epoch) VALUES (?, 1, 0)
    ON CONFLICT (workspace) DO UPDATE SET change = change + 1 RETURNING change`);
  const turnOver = connection.prepare(`
    INSERT INTO memory_clocks (workspace, change, epoch) VALUES (?, 0, 1)
    ON CONFLICT (workspace) DO UPDATE SET epoch = epoch + 1`);
  const isPrivate = connection.prepare('SELECT 1 FROM private_channels WHERE channel = ?');
  const close = connection.prepare(
    'INSERT INTO private_channels (channel) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const open = connection.prepare('DELETE FROM private_channels WHERE channel = ?');
  const hideMessages = connection.prepare(`
    UPDATE messages SET workspace = NULL
    WHERE channel = ? AND change IS NOT NULL AND workspace IS NOT NULL`);
  const hideShards = connection.prepare(
    'UPDATE shards SET workspace = NULL WHERE channel = ? AND workspace IS NOT NULL',
  );

  return {
    /** Numbers a message or a shard that is complete. */
    standing({ threadId, isPrivate: isSaidPrivately = true }: Said): Standing {
      const channel = channelOf(threadId);
      const workspace = workspaceOf(threadId);
      const isHidden = isSaidPrivately || isPrivate.get(channel) !== undefined;
      const change = Number(tick.get(workspace)?.change);
      return { channel, workspace: isHidden ? null : workspace, change };
    },
    /** Takes note of whether a channel is private now. What was said in it before is then private, too. */
    notice(said: Said): void {
      const channel = channelOf(said.threadId);
      if (said.isPrivate === false) open.run(channel);
      if (said.isPrivate !== true || close.run(channel).changes === 0) return;
      const { changes } = hideMessages.run(channel);
      const shards = hideShards.run(channel);
      if (Number(changes) + Number(shards.changes) > 0) {
        turnOver.run(workspaceOf(said.threadId));
      }
    },
    /** Voids what was read of a thread's workspace: something of it is gone. */
    turnOver(threadId: string): void {
      turnOver.run(workspaceOf(threadId));
    },
  };
}

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
