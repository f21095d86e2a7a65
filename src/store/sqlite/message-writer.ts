import { assertOwnMessage, takenId } from '../checks.ts';
import type { Message } from '../store.ts';
import type { Connection } from './connection.ts';
import { remembering, type Standing } from './remembering.ts';
import { insertInto, messageColumns } from './rows.ts';

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
      assertOwnMessage(owner, message);
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
