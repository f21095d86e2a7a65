import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { Message } from '../store.ts';
import type { Connection } from './connection.ts';

/** Where something that is remembered can be read, and its number among all that is. */
export interface Standing {
  readonly channel: string;
  /** Only where everybody of the workspace may read it. */
  readonly workspace: string | null;
  readonly change: number;
}

/** Keeps the order of what is remembered, and what is private. Each verb works inside the caller's `transaction`. */
interface Remembering {
  /** Numbers a message or a shard that is complete. */
  standing(subject: Pick<Message, 'threadId' | 'isPrivate'>): Standing;
  /** Takes note of whether a channel is private now. What was said in it before is then private, too. */
  notice(said: Pick<Message, 'threadId' | 'isPrivate'>): void;
  /** Voids what was read of a thread's workspace: something of it is gone. */
  turnOver(threadId: string): void;
}

export function remembering(connection: Connection): Remembering {
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
    standing({ threadId, isPrivate: isSaidPrivately = true }) {
      const channel = channelOf(threadId);
      const workspace = workspaceOf(threadId);
      const isHidden = isSaidPrivately || isPrivate.get(channel) !== undefined;
      const change = Number(tick.get(workspace)?.change);
      return { channel, workspace: isHidden ? null : workspace, change };
    },
    notice(said) {
      const channel = channelOf(said.threadId);
      if (said.isPrivate === false) open.run(channel);
      if (said.isPrivate !== true || close.run(channel).changes === 0) return;
      const { changes } = hideMessages.run(channel);
      const shards = hideShards.run(channel);
      if (Number(changes) + Number(shards.changes) > 0) {
        turnOver.run(workspaceOf(said.threadId));
      }
    },
    turnOver(threadId) {
      turnOver.run(workspaceOf(threadId));
    },
  };
}
