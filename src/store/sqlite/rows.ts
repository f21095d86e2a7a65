import { z } from 'zod';
import type {
  Message,
  Step,
  StoredSetting,
  StoredVector,
  TurnHeader,
  TurnRecord,
  UsageEvent,
} from '../store.ts';
import { parseRecord, readContent, readJson, readJsonObject } from '../stored-json.ts';
import type { Connection } from './connection.ts';

/** The columns of a message that {@link readMessage} needs. */
export const messageColumns =
  'id, thread_id, turn_id, role, type, status, sage, author, content, created_at, parent_id, platform_message_id, is_private';

/** The columns of a turn that {@link readTurnHeader} needs. */
export const turnColumns =
  'turn_id, thread_id, status, attempt, outcome, asked_by, created_at, ended_at';

/** The columns of a model call that {@link readUsage} needs. */
const usageColumns =
  'id, user, sage_name, stage, model, input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated, outcome, latency_ms, created_at';

const messageRow = z.object({
  id: z.string(),
  thread_id: z.string(),
  turn_id: z.string().nullable(),
  role: z.enum(['human', 'ai']),
  type: z.enum(['user_query', 'sage_output']),
  status: z.enum(['pending', 'complete']),
  sage: z.string().nullable(),
  author: z.string().nullable(),
  content: z.string(),
  created_at: z.number(),
  parent_id: z.string().nullable(),
  platform_message_id: z.string().nullable(),
  is_private: z.number().nullable(),
});

const turnRow = z.object({
  turn_id: z.string(),
  thread_id: z.string(),
  status: z.enum(['queued', 'running', 'ended']),
  attempt: z.number(),
  outcome: z.string().nullable(),
  asked_by: z.string().nullable(),
  created_at: z.number(),
  ended_at: z.number().nullable(),
});

const stepRow = z.object({ kind: z.string(), key: z.string(), data: z.string() });

const usageRow = z.object({
  id: z.string(),
  user: z.string(),
  sage_name: z.string().nullable(),
  stage: z.string(),
  model: z.string(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_tokens: z.number(),
  cost_usd: z.number().nullable(),
  estimated: z.number(),
  outcome: z.string(),
  latency_ms: z.number(),
  created_at: z.number(),
});

/** The columns of a setting that {@link readSetting} needs. */
export const settingColumns = 'scope, name, value, set_by, set_at, expires_at';

const settingRow = z.object({
  scope: z.string(),
  name: z.string(),
  value: z.string(),
  set_by: z.string(),
  set_at: z.number(),
  expires_at: z.number().nullable(),
});

const vectorRow = z.object({ model: z.string(), vector: z.instanceof(Uint8Array) });

/** Throws a `StoreError` `corrupt`, naming the record, for a row that isn't one; so do all below. */
export function readMessage(row: unknown): Message {
  const columns = parseRecord(messageRow, row, 'A message');
  const record = `Message ${columns.id} of thread ${columns.thread_id}`;
  return {
    id: columns.id,
    threadId: columns.thread_id,
    ...(columns.turn_id !== null && { turnId: columns.turn_id }),
    role: columns.role,
    type: columns.type,
    status: columns.status,
    ...(columns.sage !== null && { sage: columns.sage }),
    ...(columns.author !== null && { author: columns.author }),
    content: readContent(columns.content, record),
    createdAt: columns.created_at,
    ...(columns.parent_id !== null && { parentId: columns.parent_id }),
    ...(columns.platform_message_id !== null && {
      platformMessageId: columns.platform_message_id,
    }),
    ...(columns.is_private !== null && { isPrivate: columns.is_private === 1 }),
  };
}

/** Reads a row of {@link turnColumns}. */
export function readTurnHeader(row: unknown): TurnHeader {
  const columns = parseRecord(turnRow, row, 'A turn');
  return {
    turnId: columns.turn_id,
    threadId: columns.thread_id,
    status: columns.status,
    attempt: columns.attempt,
    ...(columns.outcome !== null && { outcome: columns.outcome }),
    ...(columns.asked_by !== null && { askedBy: columns.asked_by }),
    createdAt: columns.created_at,
    ...(columns.ended_at !== null && { endedAt: columns.ended_at }),
  };
}

/** Reads a row of kind, key and data. */
function readStep(row: unknown, turnId: string): Step {
  const { kind, key, data } = parseRecord(stepRow, row, `A step of turn ${turnId}`);
  return { kind, key, data: readJsonObject(data, `Step ${kind} ${key} of turn ${turnId}`) };
}

/** Reads a row of {@link usageColumns}. */
function readUsage(row: unknown, turn: TurnHeader): UsageEvent {
  const columns = parseRecord(usageRow, row, `The usage of turn ${turn.turnId}`);
  return {
    id: columns.id,
    turnId: turn.turnId,
    threadId: turn.threadId,
    user: columns.user,
    ...(columns.sage_name !== null && { sageName: columns.sage_name }),
    stage: columns.stage,
    model: columns.model,
    inputTokens: columns.input_tokens,
    outputTokens: columns.output_tokens,
    reasoningTokens: columns.reasoning_tokens,
    ...(columns.cost_usd !== null && { costUsd: columns.cost_usd }),
    estimated: columns.estimated === 1,
    outcome: columns.outcome,
    latencyMs: columns.latency_ms,
    createdAt: columns.created_at,
  };
}

/** A setting, with its scope and name, and when it expires (ms since 1970). */
interface SettingRow {
  readonly scope: string;
  readonly name: string;
  readonly setting: StoredSetting;
  readonly expiresAt?: number;
}

/** Reads a row of {@link settingColumns}. */
export function readSetting(row: unknown): SettingRow {
  const columns = parseRecord(settingRow, row, 'A setting');
  const { scope, name, set_by: setBy, set_at: setAt, expires_at: expiresAt } = columns;
  const value = readJson(columns.value, `Setting ${name} of ${scope}`);
  const setting = { value, setBy, setAt };
  return { scope, name, setting, ...(expiresAt !== null && { expiresAt }) };
}

/** Reads a row of model and vector. */
export function readVector(row: unknown): StoredVector {
  const { model, vector } = parseRecord(vectorRow, row, 'A vector');
  return { model, dimensions: vector.length, values: Int8Array.from(vector) };
}

/**
 * Reads a turn with all that belongs to it, each part by its own index; also what has expired. Works
 * inside the caller's `read` or `transaction`.
 */
export function turnGroupReader(
  connection: Connection,
): (turnId: string) => TurnRecord | undefined {
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

  return (turnId) => {
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
  };
}
