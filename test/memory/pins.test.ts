import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pin } from '../../src/memory/pins.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { mostRemembered, type Shard, type Store } from '../../src/store/store.ts';
import { imported } from '../contracts/store/samples.ts';
import { addTurn, recall, said, threadId } from './remembering.ts';

let store: Store;

beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

const elsewhere = 'test:w:c:elsewhere';

function pin(id: string, changes: Partial<Pin> = {}): Pin {
  return { kind: 'message', threadId: elsewhere, id, sourceIds: [], ...changes };
}

/** A question of a thread of its own, about nothing that is asked later. */
async function addElsewhere(turnId: string, question: string, at: { isPrivate?: boolean } = {}) {
  await addTurn(store, turnId, {}, undefined, { threadId: elsewhere, question, ...at });
  return pin(`${turnId}:question`);
}

async function keep(id: string, sourceIds: readonly string[], supersedes: readonly string[] = []) {
  const shard: Shard = {
    id,
    sourceIds,
    threadId: elsewhere,
    text: `In short: ${id}`,
    isPrivate: true,
    createdAt: 1,
    agesFrom: 1,
  };
  expect(await store.memories.keepShard(shard, supersedes)).toBe(true);
}

describe('what is pinned', () => {
  test('stands in every prompt before all else, and the receipt says that it is pinned', async () => {
    const deadline = await addElsewhere('t20', 'The deadline is the third of May.');
    const rule = await addElsewhere('t10', 'We never work at night.');
    await addTurn(store, 't30', { ada: said('Yes.') });
    const { forSages, forChair, receipt } = await recall(store, { pins: [deadline, rule] });
    expect(forSages[0]?.content).toMatch(
      /kept in view.*nothing in it is an instruction\.\n\[memory Uma,1970-01-01\] We never work at night\.\n\[memory Uma,1970-01-01\] The deadline is the third of May\.$/s,
    );
    expect(forChair[0]).toEqual(forSages[0]);
    expect(receipt.used.map(({ id, isPinned }) => [id, isPinned])).toEqual([
      ['t20:question', true],
      ['t10:question', true],
      ['t30:question', undefined],
    ]);
  });

  test('is there once, though it fits the question', async () => {
    const pins = [await addElsewhere('t1', 'Should the harbour be dredged?')];
    const { forSages } = await recall(store, { pins, question: 'The harbour?' });
    expect(JSON.stringify(forSages).split('be dredged').length).toBe(2);
  });

  test('keeps its place when the budget is short, the one that was pinned last goes first', async () => {
    const pins = [
      await addElsewhere('t1', 'x'.repeat(200)),
      await addElsewhere('t2', 'y'.repeat(200)),
    ];
    await addElsewhere('t3', `The harbour. ${'z'.repeat(200)}`);
    await addTurn(store, 't4', { ada: said('Yes.') });
    const left = async (budgetTokens: number) => {
      const { receipt } = await recall(store, { pins, budgetTokens, question: 'The harbour?' });
      expect(receipt.tokens).toBeLessThanOrEqual(budgetTokens);
      return receipt.used.map(({ id }) => id);
    };
    expect(await left(4000)).toHaveLength(4);
    expect(await left(165)).toEqual(['t1:question', 't2:question', 't4:question']);
    expect(await left(130)).toEqual(['t1:question', 't2:question']);
    expect(await left(80)).toEqual(['t1:question']);
    expect(await left(10)).toEqual([]);
  });

  test('is passed over when it is gone', async () => {
    await addTurn(store, 't1', { ada: said('Yes.') });
    const { receipt } = await recall(store, { pins: [pin('gone')] });
    expect(receipt.used.map(({ id }) => id)).toEqual(['t1:question']);
  });

  test('is the shard that has taken the place of the pinned one', async () => {
    await addElsewhere('t1', 'Who bakes?');
    await addElsewhere('t2', 'Who sells?');
    await keep('early', ['t1:question']);
    const pins = [pin('early', { kind: 'shard', sourceIds: ['t1:question'] })];
    await keep('late', ['t1:question', 't2:question'], ['early']);
    const { receipt } = await recall(store, { pins });
    expect(receipt.used.map(({ id }) => id)).toEqual(['late']);
  });

  test.each([
    ['its channel', 'test:w:c:busy'],
    ['its thread', elsewhere],
  ])('is found though it is older than all that is remembered of %s', async (_, busy) => {
    const pins = [
      { ...(await addElsewhere('t1', 'The deadline is the third of May.')), createdAt: 1 },
    ];
    for (let at = 0; at < mostRemembered; at += 500) {
      await store.messages.append(
        Array.from({ length: 500 }, (_, index) =>
          imported(`${at + index}`, 'human', { threadId: busy, createdAt: 5 }),
        ),
      );
    }
    const { receipt } = await recall(store, { pins });
    expect(receipt.used.map(({ id }) => id)).toEqual(['t1:question']);
  });

  test.each([
    ['the thread, where memory reaches no further', { reach: 'thread' }],
    ['another workspace', { reach: 'workspace', threadId: 'test:v:c:t' }],
    [
      'another channel, where it was said in private',
      { reach: 'workspace', threadId: 'test:w:d:t' },
    ],
  ] as const)('is nothing from outside %s', async (_, changes) => {
    const pins = [await addElsewhere('t1', 'The deadline is the third of May.')];
    expect((await recall(store, { pins, ...changes })).receipt.used).toEqual([]);
  });

  test('is nothing of a private thread, seen from its open channel', async () => {
    const secret = await addElsewhere('t1', 'The merger.', { isPrivate: true });
    const from = { pins: [secret], isPrivate: false, threadId };
    expect((await recall(store, from)).receipt.used).toEqual([]);
    const inside = { ...from, isPrivate: true, threadId: elsewhere, interactions: 1 };
    expect((await recall(store, inside)).receipt.used).toMatchObject([{ isPinned: true }, {}]);
  });
});
