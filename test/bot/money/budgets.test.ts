import { describe, expect, test } from 'vitest';
import { type Log, silentLog } from '../../../src/domain/log.ts';
import type { Asked, Ingress } from '../../../src/platforms/platform.ts';
import { InlineQuotas } from '../../../src/queue/inline/inline-coordination.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { answer, type Script, scriptedModels } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { CollectingPlatform, fileSettings, person, question, startBot } from '../bot-fixture.ts';

const oneAnswer: Script = { sages: { ben: [answer('No.')] } };
const toBen = { ...question, sages: ['ben'] };

describe('budgets', () => {
  test('refuse a question before any call, saying whose, how much is left and when it renews', async () => {
    const models = scriptedModels(oneAnswer);
    const now = Date.UTC(2026, 10, 21, 12);
    const lines: unknown[] = [];
    const { bot } = await startBot(models, {
      log: { ...silentLog, info: (facts, sentence) => void lines.push([sentence, facts]) },
      priceOf: () => 0.1,
      budgets: { userUsdPerDay: 0.05 },
      now: () => now,
    });
    const asked = await bot.ask(toBen);
    expect(asked).toMatchObject({ status: 'refused' });
    const reason = asked.status === 'refused' ? asked.reason : '';
    expect(reason).toContain('Your budget of $0.0500 a day has $0.0500 left');
    expect(reason).toContain('<t:1795305600>');
    const facts = { threadId: question.threadId, userId: question.author.id, reason };
    expect(lines).toEqual([['this question exceeds a budget or limit', facts]]);
    expect(models.unsaid()).toBe(1);
  });

  test('reckon with what a question reads once it has read it, before any call', async () => {
    const long = answer('No. '.repeat(1500));
    const models = scriptedModels({ sages: { ben: [long, answer('Never.')] } });
    const { bot, platform, store, idle } = await startBot(models, {
      // A question and its instructions are some 1,100 tokens, what it may recall up to 4,000.
      priceOf: (_model, input) => input / 10_000,
      // A call costs $0.20.
      budgets: { userUsdPerDay: 0.35 },
    });
    expect(await bot.ask(toBen)).toMatchObject({ status: 'accepted' });
    await idle();
    const other = { ...toBen, eventId: 'event-2' };
    expect(await bot.ask(other)).toMatchObject({ status: 'accepted' });
    await idle();
    expect(models.unsaid()).toBe(1);
    expect(platform.shown[1]?.events.at(-1)).toMatchObject({
      end: {
        outcome: 'failed',
        // Everyone reads the card, and the figures are the person's own.
        explanation: expect.stringMatching(
          /^A daily budget does not cover this question\. Ask again at <t:\d+>\.$/,
        ),
        toAsker: expect.stringMatching(
          /^Your budget of \$0\.35 a day has \$0\.15 left, and this question may cost up to \$0\.2\d\./,
        ),
      },
    });
    const { turnId } = platform.shown[1]?.turn.request ?? expect.unreachable();
    const stored = await store.turns.read({ turnId, threadId: toBen.threadId });
    expect(JSON.stringify(stored)).not.toContain('Your budget');
    const purse = ['user:any:any:test:u1'];
    expect((await store.spent(purse, 0))[0]).toBeCloseTo(0.2);
  });

  test('hold no more for a question than it can cost with what it reads', async () => {
    const models = scriptedModels({ sages: { ben: [hang, hang] } });
    const { bot, shutDown } = await startBot(models, {
      priceOf: (_model, input) => input / 10_000,
      budgets: { userUsdPerDay: 0.3 },
    });
    for (const thread of ['t1', 't2']) {
      const asked = { ...toBen, eventId: thread, threadId: `test:w:c:${thread}` };
      expect(await bot.ask(asked)).toMatchObject({ status: 'accepted' });
    }
    await shutDown();
  });

  test('reckon with the summary of older questions, where the history is shown in full', async () => {
    const models = scriptedModels(oneAnswer);
    const compactor = { ...models.chair, id: 'test:compactor' };
    const { bot } = await startBot(models, {
      openModels: () => ({ ...models, compactor }),
      priceOf: (model) => (model === compactor.id ? 0.3 : 0.1),
      budgets: { userUsdPerDay: 0.2 },
      settings: { ...fileSettings, history: 'full' },
    });
    expect(await bot.ask(toBen)).toMatchObject({
      reason: expect.stringContaining('this question may cost up to $0.40.'),
    });
  });

  test('count what was really spent, in every scope', async () => {
    const { bot, store, idle } = await startBot(scriptedModels(oneAnswer), {
      budgets: { workspaceUsdPerDay: 10 },
    });
    await bot.ask(toBen);
    await idle();
    const spent = await store.spent(
      ['user:any:any:test:u1', 'channel:test:w:c', 'total:any:any', 'workspace:test:x'],
      0,
    );
    // 10 tokens in at $10,000 and 5 out at $20,000 a million.
    expect(spent.map((usd) => usd.toFixed(4))).toEqual(['0.2000', '0.2000', '0.2000', '0.0000']);
  });

  test('can be added up by person and by place from the log, which also says how long it waited', async () => {
    const lines: unknown[] = [];
    const logOf = (given: object): Log => ({
      ...silentLog,
      info: (facts, sentence) => {
        if (/^turn (begun|ended)$/.test(sentence)) lines.push({ ...given, ...facts });
      },
      child: (facts) => logOf({ ...given, ...facts }),
    });
    const log = logOf({});
    const { bot, idle } = await startBot(scriptedModels(oneAnswer), { log });
    await bot.ask(toBen);
    await idle();
    const { threadId, author } = question;
    expect(lines).toMatchObject([
      { threadId, user: author.id, sinceAskedMs: expect.any(Number) },
      { outcome: 'answered', threadId, user: author.id, costUsd: 0.2 },
    ]);
  });

  test('can not be passed by many questions at once', async () => {
    const { bot, shutDown } = await startBot(scriptedModels({ sages: { ben: [hang, hang] } }), {
      priceOf: () => 0.1,
      budgets: { userUsdPerDay: 0.25 },
    });
    const burst = [1, 2, 3, 4].map((number) =>
      bot.ask({ ...toBen, eventId: `event-${number}`, threadId: `test:w:c:${number}` }),
    );
    const taken = (await Promise.all(burst)).filter(({ status }) => status === 'accepted');
    expect(taken).toHaveLength(2);
    await shutDown();
  });
});

