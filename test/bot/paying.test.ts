import { describe, expect, test } from 'vitest';
import type { OpenModels } from '../../src/bot/money/money.ts';
import type { ChatModel, TokenUsage } from '../../src/models/chat-model.ts';
import { withUsage } from '../../src/models/usage.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { answer, type ScriptedModels, scriptedModels } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { noPrices } from '../models/ask.ts';
import { question, startBot } from './bot-fixture.ts';
import { channelManager, command, member, placeIn, textOf } from './commanding.ts';

const noon = Date.UTC(2026, 10, 21, 12);
const draft = JSON.stringify({ prompt: 'You think in seasons.' });
const described = { name: 'The Gardener', description: 'Grows things slowly.' };
const toBen = { ...question, sages: ['ben'] };
const no = answer('No.');

/** The same question, as another event. */
function again(number: number, changes: Partial<typeof question> = {}) {
  return { ...toBen, eventId: `event-${number}`, threadId: `test:w:c:${number}`, ...changes };
}

/** Models of no known price, whose servers state these costs, one after another; absent: they state none. */
function unpriced(models: ScriptedModels, stated: (number | undefined)[] = []): OpenModels {
  return (count) => {
    const wrap = (model: ChatModel) => {
      const stating: ChatModel = {
        id: model.id,
        complete: async (request) => withCost(await model.complete(request)),
        async *stream(request) {
          for await (const chunk of model.stream(request)) {
            yield chunk.type === 'finished' ? { ...chunk, reply: withCost(chunk.reply) } : chunk;
          }
        },
      };
      return withUsage(stating, { prices: noPrices, record: count });
    };
    const withCost = <Reply extends { readonly usage?: TokenUsage }>(reply: Reply): Reply => {
      const costUsd = stated.shift();
      return costUsd === undefined || !reply.usage
        ? reply
        : { ...reply, usage: { ...reply.usage, costUsd } };
    };
    return {
      moderator: wrap(models.moderator),
      sage: (sage) => wrap(models.sage(sage)),
      reviewer: (sage) => wrap(models.reviewer(sage)),
      chair: wrap(models.chair),
      compactor: wrap(models.chair),
    };
  };
}

const unknown = { priceOf: () => undefined };

describe('a budget that is spent', () => {
  test('refuses also what seems to cost nothing, and says when it renews', async () => {
    const budgets = { workspaceUsdPerDay: 1 };
    const { bot, store } = await startBot(scriptedModels({}), { budgets, now: () => noon });
    await store.spend(['workspace:test:w'], 1);
    const expected =
      "This workspace's budget of $1.00 a day is spent. It renews at <t:1795305600>.";
    const retryAfterMs = 12 * 60 * 60_000;
    expect(await bot.ask(toBen)).toEqual({ status: 'refused', reason: expected, retryAfterMs });
    expect(textOf(await command(bot, 'summon', described))).toContain(expected);
  });
});

describe('a question that is too dear', () => {
  test.each([
    [{}, /costs less\.$/, 'A council of depth quick, or a single sage, costs less.'],
    [{ depth: 'quick' as const }, /costs less\.$/, '. A single sage costs less.'],
    [{ depth: 'auto' as const }, /costs less\.$/, '. A single sage costs less.'],
    [{ sages: ['ben'] }, /It renews at <t:1795305600>\.$/, 'Your budget'],
  ])('is refused with what costs less than %j, if anything does', async (wished, end, words) => {
    const changes = { budgets: { userUsdPerDay: 0.05 }, priceOf: () => 0.1, now: () => noon };
    const { bot } = await startBot(scriptedModels({}), changes);
    const asked = await bot.ask({ ...question, ...wished });
    const reason = asked.status === 'refused' ? asked.reason : '';
    expect(reason).toMatch(end);
    expect(reason).toContain(words);
  });
});

