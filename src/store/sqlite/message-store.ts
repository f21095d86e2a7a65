import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { mostAnswers, readJsonObject } from '../checks.ts';
import type { Interaction, Message, MessageStore, ThreadPage } from '../store.ts';
import type { Connection, GroupCommit } from './connection.ts';
import { messageColumns, readMessage } from './rows.ts';
import { messageWriter } from './writers.ts';

/** A turn may expire before its last message, so the turn's time is checked too: `?2` is the oldest time kept. */
const isOfKeptTurn = `(turn_seq IS NULL OR EXISTS (
  SELECT 1 FROM turns WHERE turns.seq = messages.turn_seq AND turns.created_at >= ?2))`;

/** The messages in a file. Every method is atomic. */
export function sqliteMessageStore(connection: Connection, writes: GroupCommit): MessageStore {
  const { addImported } = messageWriter(connection);
  const readRecent = interactionReader(connection);
  const listThreads = threadLister(connection);
  const newest = connection.prepare(`
    SELECT ${messageColumns.names} FROM messages
    WHERE thread_id = ?1 AND created_at >= ?2 AND created_at < ?3 AND ${isOfKeptTurn}
    ORDER BY created_at DESC, seq DESC LIMIT ?4`);

  return {
    append: async (messages) =>
      writes.add(() => {
        for (const message of messages) addImported(message);
      }),
    recent: async (threadId, options) => connection.read(() => readRecent(threadId, options)),
    page: async (threadId, { limit, before = Number.MAX_SAFE_INTEGER }) =>
      connection.read(() =>
        newest
          .all(threadId, connection.keptSinceIn(workspaceOf(threadId)), before, limit)
          .map(readMessage),
      ),
    threads: async (place, { limit, after }) =>
      connection.read(() => listThreads(place, limit, after)),
  };
}

/**
 * Reads the last interactions of a thread, oldest first, with one query for the questions and for each one
 * query for its answers and one for its verdict, however long the thread or the table is. Call inside `read`.
 */
function interactionReader(
  connection: Connection,
): (threadId: string, options: Parameters<MessageStore['recent']>[1]) => readonly Interaction[] {
  const questions = connection.prepare(`
    SELECT messages.seq, messages.turn_seq, ${messageColumns.names.replaceAll(/\w+/g, 'messages.$&')}
    FROM messages LEFT JOIN turns ON turns.seq = messages.turn_seq
    WHERE messages.thread_id = ?1 AND messages.role = 'human' AND messages.created_at >= ?2
      AND (messages.turn_seq IS NULL OR (turns.status = 'ended' AND turns.created_at >= ?2))
      AND messages.created_at < ?3 AND (?4 IS NULL OR messages.turn_id IS NOT ?4)
    ORDER BY messages.created_at DESC, messages.seq DESC LIMIT ?5`);
  const answersOfTurn = connection.prepare(`
    SELECT ${messageColumns.names} FROM messages
    WHERE thread_id = ? AND turn_id = ? AND role = 'ai' AND status = 'complete'
    ORDER BY created_at, seq LIMIT ${mostAnswers}`);
  const answersBetween = connection.prepare(`
    SELECT ${messageColumns.names} FROM messages
    WHERE thread_id = ?1 AND turn_id IS NULL AND role = 'ai' AND status = 'complete'
      AND created_at BETWEEN ?2 AND ?4
      AND (created_at, seq) > (?2, ?3) AND (created_at, seq) < (?4, ?5)
    ORDER BY created_at, seq LIMIT ${mostAnswers}`);
  const nextQuestion = connection.prepare(`
    SELECT seq, created_at FROM messages
    WHERE thread_id = ?1 AND role = 'human' AND created_at >= ?2
      AND (created_at, seq) > (?2, ?3)
    ORDER BY created_at, seq LIMIT 1`);
  const verdict = connection.prepare(
    "SELECT data FROM steps WHERE turn_seq = ? AND kind = 'verdict' ORDER BY seq DESC LIMIT 1",
  );

  function importedAnswers(question: Message, seq: number): readonly Message[] {
    const { threadId, createdAt } = question;
    const next = nextQuestion.get(threadId, createdAt, seq);
    const end = Number(next?.created_at ?? Number.MAX_SAFE_INTEGER);
    const endSeq = Number(next?.seq ?? Number.MAX_SAFE_INTEGER);
    return answersBetween.all(threadId, createdAt, seq, end, endSeq).map(readMessage);
  }

  function interaction(row: NonNullable<ReturnType<typeof questions.get>>): Interaction {
    const question = readMessage(row);
    const { threadId, turnId } = question;
    if (turnId === undefined) {
      return { question, answers: importedAnswers(question, Number(row.seq)) };
    }
    const concluded = verdict.get(row.turn_seq ?? null);
    return {
      turnId,
      question,
      answers: answersOfTurn.all(threadId, turnId).map(readMessage),
      ...(concluded && {
        verdict: readJsonObject(concluded.data, `The verdict of turn ${turnId}`),
      }),
    };
  }

  return (threadId, { limit, exceptTurnId = null, before = Number.MAX_SAFE_INTEGER }) =>
    questions
      .all(threadId, connection.keptSinceIn(workspaceOf(threadId)), before, exceptTurnId, limit)
      .map(interaction)
      .reverse();
}

/** Lists the threads of a place by id, with one index lookup each, however many messages they have. Call inside `read`. */
function threadLister(
  connection: Connection,
): (place: string, limit: number, after: string | undefined) => ThreadPage {
  const nextThread = connection.prepare(
    'SELECT min(thread_id) AS thread_id FROM messages WHERE thread_id > ? AND thread_id < ?',
  );
  const isKept = connection.prepare(`
    SELECT 1 FROM messages WHERE thread_id = ?1 AND created_at >= ?2 AND ${isOfKeptTurn} LIMIT 1`);

  return (place, limit, after) => {
    // `;` is the character after `:`, so all ids of the place lie between the two.
    const end = `${place};`;
    const since = connection.keptSinceIn(place.split(':', 2).join(':'));
    const found: string[] = [];
    let last = after ?? `${place}:`;
    for (let checked = 0; checked < limit; checked += 1) {
      const threadId = nextThread.get(last, end)?.thread_id;
      if (typeof threadId !== 'string') return { threadIds: found };
      last = threadId;
      const isOfPlace = channelOf(threadId) === place || workspaceOf(threadId) === place;
      if (isOfPlace && isKept.get(threadId, since) !== undefined) found.push(threadId);
    }
    return { threadIds: found, next: last };
  };
}
