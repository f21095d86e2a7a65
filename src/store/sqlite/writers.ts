/** Writes messages, shards, steps and usage, and maintains the order of the long-term memory. */

import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { assertOwnMessage, takenId } from '../checks.ts';
import type { Message, NewTurn, Shard, Step, TurnKey, UsageEvent } from '../store.ts';
import type { Connection } from './connection.ts';
import { insertInto, messageColumns, shardColumns, turnColumns, usageColumns } from './rows.ts';

/** The columns that place a message or shard in the long-term memory. */
interface MemoryColumns {
  readonly channel: string;
  /** `null` unless the whole workspace may read it. */
  readonly workspace: string | null;
  /** Its number among the workspace's changes. */
  readonly change: number;
}

type Origin = Pick<Message, 'threadId' | 'isPrivate'>;

/** Numbers changes in the memory, and records which channels are private. Call its methods inside `transaction`. */
export function memoryIndex(connection: Connection) {
  const tick = connection.prepare(`
    INSERT INTO memory_clocks (workspace, change, epoch) VALUES (?, 1, 0)
    ON CONFLICT (workspace) DO UPDATE SET change = change + 1 RETURNING change`);
  const nextEpoch = connection.prepare(`
    INSERT INTO memory_clocks (workspace, change, epoch) VALUES (?, 0, 1)
    ON CONFLICT (workspace) DO UPDATE SET epoch = epoch + 1`);
  const isPrivate = connection.prepare('SELECT 1 FROM private_channels WHERE channel = ?');
  const close = connection.prepare(
    'INSERT INTO private_channels (channel) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const open = connection.prepare(`
    DELETE FROM private_channels WHERE channel = ?1 AND NOT EXISTS (
      SELECT 1 FROM messages
      WHERE channel = ?1 AND change IS NOT NULL AND is_private = 1 AND role = 'human'
        AND created_at > ?2)`);
  const hideMessages = connection.prepare(`
    UPDATE messages SET workspace = NULL
    WHERE channel = ? AND change IS NOT NULL AND workspace IS NOT NULL`);
  const hideShards = connection.prepare(
    'UPDATE shards SET workspace = NULL WHERE channel = ? AND workspace IS NOT NULL',
  );

  return {
    /** Numbers a complete message or a shard. */
    columnsFor({ threadId, isPrivate: isSourcePrivate = true }: Origin): MemoryColumns {
      const channel = channelOf(threadId);
      const workspace = workspaceOf(threadId);
      const isHidden = isSourcePrivate || isPrivate.get(channel) !== undefined;
      const change = Number(tick.get(workspace)?.change);
      return { channel, workspace: isHidden ? null : workspace, change };
    },
    /**
     * Records whether a channel is private now: by the newest question, because older ones may be imported
     * later. Its earlier messages then become private too.
     */
    notePrivacy(message: Origin & Pick<Message, 'createdAt'>): void {
      const channel = channelOf(message.threadId);
      if (message.isPrivate === false) open.run(channel, message.createdAt);
      if (message.isPrivate !== true || close.run(channel).changes === 0) return;
      const { changes } = hideMessages.run(channel);
      const shards = hideShards.run(channel);
      if (Number(changes) + Number(shards.changes) > 0) {
        nextEpoch.run(workspaceOf(message.threadId));
      }
    },
    /** Voids everything read of a thread's workspace, because something was deleted. */
    voidReads(threadId: string): void {
      nextEpoch.run(workspaceOf(threadId));
    },
  };
}

/** Takes {@link turnInsertValues}. */
export const turnInsert = insertInto('turns', `${turnColumns.names}, event_id, request`);

export function turnInsertValues(turn: Pick<NewTurn, 'eventId' | 'request'>) {
  return [...turnColumns.values(turn), turn.eventId, JSON.stringify(turn.request)];
}

/** Takes {@link shardInsertValues}. */
export const shardInsert = insertInto(
  'shards',
  `${shardColumns.names}, channel, workspace, change`,
);

/** Implements the store's `keepShard`. Call inside `transaction`. */
export function shardWriter(
  connection: Connection,
): (shard: Shard, supersedes: readonly string[]) => boolean {
  const memory = memoryIndex(connection);
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
      supersede.run(shard.createdAt, memory.columnsFor(shard).change, threadId, old);
    }
    dropNamesake.run(threadId, id);
    insert.run(...shardInsertValues(shard, memory.columnsFor(shard)));
    for (const sourceId of sourceIds) markSource.run(id, threadId, sourceId);
    return true;
  };
}

export function shardInsertValues(shard: Shard, { channel, workspace, change }: MemoryColumns) {
  return [...shardColumns.values(shard), channel, workspace, change];
}

/** The turn that a message belongs to; `seq` is its row. */
export interface MessageOwner extends TurnKey {
  readonly seq: number;
}

/** Takes {@link messageInsertValues}; append the conflict clause for known ids. */
export const messageInsert = insertInto(
  'messages',
  `${messageColumns.names}, turn_seq, channel, workspace, change`,
);

// Never updates the columns that order a message in its thread, so completing a pending message only touches
// the memory's indexes.
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

/** Writes messages. Call its methods inside `transaction`. */
export function messageWriter(connection: Connection) {
  const insertOrReplace = connection.prepare(messageInsert + replaceContent);
  const insertOrAdopt = connection.prepare(messageInsert + adoptImported);
  const memory = memoryIndex(connection);
  const insertOrKeep = connection.prepare(
    `${messageInsert} ON CONFLICT (thread_id, id) DO NOTHING`,
  );

  /** Only complete messages are remembered. */
  function columnsFor(message: Message): MemoryColumns | undefined {
    return message.status === 'complete' ? memory.columnsFor(message) : undefined;
  }

  return {
    /** Stores the question of a new turn; an imported question becomes the turn's. */
    adoptQuestion(owner: MessageOwner, question: Message): void {
      assertOwnMessage(owner, question);
      memory.notePrivacy(question);
      const { changes } = insertOrAdopt.run(
        ...messageInsertValues(question, owner.seq, columnsFor(question)),
      );
      if (changes === 0) throw takenId(question);
    },
    /** Inserts a message of a turn, or replaces it if the turn has it already. */
    put(owner: MessageOwner, message: Message): void {
      const { changes } = insertOrReplace.run(
        ...messageInsertValues(message, owner.seq, columnsFor(message)),
      );
      if (changes === 0) throw takenId(message);
    },
    /** Imports a message unless its thread has the id already. */
    addImported(message: Message): void {
      memory.notePrivacy(message);
      insertOrKeep.run(...messageInsertValues(message, null, columnsFor(message)));
    },
  };
}

export function messageInsertValues(
  message: Message,
  turnSeq: number | null,
  { channel, workspace, change }: Partial<MemoryColumns> = {},
) {
  const memory = [channel ?? null, workspace ?? null, change ?? null] as const;
  return [...messageColumns.values(message), turnSeq, ...memory];
}

/** Writes the steps and usage of a turn's row. Call its methods inside `transaction`. */
export function stepAndUsageWriter(connection: Connection) {
  const putStep = connection.prepare(`
    INSERT INTO steps (turn_seq, kind, key, data) VALUES (?, ?, ?, ?)
    ON CONFLICT (turn_seq, kind, key) DO UPDATE SET data = excluded.data`);
  const insertUsage = connection.prepare(
    `${insertInto('usage', `turn_seq, ${usageColumns.names}`)} ON CONFLICT (turn_seq, id) DO NOTHING`,
  );
  return {
    putSteps(seq: number, steps: readonly Step[]): void {
      for (const { kind, key, data } of steps) putStep.run(seq, kind, key, JSON.stringify(data));
    },
    /** Skips known calls. */
    putUsage(seq: number, usage: readonly UsageEvent[]): void {
      for (const event of usage) insertUsage.run(seq, ...usageColumns.values(event));
    },
  };
}
