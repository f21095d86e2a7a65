import { assertOwnMessage, takenId } from '../ownership.ts';
import type { Message } from '../store.ts';
import type { Connection } from './connection.ts';

/** A turn that messages are written for; `seq` is its row. */
export interface MessageOwner {
  readonly turnId: string;
  readonly threadId: string;
  readonly seq: number;
}

/** Writes messages. Each verb works inside the caller's `transaction`. */
export interface MessageWriter {
  /** Stores the question of a new turn; one that was imported before becomes the turn's. */
  adoptQuestion(owner: MessageOwner, question: Message): void;
  /** Inserts a message of a turn, or replaces it where the turn has it already. */
  put(owner: MessageOwner, message: Message): void;
  /** Inserts a message that came from elsewhere, unless its thread has it already. */
  addImported(message: Message): void;
}

const insert = `
  INSERT INTO messages (id, thread_id, turn_id, turn_seq, role, type, status, sage, author, content,
    created_at, parent_id, platform_message_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

// What orders a message (its time, its turn) is never rewritten: no index has to be touched when a
// pending message is completed.
const replaceContent = `
  ON CONFLICT (thread_id, id) DO UPDATE SET status = excluded.status, sage = excluded.sage,
    author = excluded.author, content = excluded.content, parent_id = excluded.parent_id,
    platform_message_id = excluded.platform_message_id
  WHERE messages.turn_seq = excluded.turn_seq AND messages.role = excluded.role`;

const adoptImported = `
  ON CONFLICT (thread_id, id) DO UPDATE SET turn_id = excluded.turn_id, created_at = excluded.created_at,
    turn_seq = excluded.turn_seq, content = excluded.content, author = excluded.author
  WHERE messages.turn_seq IS NULL AND messages.role = 'human'`;

export function messageWriter(connection: Connection): MessageWriter {
  const insertOrReplace = connection.prepare(insert + replaceContent);
  const insertOrAdopt = connection.prepare(insert + adoptImported);
  const insertOrKeep = connection.prepare(`${insert} ON CONFLICT (thread_id, id) DO NOTHING`);

  return {
    adoptQuestion(owner, question) {
      assertOwnMessage(owner, question);
      const { changes } = insertOrAdopt.run(...values(question, owner.seq));
      if (changes === 0) throw takenId(question);
    },
    put(owner, message) {
      assertOwnMessage(owner, message);
      const { changes } = insertOrReplace.run(...values(message, owner.seq));
      if (changes === 0) throw takenId(message);
    },
    addImported(message) {
      insertOrKeep.run(...values(message, null));
    },
  };
}

function values(message: Message, turnSeq: number | null) {
  return [
    message.id,
    message.threadId,
    message.turnId ?? null,
    turnSeq,
    message.role,
    message.type,
    message.status,
    message.sage ?? null,
    message.author ?? null,
    JSON.stringify(message.content),
    message.createdAt,
    message.parentId ?? null,
    message.platformMessageId ?? null,
  ] as const;
}
