import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConversations } from '../../bench/recall-data.ts';
import {
  type Answered,
  askAll,
  askPlainBm25,
  recallAt,
  storeConversation,
} from '../../bench/recall-measure.ts';
import type { StoreFixture } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startUpstashServer, type UpstashServer } from '../fakes/upstash/server.ts';
import { redisFixture } from '../store/redis-fixture.ts';
import { sqliteFixture } from '../store/sqlite-fixture.ts';
import { upstashFixture } from '../store/upstash-fixture.ts';

const file = new URL('../fixtures/recall/conversations.json', import.meta.url).pathname;
const conversations = readConversations(file);
let server: RedisServer;
let endpoint: UpstashServer;

beforeAll(async () => {
  server = await startRedisServer();
  endpoint = await startUpstashServer(server.url);
});
afterAll(async () => {
  await endpoint?.close();
  await server?.remove();
});

async function recalledIn(fixture: StoreFixture): Promise<readonly Answered[]> {
  try {
    const store = await fixture.open();
    for (const conversation of conversations) await storeConversation(store, conversation);
    return await askAll(store, conversations);
  } finally {
    await fixture.remove();
  }
}

test('finds more of the evidence than plain BM25, in each language and half', async () => {
  const recalled = await recalledIn(await sqliteFixture());
  const plain = askPlainBm25(conversations);
  for (const language of ['english', 'german', 'spanish', 'japanese']) {
    for (const isHeldOut of [false, true]) {
      const isOf = ({ conversation }: Answered) =>
        conversation.language === language && conversation.isHeldOut === isHeldOut;
      const [ours, theirs] = [recalled.filter(isOf), plain.filter(isOf)];
      for (const depth of [5, 10]) {
        expect(recallAt(ours, depth), language).toBeGreaterThan(recallAt(theirs, depth) + 5);
      }
    }
  }
  for (const isHeldOut of [false, true]) {
    const half = recalled.filter(({ conversation }) => conversation.isHeldOut === isHeldOut);
    expect(recallAt(half, 5)).toBeGreaterThan(66);
    expect(recallAt(half, 10)).toBeGreaterThan(82);
  }
});

test('finds the same for every question, in the same order, on every backend', async () => {
  const [first = [], ...others] = [
    await recalledIn(await sqliteFixture()),
    await recalledIn(await redisFixture(server)),
    await recalledIn(await upstashFixture(server, endpoint)),
  ].map((recalled) => recalled.map(({ question, found }) => [question.text, found]));
  expect(first.length).toBe(315);
  for (const other of others) expect(other).toEqual(first);
});
