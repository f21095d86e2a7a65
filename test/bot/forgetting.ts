/** What forgets, over a store of the test's. */

import type { ForgetReport, Forgetting } from '../../src/memory/forgetting/forget.ts';
import type { ForgetSubject } from '../../src/memory/forgetting/notes.ts';
import type { Semaphores } from '../../src/queue/coordination.ts';
import type { JsonObject, Message, Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { type ForgettingChanges, forgettingIn, inlineLock } from './bot-fixture.ts';

export interface ForgettingOfTest extends Omit<ForgettingChanges, 'lock'> {
  readonly semaphores?: Semaphores;
}

/** As in a process that has just been started, at the start of time. */
export function forgetting(store: Store, changes: ForgettingOfTest = {}): Forgetting {
  const { semaphores, ...others } = changes;
  return forgettingIn(store, { now: () => startOfTime, ...others, lock: inlineLock(semaphores) });
}

/** Forgets to the last trace. */
export async function forget(
  store: Store,
  subject: ForgetSubject,
  changes: ForgettingOfTest = {},
): Promise<ForgetReport> {
  const { signal } = new AbortController();
  const process = forgetting(store, changes);
  const report = await process.forget(subject, signal);
  await process.resume(signal);
  return report;
}

/** A turn as the bot stores one. */
export interface AskedBy {
  readonly threadId: string;
  readonly personId: string;
  /** Stands in everything that is said in it. */
  readonly text: string;
  readonly createdAt?: number;
  readonly isPrivate?: boolean;
  /** It goes on: nothing has ended it. */
  readonly isRunning?: boolean;
}

/** Stores a turn of a question, two answers, a review, a verdict, its cost, and what someone said about it. */
export async function askedTurn(store: Store, turnId: string, asked: AskedBy): Promise<void> {
  const attempt = await seatedTurn(store, turnId, asked);
  if (!asked.isRunning) await endedTurn(store, turnId, attempt, asked);
}

/** A turn whose sages have begun to answer. @returns Its attempt. */
export async function seatedTurn(store: Store, turnId: string, asked: AskedBy): Promise<number> {
  const { threadId, personId, text, createdAt = startOfTime } = asked;
  const workspace = threadId.split(':', 2).join(':');
  await store.turns.begin({
    turnId,
    threadId,
    createdAt,
    askedBy: personId,
    eventId: `${workspace}:event of ${personId} ${createdAt} ${turnId.replaceAll(/\D/g, '')}`,
    request: { question: text, author: { id: personId, name: personId } },
    question: {
      ...message(turnId, asked, 'question'),
      ...({ role: 'human', type: 'user_query', status: 'complete', author: personId } as const),
      content: { type: 'user_query', text },
    },
  });
  const recent = { setBy: 'recent', setAt: createdAt };
  const scope = `recent:${workspace}:${personId}`;
  await store.settings.write(scope, { [turnId]: threadId }, recent);
  const attempt = (await store.turns.take({ turnId, threadId }))?.attempt ?? 0;
  // What is said early takes the place that the whole text later grows out of.
  const partial = { answer: text.slice(0, 40), summary: '' };
  const messages = sages.map((sage) => answer(turnId, asked, sage, 'pending', partial));
  await store.turns.checkpoint({ turnId, threadId, attempt, messages });
  return attempt;
}

/** Ends a turn of {@link seatedTurn}. */
export async function endedTurn(
  store: Store,
  turnId: string,
  attempt: number,
  asked: AskedBy,
): Promise<void> {
  const { threadId, personId, text, createdAt = startOfTime } = asked;
  await store.turns.checkpoint({
    turnId,
    threadId,
    attempt,
    messages: sages.map((sage) =>
      answer(turnId, asked, sage, 'complete', {
        answer: `${sage}: ${text}`,
        summary: `In short: ${text}`,
        reasoning: `Hm, ${text}`,
      }),
    ),
    steps: [
      { kind: 'reviewed', key: 'taleb', data: { text: `Of this, ${text}`, reasoning: text } },
      {
        kind: 'verdict',
        key: '',
        data: { kind: 'synthesis', verdict: `So ${text}`, reasoning: text },
      },
    ],
    usage: [
      {
        id: 'call',
        turnId,
        threadId,
        user: personId,
        stage: 'sage',
        model: 'p:m',
        inputTokens: 1,
        outputTokens: 1,
        reasoningTokens: 0,
        costUsd: 0.5,
        estimated: false,
        outcome: 'answered',
        latencyMs: 1,
        createdAt,
      },
    ],
    end: { outcome: 'answered', endedAt: createdAt + 1 },
  });
  const remark = { rating: `good: ${text}` };
  await store.turns.remark({ turnId, threadId }, { kind: 'feedback', key: personId, data: remark });
}

const sages = ['taleb', 'seneca'];

function message(turnId: string, asked: AskedBy, id: string) {
  const { threadId, createdAt = startOfTime, isPrivate = false } = asked;
  return { id: `${turnId}:${id}`, threadId, turnId, createdAt, isPrivate };
}

function answer(
  turnId: string,
  asked: AskedBy,
  sage: string,
  status: Message['status'],
  content: JsonObject,
): Message {
  const kind = { role: 'ai', type: 'sage_output' } as const;
  return { ...message(turnId, asked, sage), ...kind, sage, status, content };
}
