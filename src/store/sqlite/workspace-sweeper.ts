import { workspaceOf, workspaceOfScope } from '../../domain/thread-id.ts';
import { retentionSetting } from '../retention.ts';
import type { Connection } from './connection.ts';
import type { ExpiredTurns } from './expired-turns.ts';
import type { GroupCommit } from './group-commit.ts';

/** The event loop stands still for them: about 1 ms. */
const threadsAtOnce = 100;

/** One kind of what expires, in the threads of a workspace. */
interface Part {
  /** The thread that comes next behind an id and before another. */
  readonly nextThread: ReturnType<Connection['prepare']>;
  /** Deletes what was made before a moment; gives how many records that were. */
  sweep(threadId: string, since: number, limit: number): number;
}

/**
 * Deletes what has expired in the workspaces that keep it for less long than the store, at most
 * `limit` records. Goes from thread to thread, so that what others keep is not walked through, and
 * lets others go first in between.
 */
export function workspaceSweeper(
  connection: Connection,
  writes: GroupCommit,
  expired: ExpiredTurns,
): (limit: number) => Promise<number> {
  const scopes = connection.prepare(`
    SELECT scope FROM settings
    WHERE scope > 'workspace:' AND scope < 'workspace;' AND name = '${retentionSetting}'`);
  const sweepImported = connection.prepare(`
    DELETE FROM messages WHERE seq IN (
      SELECT seq FROM messages WHERE thread_id = ? AND turn_seq IS NULL AND created_at < ? LIMIT ?)`);
  const sweepShards = connection.prepare(`
    DELETE FROM shards WHERE seq IN (
      SELECT seq FROM shards WHERE thread_id = ? AND ages_from < ? LIMIT ?)`);
  const nextThreadIn = (table: string) =>
    connection.prepare(
      `SELECT min(thread_id) AS thread_id FROM ${table} WHERE thread_id > ? AND thread_id < ?`,
    );
  const parts: readonly Part[] = [
    { nextThread: nextThreadIn('turns'), sweep: expired.sweepThread },
    {
      nextThread: nextThreadIn('messages'),
      sweep: (...values) => Number(sweepImported.run(...values).changes),
    },
    {
      nextThread: nextThreadIn('shards'),
      sweep: (...values) => Number(sweepShards.run(...values).changes),
    },
  ];

  /** @returns `next`: the thread to go on behind; absent when there are no more. */
  function sweepSome({ nextThread, sweep }: Part, workspace: string, after: string, limit: number) {
    return writes.add(() => {
      const since = connection.keptSinceIn(workspace);
      let swept = 0;
      let next = after;
      for (let looked = 0; looked < threadsAtOnce && swept < limit; looked += 1) {
        // A semicolon is what comes next after a colon: all ids of the workspace lie between the two.
        const threadId = nextThread.get(next, `${workspace};`)?.thread_id;
        if (typeof threadId !== 'string') return { swept };
        if (workspaceOf(threadId) === workspace) swept += sweep(threadId, since, limit - swept);
        next = threadId;
      }
      return { swept, next };
    });
  }

  async function sweepPart(part: Part, workspace: string, limit: number): Promise<number> {
    let swept = 0;
    let after: string | undefined = `${workspace}:`;
    while (after !== undefined && swept < limit) {
      const some: { readonly swept: number; readonly next?: string } = await sweepSome(
        part,
        workspace,
        after,
        limit - swept,
      );
      swept += some.swept;
      after = some.next;
    }
    return swept;
  }

  return async (limit) => {
    let swept = 0;
    const workspaces = connection.read(() =>
      scopes
        .all()
        .map(({ scope }) => workspaceOfScope(String(scope)))
        .filter((workspace) => connection.keptSinceIn(workspace) > connection.keptSince()),
    );
    for (const workspace of workspaces) {
      for (const part of parts) swept += await sweepPart(part, workspace, limit - swept);
    }
    return swept;
  };
}