test('a running question stays in the budgets when its own process, started again, finds it stored', async () => {
  const { bot, shutDown } = await startBot(scriptedModels({ sages: { ben: [hang] } }), {
    priceOf: () => 0.1,
    budgets: { userUsdPerDay: 0.15 },
  });
  const asked = await bot.ask(toBen);
  const again = await bot.ask({ ...toBen, ...(asked.status === 'accepted' && asked) });
  expect(again).toMatchObject({ status: 'accepted', isNew: false });
  const other = { ...toBen, eventId: 'event-2', threadId: 'test:w:c:other' };
  expect(await bot.ask(other)).toMatchObject({ status: 'refused' });
  await shutDown();
});

describe('what is spent after a question has read the budgets', () => {
  /** A store that runs `meanwhile` between the second reading of what was spent and its result. */
  function storeWith(meanwhile: () => Promise<unknown>): Store {
    const whole = openSqliteStore({ path: ':memory:' });
    let reads = 0;
    return {
      ...whole,
      spent: async (scopes, since) => {
        const spent = await whole.spent(scopes, since);
        reads += 1;
        if (reads === 2) await meanwhile();
        return spent;
      },
    };
  }
  // Each question or task is estimated at $0.30 and costs $0.20.
  const changes = { priceOf: () => 0.3, budgets: { userUsdPerDay: 0.4 } };
  const refused = { reason: expect.stringContaining('has $0.20 left') };

  test('counts, if another question ended meanwhile', async () => {
    const finishing = Promise.withResolvers<string>();
    const models = scriptedModels({ sages: { ben: [() => finishing.promise, hang] } });
    const store = storeWith(() => {
      finishing.resolve(answer('No.'));
      return idle();
    });
    const { bot, idle, shutDown } = await startBot(models, changes, store);
    await bot.ask(toBen);
    expect(await bot.ask({ ...toBen, eventId: 'event-2' })).toMatchObject(refused);
    await shutDown();
  });

  test('counts, if a question ended meanwhile in another process', async () => {
    const store = storeWith(async () => {
      finishing.resolve(answer('No.'));
      await other.idle();
    });
    const shared = { ...changes, quotas: new InlineQuotas() };
    const finishing = Promise.withResolvers<string>();
    const finished = scriptedModels({ sages: { ben: [() => finishing.promise] } });
    const other = await startBot(finished, shared, store);
    const { bot, shutDown } = await startBot(scriptedModels({}), shared, store);
    await other.bot.ask(toBen);
    expect(await bot.ask({ ...toBen, eventId: 'event-2' })).toMatchObject(refused);
    await shutDown();
  });

  test('counts, if a small task was done meanwhile', async () => {
    const models = scriptedModels({ sages: { ben: [hang] }, chair: ['Engines'] });
    const store = storeWith(() => bot.sideTask(task));
    const { bot, shutDown } = await startBot(models, changes, store);
    await store.spent([], 0);
    const { signal } = new AbortController();
    const messages = [{ role: 'user', content: 'Find a title.' }] as const;
    const task = { threadId: question.threadId, person, messages, signal };
    expect(await bot.ask(toBen)).toMatchObject(refused);
    await shutDown();
  });
});

