/** Writes conversations of any length into a store, by the verbs that a running bot uses. */

import type { Checkpoint, Message, NewTurn, Store, UsageEvent } from '../src/store/store.ts';

export const messagesPerTurn = 5;
const turnsPerThread = 10;
/** Threads that are talked in at one time; a new one begins as one falls silent. */
const threadsAtOnce = 50;
const startedAt = Date.UTC(2026, 0, 1);
const sages = ['marcus_aurelius', 'nassim_taleb', 'naval_ravikant', 'strategy_expert'] as const;
const answerText = 'What is in your hands, and what is not? '.repeat(20);
const summaryText = 'Attend to what you control. '.repeat(6);
const workspace = 'discord:1100000000000000000';

/** How many threads a history of so many messages has. */
export function threadCount(messageCount: number): number {
  return messageCount / messagesPerTurn / turnsPerThread;
}

export function threadName(index: number): string {
  return `${workspace}:1200000000000000000:${1_300_000_000_000_000_000n + BigInt(index)}`;
}

/** Writes turns of five messages, a seating, a verdict and two counted calls each. */
export async function writeHistory(store: Store, messageCount: number): Promise<void> {
  const perWindow = threadsAtOnce * turnsPerThread;
  for (let index = 0; index < messageCount / messagesPerTurn; index += 1) {
    const window = Math.floor(index / perWindow);
    const thread = window * threadsAtOnce + (index % threadsAtOnce);
    const turn = newTurn(`history-${index}`, threadName(thread), startedAt + index * 1000);
    await store.turns.begin(turn);
    await store.turns.take(turn);
    await store.turns.checkpoint({
      turnId: turn.turnId,
      threadId: turn.threadId,
      attempt: 1,
      messages: sages.map((sage) => answer(turn, sage)),
      steps: [
        { kind: 'seated', key: '', data: { seats: sages } },
        { kind: 'verdict', key: '', data: { verdict: answerText, confidence: 'medium' } },
      ],
      usage: [usage(turn, 'moderator'), usage(turn, 'verdict')],
      end: { outcome: 'answered', endedAt: turn.createdAt + 900 },
    });
  }
}

export function newTurn(turnId: string, threadId: string, createdAt: number): NewTurn {
  const text = 'How should I frame my career path?';
  const question: Message = {
    id: `${turnId}:question`,
    threadId,
    turnId,
    role: 'human',
    type: 'user_query',
    status: 'complete',
    author: 'Ada',
    content: { type: 'user_query', text },
    createdAt,
    isPrivate: false,
  };
  const request = { question: text, author: { id: 'ada', name: 'Ada' } };
  return { turnId, threadId, eventId: `discord:home:${turnId}`, request, question, createdAt };
}

/** The checkpoint that stands for a sage that has answered. */
export function finishedAnswer(turn: NewTurn): Checkpoint {
  return {
    turnId: turn.turnId,
    threadId: turn.threadId,
    attempt: 1,
    messages: [answer(turn, sages[0])],
    usage: [usage(turn, 'sage')],
  };
}

function answer(turn: NewTurn, sage: string): Message {
  return {
    id: `${turn.turnId}:${sage}`,
    threadId: turn.threadId,
    turnId: turn.turnId,
    role: 'ai',
    type: 'sage_output',
    status: 'complete',
    sage,
    content: { type: 'sage_output', sage, answer: answerText, summary: summaryText },
    createdAt: turn.createdAt,
    parentId: turn.question.id,
    isPrivate: false,
  };
}

function usage(turn: NewTurn, stage: string): UsageEvent {
  return {
    id: `${turn.turnId}:${stage}`,
    turnId: turn.turnId,
    threadId: turn.threadId,
    user: 'ada',
    stage,
    model: 'openai:gpt-5',
    inputTokens: 1200,
    outputTokens: 300,
    reasoningTokens: 100,
    costUsd: 0.0042,
    estimated: false,
    outcome: 'answered',
    latencyMs: 2100,
    createdAt: turn.createdAt,
  };
}
