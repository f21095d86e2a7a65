import type { TurnRecord } from '../store.ts';
import { readJsonObject } from '../stored-json.ts';
import type { Connection } from './connection.ts';
import {
  messageColumns,
  readMessage,
  readStep,
  readTurnHeader,
  readUsage,
  turnColumns,
  usageColumns,
} from './rows.ts';

/** Reads a turn with all that belongs to it, each part by its own index. */
export interface TurnGroupReader {
  /** Works inside the caller's `read` or `transaction`. Also what has expired. */
  readGroup(turnId: string): TurnRecord | undefined;
}

export function turnGroupReader(connection: Connection): TurnGroupReader {
  const turn = connection.prepare(
    `SELECT seq, request, ${turnColumns} FROM turns WHERE turn_id = ?`,
  );
  const messages = connection.prepare(
    `SELECT ${messageColumns} FROM messages WHERE thread_id = ? AND turn_id = ? ORDER BY created_at, seq`,
  );
  const steps = connection.prepare(
    'SELECT kind, key, data FROM steps WHERE turn_seq = ? ORDER BY seq',
  );
  const usage = connection.prepare(
    `SELECT ${usageColumns} FROM usage WHERE turn_seq = ? ORDER BY seq`,
  );

  return {
    readGroup(turnId) {
      const row = turn.get(turnId);
      if (row === undefined) return undefined;
      const header = readTurnHeader(row);
      const seq = Number(row.seq);
      return {
        ...header,
        request: readJsonObject(row.request, `The request of turn ${turnId}`),
        messages: messages.all(header.threadId, turnId).map(readMessage),
        steps: steps.all(seq).map((step) => readStep(step, turnId)),
        usage: usage.all(seq).map((event) => readUsage(event, header)),
      };
    },
  };
}
