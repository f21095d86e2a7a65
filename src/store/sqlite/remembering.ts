import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { assertOwnMessage, takenId } from '../checks.ts';
import type { Message, Shard } from '../store.ts';
import type { Connection } from './connection.ts';
import { insertInto, messageColumns, shardColumns } from './rows.ts';

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

/** Keeps a shard, as the store's `keepShard` says. Works inside the caller's `transaction`. */
export function shardWriter(
  connection: Connection,
): (shard: Shard, supersedes: readonly string[]) => boolean {
  const memory = remembering(connection);
  const known = connection.prepare(
    'SELECT 1 FROM shards WHERE thread_id = ? AND id = ? AND superseded_at IS NULL',
  );
  const source = connection.prepare(
    'SELECT shard_id FROM messages WHERE thread_id = ? AND id = ? AND change IS NOT NULL',
  );
  const dropNamesake = connection.prepare('DELETE FROM shards WHERE thread_id = ? AND id = ?');
  const insert = connection.prepare(shardInsert);
  const markSource = connection.prepare(
    'UPDATE messages SET shard_id = ? WHERE thread_id = ? AND id = ?',
  );
  const supersede = connection.prepare(`
    UPDATE shards SET text = '', source_ids = '[]', mark = NULL, superseded_at = ?, change = ?
    WHERE thread_id = ? AND id = ? AND superseded_at IS NULL`);
  const dropVector = connection.prepare(`
    DELETE FROM shard_vectors
    WHERE shard_seq = (SELECT seq FROM shards WHERE thread_id = ? AND id = ?)`);

  return (shard, supersedes) => {
    const { id, threadId, sourceIds } = shard;
    if (known.get(threadId, id) !== undefined) return true;
    const sources = sourceIds.map((sourceId) => source.get(threadId, sourceId));
    if (sources.includes(undefined)) return false;
    const partsOf = sources.flatMap((row) => row?.shard_id ?? []).map(String);
    for (const old of new Set([...supersedes, ...partsOf])) {
      dropVector.run(threadId, old);
      supersede.run(shard.createdAt, memory.standing(shard).change, threadId, old);
    }
    dropNamesake.run(threadId, id);
    insert.run(...shardInsertValues(shard, memory.standing(shard)));
    for (const sourceId of sourceIds) markSource.run(id, threadId, sourceId);
    return true;
  };
}

export function shardInsertValues(shard: Shard, { channel, workspace, change }: Standing) {
  return [...shardColumns.values(shard), channel, workspace, change];
}

/** A turn that messages are written for; `seq` is its row. */
export interface MessageOwner {
  readonly turnId: string;
  readonly threadId: string;
  readonly seq: number;
}

/** Takes {@link messageInsertValues}; what is to happen with a known id is to be put behind it. */
export const messageInsert = insertInto(
  'messages',
  `${messageColumns.names}, turn_seq, channel, workspace, change`,
);

// What orders a message in its thread (its time, its turn) is never rewritten: when a pending message
// is completed, only the indexes of what is remembered are touched.
const replaceContent = `
  ON CONFLICT (thread_id, id) DO UPDATE SET status = excluded.status, sage = excluded.sage,
    author = excluded.author, content = excluded.content, parent_id = excluded.parent_id,
    platform_message_id = excluded.platform_message_id, is_private = excluded.is_private,
    channel = excluded.channel, workspace = excluded.workspace, change = excluded.change
  WHERE messages.turn_seq = excluded.turn_seq AND messages.role = excluded.role`;

const adoptImported = `
  ON CONFLICT (thread_id, id) DO UPDATE SET turn_id = excluded.turn_id, created_at = excluded.created_at,
    turn_seq = excluded.turn_seq, content = excluded.content, author = excluded.author,
    is_private = excluded.is_private, channel = excluded.channel, workspace = excluded.workspace,
    change = excluded.change
  WHERE messages.turn_seq IS NULL AND messages.role = 'human'`;

/** Writes messages. Each verb works inside the caller's `transaction`. */
export function messageWriter(connection: Connection) {
  const insertOrReplace = connection.prepare(messageInsert + replaceContent);
  const insertOrAdopt = connection.prepare(messageInsert + adoptImported);
  const memory = remembering(connection);
  const insertOrKeep = connection.prepare(
    `${messageInsert} ON CONFLICT (thread_id, id) DO NOTHING`,
  );

  /** Only what is complete is remembered. */
  function standing(message: Message): Standing | undefined {
    return message.status === 'complete' ? memory.standing(message) : undefined;
  }

  return {
    /** Stores the question of a new turn; one that was imported before becomes the turn's. */
    adoptQuestion(owner: MessageOwner, question: Message): void {
      assertOwnMessage(owner, question);
      memory.notice(question);
      const { changes } = insertOrAdopt.run(
        ...messageInsertValues(question, owner.seq, standing(question)),
      );
      if (changes === 0) throw takenId(question);
    },
    /** Inserts a message of a turn, or replaces it where the turn has it already. */
    put(owner: MessageOwner, message: Message): void {
      const { changes } = insertOrReplace.run(
        ...messageInsertValues(message, owner.seq, standing(message)),
      );
      if (changes === 0) throw takenId(message);
    },
    /** Inserts a message that came from elsewhere, unless its thread has it already. */
    addImported(message: Message): void {
      memory.notice(message);
      insertOrKeep.run(...messageInsertValues(message, null, standing(message)));
    },
  };
}

export function messageInsertValues(
  message: Message,
  turnSeq: number | null,
  { channel, workspace, change }: Partial<Standing> = {},
) {
  const standing = [channel ?? null, workspace ?? null, change ?? null] as const;
  return [...messageColumns.values(message), turnSeq, ...standing];
}