describe('unfinished questions after a restart', () => {
  const inOtherThread = { ...toBen, eventId: 'event-other', threadId: 'test:w:c:other' };
  const threeHang: Script = { sages: { ben: [hang, hang, hang] } };
  const free = { prices: { own: () => 0, listed: () => undefined } };

  /** Asks twice in one thread, so that the second question waits for the first, and shuts the bot down. */
  async function storeOfTwoUnfinished() {
    const { bot, store, shutDown } = await startBot(scriptedModels(threeHang), free);
    await bot.ask(toBen);
    await bot.ask({ ...toBen, eventId: 'event-2' });
    await shutDown();
    return store;
  }

  test('hold what they may cost, running or waiting, even above a budget, until they end', async () => {
    const changes = { ...free, priceOf: () => 0.1, budgets: { userUsdPerDay: 0.15 } };
    const store = await storeOfTwoUnfinished();
    const { bot, idle } = await startBot(scriptedModels(threeHang), changes, store);
    expect(await bot.ask(inOtherThread)).toMatchObject({
      reason: expect.stringContaining('has $0.0000 left'),
    });
    for (const turn of await store.turns.unfinished(10)) await bot.stop(turn.turnId, turn);
    await idle();
    const asked = await bot.ask(inOtherThread);
    expect(asked).toMatchObject({ status: 'accepted' });
    if (asked.status === 'accepted') await bot.stop(asked.turnId, inOtherThread);
    await idle();
  });

  test('are open before a platform takes a new one', async () => {
    let early: Asked | undefined;
    class EarlyPlatform extends CollectingPlatform {
      override async start(ingress?: Ingress): Promise<void> {
        early = await ingress?.ask(inOtherThread);
      }
    }
    const limits = {
      maxQuestionChars: 200,
      overheardPerThreadPerHour: 30,
      maxQueuedTurnsPerUser: 1,
      maxQueuedTurnsPerThread: 8,
    };
    const changes = { limits, platforms: [new EarlyPlatform()] };
    const store = await storeOfTwoUnfinished();
    const { shutDown } = await startBot(scriptedModels(threeHang), changes, store);
    expect(early).toMatchObject({ reason: expect.stringMatching(/^You have 1 question open/) });
    await shutDown();
  });
});
