import { workspaceOf } from '../../domain/thread-id.ts';
import { assertLimit, most } from '../checks.ts';
import type { MessageStore } from '../store.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import { interactionReader } from './interactions.ts';
import { messageWriter } from './message-writer.ts';
import { messageColumns, readMessage } from './rows.ts';
import { threadLister } from './thread-lister.ts';

/** The messages of a file. Every verb is done whole or not at all. */
export function sqliteMessageStore(connection: Connection, writes: GroupCommit): MessageStore {
  const { addImported } = messageWriter(connection);
  const readRecent = interactionReader(connection);
  const listThreads = threadLister(connection);
  // The turn is asked too, because it may have expired before the last of its messages has.
  const newest = connection.prepare(`
    SELECT ${messageColumns} FROM messages
    WHERE thread_id = ? AND created_at >= ?2 AND created_at < ? AND (turn_seq IS NULL OR EXISTS (
      SELECT 1 FROM turns WHERE turns.seq = messages.turn_seq AND turns.created_at >= ?2))
    ORDER BY created_at DESC, seq DESC LIMIT ?`);

  return {
    append: async (messages) =>
      writes.add(() => {
        for (const message of messages) addImported(message);
      }),
    recent: async (threadId, { limit, exceptTurnId }) => {
      assertLimit(limit, most.interactions);
      return connection.read(() => readRecent(threadId, limit, exceptTurnId));
    },
    page: async (threadId, { limit, before = Number.MAX_SAFE_INTEGER }) => {
      assertLimit(limit, most.messages);
      return connection.read(() =>
        newest
          .all(threadId, connection.keptSinceIn(workspaceOf(threadId)), before, limit)
          .map(readMessage),
      );
    },
    threads: async (place, { limit, after }) => {
      assertLimit(limit, most.threads);
      return connection.read(() => listThreads(place, limit, after));
    },
  };
}
