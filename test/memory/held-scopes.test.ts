import { afterEach, beforeEach, expect, test } from 'vitest';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { MemoryStore, Store } from '../../src/store/store.ts';
import { imported } from '../contracts/store/samples.ts';

const channels = 40;
const channelAt = (at: number) => `test:w:channel${at}:t`;
let store: Store;
/** Threads whose scope was read from its beginning. */
let readWhole: string[];

beforeEach(async () => {
  store = openSqliteStore({ path: ':memory:' });
  readWhole = [];
  for (let at = 0; at < channels; at += 1) {
    await store.messages.append(
      ['Who owns the harbour?', 'Who bakes the bread?'].map((text, createdAt) =>
        imported(text, 'human', { threadId: channelAt(at), content: { text }, createdAt }),
      ),
    );
  }
});
afterEach(() => store.close());

function recollect(maxBytes?: number): Recollection {
  const counting: MemoryStore = {
    ...store.memories,
    read: (scope, options) => {
      if (options.since === undefined) readWhole.push(scope.threadId);
      return store.memories.read(scope, options);
    },
    keepShard: (...args) => store.memories.keepShard(...args),
    vectors: (...args) => store.memories.vectors(...args),
    keepVectors: (...args) => store.memories.keepVectors(...args),
  };
  return new Recollection({
    store: counting,
    ...(maxBytes !== undefined && { maxBytes }),
    onTrouble: (error) => {
      throw error;
    },
  });
}

async function askIn(recollection: Recollection, at: number): Promise<number> {
  const scope = { threadId: channelAt(at), reach: 'channel' } as const;
  const search = await recollection.open({ scope, text: 'The harbour?', language: 'english' });
  return search(5, () => false).length;
}

test('as many channels are held as there is room for, and none of them is read twice', async () => {
  const recollection = recollect();
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < channels; at += 1) expect(await askIn(recollection, at)).toBe(2);
  }
  expect(readWhole).toHaveLength(channels);
});

test('the channel that was asked in longest ago makes room for another', async () => {
  // Room for three channels of about 5 kB.
  const recollection = recollect(17_000);
  for (const at of [0, 1, 0, 2, 3, 0]) await askIn(recollection, at);
  expect(readWhole.filter((threadId) => threadId === channelAt(0))).toHaveLength(1);
  await askIn(recollection, 1);
  expect(readWhole.filter((threadId) => threadId === channelAt(1))).toHaveLength(2);
});

test('a channel that is larger than all the room is held alone', async () => {
  const recollection = recollect(100);
  for (let round = 0; round < 3; round += 1) expect(await askIn(recollection, 7)).toBe(2);
  expect(readWhole).toEqual([channelAt(7)]);
});
