import type {
  Message,
  NewTurn,
  Store,
  TurnKey,
  TurnRecord,
  UsageEvent,
} from '../../../src/store/store.ts';
import { startOfTime } from './case.ts';

export const threadId = 'terminal:home:main:thread';
export const otherThreadId = 'terminal:elsewhere:main:thread';

/** Names a turn of the usual workspace. */
export function turnKey(turnId: string): TurnKey {
  return { turnId, threadId };
}

/** A turn as it is asked, its event and question named after it. */
export function newTurn(turnId: string, changes: Partial<NewTurn> = {}): NewTurn {
  const thread = changes.threadId ?? threadId;
  const createdAt = changes.createdAt ?? startOfTime;
  return {
    turnId,
    threadId: thread,
    eventId: `terminal:home:event-of-${turnId}`,
    request: { question: `What of ${turnId}?` },
    question: question(turnId, { threadId: thread, createdAt }),
    createdAt,
    ...changes,
  };
}

export function question(turnId: string, changes: Partial<Message> = {}): Message {
  return {
    id: `question-of-${turnId}`,
    threadId,
    turnId,
    role: 'human',
    type: 'user_query',
    status: 'complete',
    author: 'Ada',
    content: { type: 'user_query', text: `What of ${turnId}?` },
    createdAt: startOfTime,
    ...changes,
  };
}

export function answer(turnId: string, sage: string, changes: Partial<Message> = {}): Message {
  return {
    id: `${sage}-in-${turnId}`,
    threadId,
    turnId,
    role: 'ai',
    type: 'sage_output',
    status: 'complete',
    sage,
    content: { type: 'sage_output', sage, answer: `${sage} on ${turnId}`, summary: 'In short.' },
    createdAt: startOfTime,
    parentId: `question-of-${turnId}`,
    ...changes,
  };
}

/** A message from elsewhere, without a turn. */
export function imported(
  id: string,
  role: Message['role'],
  changes: Partial<Message> = {},
): Message {
  return {
    id,
    threadId,
    role,
    type: role === 'human' ? 'user_query' : 'sage_output',
    status: 'complete',
    content: { text: `Said as ${id}` },
    createdAt: startOfTime,
    ...changes,
  };
}

export function usage(turnId: string, id: string, changes: Partial<UsageEvent> = {}): UsageEvent {
  return {
    id,
    turnId,
    threadId,
    user: 'user-ada',
    stage: 'sage',
    model: 'rehearsal:council',
    inputTokens: 100,
    outputTokens: 20,
    reasoningTokens: 0,
    costUsd: 0.25,
    estimated: false,
    outcome: 'answered',
    latencyMs: 200.5,
    createdAt: startOfTime,
    ...changes,
  };
}

/** Begins a turn and takes it. */
export async function runningTurn(store: Store, turn: NewTurn): Promise<TurnRecord> {
  await store.turns.begin(turn);
  const taken = await store.turns.take(turn);
  if (taken === undefined) throw new Error(`Turn ${turn.turnId} was begun and can't be taken.`);
  return taken;
}

/** Runs a turn to its end with one answer by each of the sages, created when the turn was. */
export async function endedTurn(
  store: Store,
  turn: NewTurn,
  sages: readonly string[] = ['taleb'],
): Promise<void> {
  const { attempt } = await runningTurn(store, turn);
  const { turnId, threadId: thread, createdAt } = turn;
  await store.turns.checkpoint({
    turnId,
    threadId: thread,
    attempt,
    messages: sages.map((sage) => answer(turnId, sage, { threadId: thread, createdAt })),
    end: { outcome: 'answered', endedAt: createdAt + 1000 },
  });
}

export function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id);
}

export function turnIdsOf(
  turns: readonly { readonly turnId?: string }[],
): readonly (string | undefined)[] {
  return turns.map(({ turnId }) => turnId);
}
