import { workspaceOf } from '../../domain/thread-id.ts';
import { mostAnswers } from '../checks.ts';
import type { Interaction, Message } from '../store.ts';
import { readJsonObject } from '../stored-json.ts';
import type { Connection } from './connection.ts';
import { messageColumns, readMessage } from './rows.ts';

/**
 * Reads the last interactions of a thread, oldest first: one look for the questions and, for each,
 * one for its answers and one for its verdict, however long the thread or the table is. Works inside
 * the caller's `read`.
 */
export function interactionReader(
  connection: Connection,
): (threadId: string, limit: number, exceptTurnId: string | undefined) => readonly Interaction[] {
  const questions = connection.prepare(`
    SELECT messages.seq, messages.turn_seq, ${qualified(messageColumns)}
    FROM messages LEFT JOIN turns ON turns.seq = messages.turn_seq
    WHERE messages.thread_id = ?1 AND messages.role = 'human' AND messages.created_at >= ?2
      AND (messages.turn_seq IS NULL OR (turns.status = 'ended' AND turns.created_at >= ?2))
      AND (?3 IS NULL OR messages.turn_id IS NOT ?3)
    ORDER BY messages.created_at DESC, messages.seq DESC LIMIT ?4`);
  const answersOfTurn = connection.prepare(`
    SELECT ${messageColumns} FROM messages
    WHERE thread_id = ? AND turn_id = ? AND role = 'ai' AND status = 'complete'
    ORDER BY created_at, seq LIMIT ${mostAnswers}`);
  const answersBetween = connection.prepare(`
    SELECT ${messageColumns} FROM messages
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

  function turnVerdict(turnId: string, turnSeq: number): Pick<Interaction, 'verdict'> {
    const row = verdict.get(turnSeq);
    return row === undefined
      ? {}
      : { verdict: readJsonObject(row.data, `The verdict of turn ${turnId}`) };
  }

  function interaction(row: NonNullable<ReturnType<typeof questions.get>>): Interaction {
    const question = readMessage(row);
    const { threadId, turnId } = question;
    if (turnId === undefined) {
      return { question, answers: importedAnswers(question, Number(row.seq)) };
    }
    return {
      turnId,
      question,
      answers: answersOfTurn.all(threadId, turnId).map(readMessage),
      ...(row.turn_seq !== null && turnVerdict(turnId, Number(row.turn_seq))),
    };
  }

  return (threadId, limit, exceptTurnId) =>
    questions
      .all(threadId, connection.keptSinceIn(workspaceOf(threadId)), exceptTurnId ?? null, limit)
      .map(interaction)
      .reverse();
}

function qualified(columns: string): string {
  return columns.replaceAll(/\w+/g, 'messages.$&');
}
