import { describe, expect, test } from 'vitest';
import { ShardNotes } from '../../src/memory/shards/notes.ts';
import type { ChatModel } from '../../src/models/chat-model.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { readAll } from '../contracts/store/memory-samples.ts';
import { threadId } from '../memory/remembering.ts';
import { storeFixtures } from '../store/store-fixtures.ts';
import { Death, immortal, mortal } from './death.ts';
import { liveShards, pace, sharding, toldTurn, wholeSummary } from './sharding.ts';

/** Leaves nothing out. */
function repeater(death: Death): ChatModel {
  const model: ChatModel = {
    id: 'test:compactor',
    complete: (request) =>
      death.step(async () => ({
        text: wholeSummary(request),
        reasoning: '',
        finishReason: 'stop',
        usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 0 },
      })),
    // biome-ignore lint/correctness/useYield: nothing is streamed here.
    async *stream() {
      throw new Error('Nothing is streamed here.');
    },
  };
  return model;
}

/** Leaves a shard of one turn and four more turns, the shard's work dying at a step; then a new process goes on. */
async function dieAt(death: Death, isCompressed: boolean, store: Store): Promise<void> {
  let now = startOfTime;
  const process = (one: Death) =>
    sharding(mortal(store, one), {
      now: () => now,
      ...(isCompressed && { model: repeater(one) }),
    });
  const alive = process(immortal());
  await toldTurn(alive, store, 'turn1');
  now += pace.everyMs;
  await alive.runAll();
  for (const turnId of ['turn2', 'turn3', 'turn4', 'turn5']) {
    await toldTurn(alive, store, turnId);
  }
  now += pace.everyMs;
  await process(death)
    .runAll()
    .catch((error: unknown) => {
      if (!death.isDead) throw error;
    });
  // As much later as the pause after a failure.
  now += pace.everyMs;
  await process(immortal()).runAll();
}

async function expectWhole(store: Store): Promise<void> {
  const shards = await liveShards(store);
  const { messages } = await readAll(store, 'thread', { thread: threadId });
  const remembered = messages.map(({ message }) => message.id);
  expect(remembered).toHaveLength(15);
  expect(shards.flatMap(({ sourceIds }) => sourceIds).toSorted()).toEqual(remembered.toSorted());
  for (const { message, shardId } of messages) {
    const holder = shards.find(({ sourceIds }) => sourceIds.includes(message.id));
    expect(shardId, message.id).toBe(holder?.id);
  }
  expect(await new ShardNotes(store.settings, () => startOfTime).read()).toEqual([]);
}

const fixtures = storeFixtures();

describe.each(Object.entries(fixtures))('over %s', (_, open) => {
  test.each([
    ['kept as they are', false],
    ['compressed', true],
  ])(
    'messages that are %s have one shard each, whatever step the process dies at',
    async (_how, isCompressed) => {
      const run = async (death: Death) => {
        const fixture = await open();
        const store = await fixture.open();
        try {
          await dieAt(death, isCompressed, store);
          await expectWhole(store);
        } finally {
          await fixture.remove();
        }
      };
      const whole = immortal();
      await run(whole);
      expect(whole.steps).toBeGreaterThan(8);
      for (let at = 1; at <= whole.steps; at += 1) {
        for (const when of ['before', 'after'] as const) {
          const death = new Death(at, when);
          await run(death);
          expect(death.isDead, `step ${at}`).toBe(true);
        }
      }
    },
  );
});
