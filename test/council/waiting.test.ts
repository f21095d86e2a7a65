import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CouncilModels } from '../../src/council/council.ts';
import type { TurnEvent } from '../../src/council/events.ts';
import { runTurn } from '../../src/council/turn.ts';
import type { ChatModel } from '../../src/models/chat-model.ts';
import { withPermits } from '../../src/models/usage.ts';
import { mutex } from '../../src/queue/coordination.ts';
import { InlineSemaphores } from '../../src/queue/inline/inline-coordination.ts';
import { answer, council, request, seating, verdict } from './scripted-council.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Well within the time of every stage, and far too long for all calls one after another. */
const callMs = 3000;

/** Answers whatever it is asked, after its time. */
const slow: ChatModel = {
  id: 'test:slow',
  async complete({ stage, signal }) {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      setTimeout(resolve, callMs);
    });
    const said: Readonly<Record<string, string>> = {
      moderator: seating(['ada', 'ben']),
      sage: answer('Yes.'),
      own_answer: 'Wait.',
      review: 'FINAL RANKING:\n1. Response A\n2. Response B',
      verdict,
    };
    return { text: said[stage] ?? '', reasoning: '', finishReason: 'stop' };
  },
  async *stream(asked) {
    const reply = await slow.complete(asked);
    yield { type: 'text', text: reply.text };
    yield { type: 'finished', reply };
  },
};

test('no one is late who only waited for a turn at the provider, in no stage', async () => {
  const semaphores = new InlineSemaphores();
  const limited = withPermits(slow, {
    acquire: (signal) => semaphores.acquire({ ...mutex, name: 'calls:test', limit: 2 }, signal),
  });
  const models: CouncilModels = {
    moderator: limited,
    sage: () => limited,
    reviewer: () => limited,
    chair: limited,
  };
  const events: TurnEvent[] = [];
  const turns = Array.from({ length: 23 }, async (_, index) => {
    for await (const event of runTurn({
      council,
      models,
      request: { ...request, turnId: `turn-${index}` },
      context: { forSages: [], forChair: [], forReviewers: [] },
      signal: new AbortController().signal,
    })) {
      events.push(event);
    }
  });
  const calls = 23 * (1 + 1 + 2 + 2 + 1);
  await vi.advanceTimersByTimeAsync(Math.ceil(calls / 2) * callMs + 1000);
  await Promise.all(turns);
  const of = <T extends TurnEvent['type']>(type: T) =>
    events.filter((event): event is Extract<TurnEvent, { type: T }> => event.type === type);
  expect(of('seated').map(({ seated }) => seated.how)).toEqual(Array(23).fill('moderated'));
  expect(of('answered').map((event) => event.answer.status)).toEqual(Array(46).fill('answered'));
  expect(of('own_answer').flatMap((event) => event.ownAnswer.failure ?? [])).toEqual([]);
  expect(of('reviewed').flatMap(({ review }) => review.failure ?? [])).toEqual([]);
  expect(of('concluded').map((event) => event.verdict.kind)).toEqual(Array(23).fill('synthesis'));
});