describe('a price that no one knows', () => {
  test('stays unknown on the receipt, and counts toward the budget by the call', async () => {
    const models = scriptedModels({ sages: { ben: [no, no, no] } });
    const budgets = { userUsdPerDay: 0.0025 };
    const changes = { ...unknown, budgets, openModels: unpriced(models), now: () => noon };
    const { bot, store, idle } = await startBot(models, changes);
    for (const number of [1, 2]) {
      expect(await bot.ask(again(number))).toMatchObject({ status: 'accepted' });
      await idle();
    }
    expect(await store.spent(['total:any:any'], noon)).toEqual([0.002]);
    expect(await bot.ask(again(3))).toMatchObject({
      reason: expect.stringContaining('has $0.0005 left'),
    });
    const receipt = await command(bot, 'receipt', {}, member, {
      ...placeIn('c'),
      threadId: 'test:w:c:1',
    });
    expect(textOf(receipt)).toContain('unknown');
  });

  test('is reckoned as the average that its server has stated so far', async () => {
    const models = scriptedModels({ sages: { ben: [no, no, no] } });
    const openModels = unpriced(models, [0.2, 0.4]);
    const budgets = { userUsdPerDay: 0.89 };
    const changes = { ...unknown, budgets, openModels, now: () => noon };
    const { bot, idle } = await startBot(models, changes);
    for (const number of [1, 2]) {
      expect(await bot.ask(again(number))).toMatchObject({ status: 'accepted' });
      await idle();
    }
    expect(await bot.ask(again(3))).toMatchObject({
      reason: expect.stringContaining('has $0.29 left, and this question may cost up to $0.30'),
    });
  });

  test('lets no more than the budget through of twenty questions at once', async () => {
    const models = scriptedModels({ sages: { ben: Array(20).fill(hang) } });
    const { bot, shutDown } = await startBot(models, {
      ...unknown,
      budgets: { totalUsdPerDay: 0.01 },
      openModels: unpriced(models),
      now: () => noon,
    });
    const burst = Array.from({ length: 20 }, (_, number) =>
      bot.ask(again(number, { author: { id: `u${number}`, name: 'Uma' } })),
    );
    const taken = (await Promise.all(burst)).filter(({ status }) => status === 'accepted');
    expect(taken).toHaveLength(10);
    await shutDown();
  });
});

