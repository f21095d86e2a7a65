import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Budgets, pursesOf } from '../../src/bot/money/budgets.ts';
import { Money, type OpenModels } from '../../src/bot/money/money.ts';
import { placeEmbedder } from '../../src/bot/summaries/shard-work.ts';
import { silentLog } from '../../src/domain/log.ts';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import type { Embedder } from '../../src/models/embeddings.ts';
import { pricesIn } from '../../src/models/prices.ts';
import { withEmbeddingUsage } from '../../src/models/usage.ts';
import { InlineQuotas } from '../../src/queue/inline/inline-coordination.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { answer, council, scriptedModels } from '../council/scripted-council.ts';
import { addTurn, said, threadId } from '../memory/remembering.ts';
import { fileSettings, inlineLock, noShards, place, question, startBot } from './bot-fixture.ts';
import { forgetting } from './forgetting.ts';

const dayMs = 24 * 60 * 60 * 1000;
const startedAt = Date.UTC(2026, 0, 1);
let store: Store;
let now: number;

beforeEach(() => {
  now = startedAt;
  store = openSqliteStore({ path: ':memory:', now: () => now });
});
afterEach(() => store.close());

const model = 'test:embedding';
/** Each text is ten tokens, of a cent each. */
const usdPerText = 0.1;
const prices = {
  own: pricesIn({ [model]: { inputUsdPerMillionTokens: 1e4, outputUsdPerMillionTokens: 0 } }),
  listed: () => undefined,
};

function embedding() {
  const texts: string[] = [];
  const embedder: Embedder = {
    id: model,
    embed: async (some) => {
      texts.push(...some);
      const usage = { inputTokens: 10 * some.length, outputTokens: 0, reasoningTokens: 0 };
      return { vectors: some.map(() => [1, 0]), usage };
    },
  };
  const openModels: OpenModels = (record) => ({
    ...scriptedModels({ sages: { ben: [answer('No.')] } }),
    compactor: scriptedModels({}).chair,
    embedder: withEmbeddingUsage(embedder, { prices, record }),
  });
  return { texts, openModels };
}

function recollect(
  openModels: OpenModels,
  budgets: Budgets,
  troubles: string[] = [],
): Recollection {
  const quotas = new InlineQuotas(() => now);
  return new Recollection({
    store: store.memories,
    embedderOf: placeEmbedder({
      store,
      council,
      model,
      settings: fileSettings,
      knownModels: [],
      presets: [],
      money: new Money({
        store,
        quotas,
        openModels,
        budgets,
        log: silentLog,
        now: () => now,
        priceOf: () => 0,
        access: {},
      }),
    }),
    onTrouble: (error, what) => troubles.push(`${what}: ${error}`),
  });
}

function purses(payer: Parameters<typeof pursesOf>[0]): readonly string[] {
  return pursesOf(payer).map(({ name }) => name);
}

const asking = { scope: { threadId, reach: 'channel' }, language: 'English' } as const;

describe('what embeddings cost', () => {
  test('is paid by channel and workspace for what is remembered, and by no one twice', async () => {
    await addTurn(store, 't1', { ada: said('Yes.') });
    const { texts, openModels } = embedding();
    const recollection = recollect(openModels, {});
    const free: Embedder = { id: model, embed: async () => ({ vectors: [[1, 0]] }) };
    await recollection.open({ ...asking, text: 'Why?', embedder: free });
    await recollection.embedded();
    expect(texts).toHaveLength(2);
    const scopes = purses({ threadId });
    const spent = () => store.spent(scopes, startedAt);
    expect(await spent()).toEqual(Array(3).fill(2 * usdPerText));
    await recollection.open({ ...asking, text: 'Why?', embedder: free });
    await recollection.embedded();
    expect(await spent()).toEqual(Array(3).fill(2 * usdPerText));
  });

  test('is not spent where a budget is, and what is remembered gets its vectors when it renews', async () => {
    await addTurn(store, 't1', { ada: said('Yes.') });
    await store.spend(purses({ threadId }), 1);
    const { texts, openModels } = embedding();
    const troubles: string[] = [];
    const recollection = recollect(openModels, { workspaceUsdPerDay: 1 }, troubles);
    await recollection.open({ ...asking, text: 'Why?' });
    await recollection.embedded();
    expect(texts).toEqual([]);
    expect(troubles).toContainEqual(
      expect.stringMatching(
        /^new memories are found by their words alone: RefusedError: This workspace's budget/,
      ),
    );
    now += dayMs;
    await recollection.open({ ...asking, text: 'Why?' });
    await recollection.embedded();
    expect(texts.toSorted()).toHaveLength(3);
  });

  test('of a question is part of its turn, and stands in the receipt', async () => {
    await addTurn(store, 't1', { ada: said('Yes.') });
    const { openModels } = embedding();
    const { bot, idle, shutDown } = await startBot(
      scriptedModels({}),
      {
        openModels,
        memory: {
          limits: { interactions: 3, chairTurns: 3, memories: 10, budgetTokens: 4000 },
          recollection: recollect(openModels, {}),
          shards: noShards,
          lock: inlineLock(),
          forgetting: forgetting(store),
        },
      },
      store,
    );
    const asked = await bot.ask({ ...question, question: 'Ben: why?' });
    await idle();
    const { turnId } = asked.status === 'accepted' ? asked : { turnId: '' };
    const record = await store.turns.read({ turnId, threadId });
    const calls = record?.usage.filter(({ stage }) => stage === 'embedding');
    expect(calls).toMatchObject([
      {
        model,
        inputTokens: 10,
        costUsd: usdPerText,
        user: question.author.id,
        outcome: 'answered',
      },
    ]);
    const [user = ''] = purses({ threadId, userId: question.author.id });
    expect(await store.spent([user], 0)).toEqual([usdPerText]);
    const person = { id: 'u1', name: 'Uma', isManager: false, isServerManager: false };
    const reply = await bot.command({ place, person, command: 'receipt', options: {} });
    expect(JSON.stringify(reply)).toContain('"embedding","test:embedding","10"');
    await shutDown();
  });
});
