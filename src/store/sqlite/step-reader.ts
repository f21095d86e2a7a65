import { z } from 'zod';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { StepPage, TurnStore } from '../store.ts';
import type { Connection } from './connection.ts';
import { type Row, readStep } from './rows.ts';

/** Thread, time and row of the last turn of a page: the next one goes on behind it in the index. */
const cursor = z.tuple([z.string(), z.number(), z.number()]);

/**
 * Reads steps of the turns of a place in the order of `turns_by_thread`: one look for the turns of a page,
 * and one for each turn and kind. Works inside the caller's `read`.
 */
export function stepReader(
  connection: Connection,
): (place: string, options: Parameters<TurnStore['steps']>[1]) => StepPage {
  const endedTurns = connection.prepare(`
    SELECT seq, turn_id, thread_id, created_at FROM turns
    WHERE (thread_id, created_at, seq) > (?1, ?2, ?3) AND thread_id < ?4
      AND created_at >= ?5 AND status = 'ended'
    ORDER BY thread_id, created_at, seq LIMIT ?6`);
  const stepsOfKind = connection.prepare(
    'SELECT seq, kind, key, data FROM steps WHERE turn_seq = ? AND kind = ? ORDER BY seq',
  );

  return (place, { kinds, since, limit, after }) => {
    // A semicolon is what comes next after a colon: all ids of the place lie between the two.
    const [thread, createdAt, seq] =
      after === undefined ? ([`${place}:`, 0, 0] as const) : cursor.parse(JSON.parse(after));
    const keptSince = connection.keptSinceIn(place.split(':', 2).join(':'));
    const from = Math.max(since, keptSince);
    const rows = endedTurns.all(thread, createdAt, seq, `${place};`, from, limit);
    const stepsOf = (row: Row) =>
      kinds
        .flatMap((kind) => stepsOfKind.all(Number(row.seq), kind))
        .toSorted((one, other) => Number(one.seq) - Number(other.seq))
        .map((step) => readStep(step, String(row.turn_id)));
    const turns = rows
      .map((row) => ({
        turnId: String(row.turn_id),
        threadId: String(row.thread_id),
        createdAt: Number(row.created_at),
        steps: stepsOf(row),
      }))
      .filter(({ threadId }) => channelOf(threadId) === place || workspaceOf(threadId) === place);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      turns,
      ...(last && { next: JSON.stringify([last.thread_id, last.created_at, last.seq]) }),
    };
  };
}
