import { z } from 'zod';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { assertOwnCheckpoint } from '../checks.ts';
import {
  type BegunTurn,
  type Checkpoint,
  type EventKey,
  type NewTurn,
  type StepPage,
  SupersededError,
  type TurnHeader,
  type TurnKey,
  type TurnStore,
} from '../store.ts';
import type { Connection, GroupCommit } from './connection.ts';
import type { ExpiredTurns } from './removing.ts';
import { type Row, readStep, readTurnHeader, turnColumns, turnGroupReader } from './rows.ts';
import {
  type MessageOwner,
  messageWriter,
  stepAndUsageWriter,
  turnInsert,
  turnInsertValues,
} from './writers.ts';

/** The turns in a file. Every method is atomic. */
export function sqliteTurnStore(
  connection: Connection,
  writes: GroupCommit,
  expired: ExpiredTurns,
): TurnStore {
  const readGroup = turnGroupReader(connection);
  const readSteps = stepReader(connection);
  const messages = messageWriter(connection);
  const { putSteps, putUsage } = stepAndUsageWriter(connection);
  const foundColumns = 'seq, turn_id, thread_id, created_at';
  const byEvent = connection.prepare(`SELECT ${foundColumns} FROM turns WHERE event_id = ?`);
  const byId = connection.prepare(`SELECT ${foundColumns} FROM turns WHERE turn_id = ?`);
  const insertTurn = connection.prepare(turnInsert);
  const forgotten = connection.prepare(
    'SELECT 1 FROM forgotten_events WHERE event_id = ? AND expires_at > ?',
  );
  const takeTurn = connection.prepare(`
    UPDATE turns SET attempt = attempt + 1, status = 'running' WHERE seq = ? AND status <> 'ended'`);
  const fence = connection.prepare(`
    SELECT seq FROM turns
    WHERE turn_id = ? AND thread_id = ? AND attempt = ? AND status = 'running' AND created_at >= ?`);
  const endTurn = connection.prepare(
    "UPDATE turns SET status = 'ended', outcome = ?, ended_at = ? WHERE seq = ?",
  );
  const listTurns = connection.prepare(`
    SELECT ${turnColumns.names} FROM turns WHERE thread_id = ? AND created_at >= ? AND created_at < ?
    ORDER BY created_at DESC, seq DESC LIMIT ?`);
  const listBefore = connection.prepare(`
    SELECT turn_id, status, created_at FROM turns WHERE thread_id = ? AND seq < ?
    ORDER BY created_at DESC, seq DESC`);
  const listUnfinished = connection.prepare(`
    SELECT ${turnColumns.names} FROM turns WHERE status <> 'ended' AND created_at >= ?
    ORDER BY created_at, seq`);

  function keptSinceIn(threadId: string): number {
    return connection.keptSinceIn(workspaceOf(threadId));
  }

  /** Doesn't find turns of other workspaces. */
  function find(turn: TurnKey | EventKey) {
    const row = 'turnId' in turn ? byId.get(turn.turnId) : byEvent.get(turn.eventId);
    if (row === undefined || !expired.isKept(row)) return undefined;
    const isHere = workspaceOf(String(row.thread_id)) === workspaceOf(turn.threadId);
    return isHere ? { seq: Number(row.seq), turnId: String(row.turn_id) } : undefined;
  }

  /** Stops at the last ended turn: turns end in order, so a long thread isn't read to its beginning. */
  function earlierThan(threadId: string, seq: number): readonly string[] {
    const earlier: string[] = [];
    const keptSince = keptSinceIn(threadId);
    for (const row of listBefore.iterate(threadId, seq)) {
      if (row.status === 'ended') break;
      if (Number(row.created_at) >= keptSince) earlier.unshift(String(row.turn_id));
    }
    return earlier;
  }

  function begin(turn: NewTurn): Promise<BegunTurn> {
    return writes.add(() => {
      const known = byEvent.get(turn.eventId);
      if (known !== undefined && expired.isKept(known)) {
        const earlier = earlierThan(String(known.thread_id), Number(known.seq));
        return { turnId: String(known.turn_id), isNew: false, earlier };
      }
      if (forgotten.get(turn.eventId, connection.now()) !== undefined) {
        return { turnId: turn.turnId, isNew: false, earlier: [] };
      }
      // Expired turns count as absent, even before the sweep; delete them here.
      expired.remove(turn);
      const queued = { ...turn, status: 'queued', attempt: 0 };
      const { lastInsertRowid } = insertTurn.run(...turnInsertValues(queued));
      const owner = { turnId: turn.turnId, threadId: turn.threadId, seq: Number(lastInsertRowid) };
      messages.adoptQuestion(owner, turn.question);
      putSteps(owner.seq, turn.steps ?? []);
      return { turnId: turn.turnId, isNew: true, earlier: earlierThan(owner.threadId, owner.seq) };
    });
  }

  function owner(checkpoint: Checkpoint): MessageOwner {
    const { turnId, threadId, attempt } = checkpoint;
    const row = fence.get(turnId, threadId, attempt, keptSinceIn(threadId));
    if (row === undefined) throw new SupersededError(turnId);
    return { turnId, threadId, seq: Number(row.seq) };
  }

  function oldestUnfinished(limit: number): readonly TurnHeader[] {
    const found: TurnHeader[] = [];
    for (const row of listUnfinished.iterate(connection.keptSince())) {
      if (expired.isKept(row)) found.push(readTurnHeader(row));
      if (found.length === limit) break;
    }
    return found;
  }

  async function write(checkpoint: Checkpoint): Promise<void> {
    assertOwnCheckpoint(checkpoint);
    return writes.add(() => {
      const turn = owner(checkpoint);
      for (const message of checkpoint.messages ?? []) messages.put(turn, message);
      putSteps(turn.seq, checkpoint.steps ?? []);
      putUsage(turn.seq, checkpoint.usage ?? []);
      if (checkpoint.end !== undefined) {
        endTurn.run(checkpoint.end.outcome, checkpoint.end.endedAt, turn.seq);
      }
    });
  }

  return {
    begin: async (turn) => begin(turn),
    take: async (turn) =>
      writes.add(() => {
        const found = find(turn);
        const isTaken = found !== undefined && takeTurn.run(found.seq).changes > 0;
        return isTaken ? readGroup(found.turnId) : undefined;
      }),
    checkpoint: write,
    remark: async (turn, step) =>
      writes.add(() => {
        const found = find(turn);
        if (found === undefined) return false;
        putSteps(found.seq, [step]);
        return true;
      }),
    read: async (turn) =>
      connection.read(() => {
        const found = find(turn);
        return found === undefined ? undefined : readGroup(found.turnId);
      }),
    list: async (threadId, { limit, before = Number.MAX_SAFE_INTEGER }) =>
      connection.read(() =>
        listTurns.all(threadId, keptSinceIn(threadId), before, limit).map(readTurnHeader),
      ),
    steps: async (place, options) => connection.read(() => readSteps(place, options)),
    unfinished: async (limit) => connection.read(() => oldestUnfinished(limit)),
  };
}

/** Thread, time and row of a page's last turn, after which the next page starts in the index. */
const cursor = z.tuple([z.string(), z.number(), z.number()]);

/**
 * Reads steps of a place's turns in the order of `turns_by_thread`: one query for a page of turns, and one for
 * each turn and kind. Call inside `read`.
 */
function stepReader(
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
    // `;` is the character after `:`, so all ids of the place lie between the two.
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