describe('whose purse it is', () => {
  test('a person has one on a platform, in however many workspaces they ask', async () => {
    const models = scriptedModels({ sages: { ben: Array(3).fill(no) } });
    const changes = { budgets: { userUsdPerDay: 0.25 }, now: () => noon };
    const { bot, idle } = await startBot(models, changes);
    for (const workspace of ['v', 'w', 'x']) {
      await bot.ask({ ...toBen, eventId: workspace, threadId: `test:${workspace}:c:t` });
      await idle();
    }
    expect(models.sage({ key: 'ben' }).requests).toHaveLength(2);
    const another = { id: 'u2', name: 'Una' };
    expect(await bot.ask(again(4, { author: another }))).toMatchObject({ status: 'accepted' });
    await idle();
  });

  test('a person with limits of their own has these below what everybody has', async () => {
    const models = scriptedModels({ sages: { ben: [no] } });
    const changes = { budgets: { userUsdPerDay: 10 }, priceOf: () => 0.3, now: () => noon };
    const { bot, store, idle, shutDown } = await startBot(models, changes);
    const author = { id: 'key:1', name: 'A program', limits: { usdPerDay: 0.5, openQuestions: 1 } };
    await store.spend(['user:any:any:test:key:1'], 0.3);
    expect(await bot.ask(again(1, { author }))).toEqual({
      status: 'refused',
      reason: expect.stringMatching(/^Your budget of \$0\.50 a day has \$0\.20 left/),
      inPublic: expect.stringMatching(
        /^A daily budget does not cover this question\. Ask again at/,
      ),
      retryAfterMs: 12 * 60 * 60_000,
    });
    const richer = { ...author, limits: { usdPerDay: 20, openQuestions: 1 } };
    expect(await bot.ask(again(2, { author: richer }))).toMatchObject({ status: 'accepted' });
    await idle();
    // The file's own limit holds for a key that may spend more.
    await store.spend(['user:any:any:test:key:1'], 9.5);
    expect(await bot.ask(again(3, { author: richer }))).toMatchObject({
      reason: expect.stringMatching(/^Your budget of \$10\.00 a day/),
    });
    await shutDown();
  });

  test('a person with one open question is refused a second until it has ended', async () => {
    const models = scriptedModels({ sages: { ben: [hang] } });
    const { bot, shutDown } = await startBot(models, { now: () => noon });
    const author = { id: 'key:1', name: 'A program', limits: { openQuestions: 1 } };
    expect(await bot.ask(again(1, { author }))).toMatchObject({ status: 'accepted' });
    expect(await bot.ask(again(2, { author }))).toEqual({
      status: 'refused',
      reason: 'You have 1 question open already. Wait for an answer, or stop one.',
      retryAfterMs: 30_000,
    });
    await shutDown();
  });

  test('everything together has one, no matter who asks and wherever', async () => {
    const models = scriptedModels({ sages: { ben: Array(3).fill(no) } });
    const changes = { budgets: { totalUsdPerDay: 0.25 }, now: () => noon };
    const { bot, idle } = await startBot(models, changes);
    for (const number of [1, 2]) {
      const author = { id: `u${number}`, name: 'Uma' };
      await bot.ask(again(number, { author, threadId: `test:w${number}:c:t` }));
      await idle();
    }
    const refused = await bot.ask(again(3, { author: { id: 'u3', name: 'Una' } }));
    expect(refused).toMatchObject({
      reason: expect.stringMatching(/^This bot's budget .* is spent/),
    });
  });

  test('what is set aside for a question is given back with its end', async () => {
    const models = scriptedModels({ sages: { ben: [no, no] } });
    const budgets = { userUsdPerDay: 0.5 };
    const { bot, idle } = await startBot(models, { budgets, priceOf: () => 0.3 });
    expect(await bot.ask(again(1))).toMatchObject({ status: 'accepted' });
    expect(await bot.ask(again(2))).toMatchObject({ status: 'refused' });
    await idle();
    expect(await bot.ask(again(3))).toMatchObject({ status: 'accepted' });
    await idle();
  });
});

test('a budget that only a question under way leaves nothing of is to be tried again soon', async () => {
  const models = scriptedModels({ sages: { ben: [no], ada: [hang] } });
  const budgets = { userUsdPerDay: 1 };
  const { bot, store } = await startBot(models, { budgets, now: () => noon, priceOf: () => 0.1 });
  const ask = (number: number) => bot.ask({ ...again(number), sages: ['ben', 'ada'] });
  expect(await ask(1)).toMatchObject({ status: 'accepted' });
  // What it has cost so far counts besides what is set aside for it.
  await expect.poll(() => store.spent(['total:any:any'], noon)).not.toEqual([0]);
  expect(await ask(2)).toMatchObject({
    reason: expect.stringMatching(
      /has \$0\.0000 left, and this question may cost up to \$0\.60\. \$0\.60 is reserved for work that is still running: ask again when it is done\./,
    ),
    retryAfterMs: 30_000,
  });
});

describe('a store that fails while something is counted', () => {
  test('keeps no one from their answer, and what was spent counts the next time', async () => {
    const whole = openSqliteStore({ path: ':memory:', now: () => noon });
    let failures = 1;
    const failing = {
      ...whole,
      spend: async (scopes: readonly string[], usd: number) => {
        failures -= 1;
        if (failures === 0) throw new StoreError('The disk is full.', { reason: 'full' });
        return whole.spend(scopes, usd);
      },
    };
    const models = scriptedModels({ sages: { ben: [no] } });
    const { bot, platform, idle } = await startBot(models, { now: () => noon }, failing);
    await bot.ask(toBen);
    await idle();
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
    expect(await whole.spent(['total:any:any'], noon)).toEqual([0.2]);
  });

  test('is sent what one turn has cost with the next one, for ten minutes', async () => {
    const whole = openSqliteStore({ path: ':memory:', now: () => noon });
    let isAway = true;
    const failing: Store = {
      ...whole,
      spend: async (...amount) => {
        if (isAway) throw new StoreError('No answer.', { reason: 'unreachable' });
        return whole.spend(...amount);
      },
    };
    let now = noon;
    const models = scriptedModels({ sages: { ben: [no, no, no, no] } });
    const { bot, idle } = await startBot(models, { now: () => now }, failing);
    const spentWith = async (number: number) => {
      await bot.ask(again(number));
      await idle();
      return (await whole.spent(['total:any:any'], noon))[0];
    };
    expect(await spentWith(1)).toBe(0);
    isAway = false;
    expect(await spentWith(2)).toBe(0.4);
    isAway = true;
    await spentWith(3);
    isAway = false;
    now += 600_000;
    expect(await spentWith(4)).toBeCloseTo(0.6);
  });

  test('is sent the amount under the same id again, because it may have counted it', async () => {
    const whole = openSqliteStore({ path: ':memory:', now: () => noon });
    const sent: unknown[] = [];
    const silent: Store = {
      ...whole,
      spend: async (_scopes, usd, amountId) => {
        sent.push([usd, amountId]);
        if (sent.length === 1) throw new StoreError('No answer.', { reason: 'unreachable' });
      },
    };
    const models = scriptedModels({ sages: { ben: [no] } });
    const { bot, idle } = await startBot(models, { now: () => noon }, silent);
    await bot.ask(toBen);
    await idle();
    expect(sent).toEqual([[0.2, expect.any(String)], sent[0]]);
  });
});

describe('the limit of an hour', () => {
  /** One person may have models called twice an hour; the clock goes on a minute with each request. */
  async function startLimited(changes: Parameters<typeof startBot>[1] = {}) {
    const clock = { now: noon };
    const models = scriptedModels({
      moderator: Array(9).fill(draft),
      sages: { ben: Array(9).fill(no) },
      chair: Array(9).fill('{}'),
    });
    const started = await startBot(models, { ...changes, now: () => clock.now });
    const change = 'set questionsPerUserPerHour 2';
    await command(started.bot, 'config', { change }, channelManager);
    const pass = () => {
      clock.now += 60_000;
    };
    return {
      ...started,
      ask: async (number: number) => {
        pass();
        const asked = await started.bot.ask({ ...toBen, eventId: `event-${number}` });
        await started.idle();
        return asked.status === 'refused' ? asked.reason : asked.status;
      },
      give: async (name: string, options = {}) => {
        pass();
        return textOf(await command(started.bot, name, options));
      },
    };
  }
  const refused = /You have reached the limit of 2 questions an hour in this channel\./;

  test('counts drafts and minutes with the questions', async () => {
    const { ask, give } = await startLimited();
    expect(await ask(1)).toBe('accepted');
    expect(await give('summon', described)).toContain('seasons');
    expect(await ask(2)).toMatch(refused);
    for (const name of ['summon', 'minutes']) {
      const reply = await give(name, name === 'summon' ? described : {});
      expect(reply).toMatch(refused);
      expect(reply).toContain('Drafts and minutes count as questions.');
    }
  });

  test('counts minutes that a model was asked for, whatever came of them', async () => {
    const { ask, give } = await startLimited();
    await ask(1);
    expect(await give('minutes')).not.toMatch(refused);
    expect(await ask(2)).toMatch(refused);
  });

  test('counts nothing for which no model was called', async () => {
    const { ask, give } = await startLimited({
      budgets: { userUsdPerDay: 0.5 },
      priceOf: (_model, _input, output) => (output === 450 ? 1 : 0),
    });
    for (const _ of [1, 2, 3]) {
      expect(await give('summon', described)).toContain('this draft would cost about $1.00');
    }
    expect([await ask(1), await ask(2)]).toEqual(['accepted', 'accepted']);
    expect(await ask(3)).toMatch(refused);
  });
});
