import { describe, expect, test } from 'vitest';
import { answer, type Script, scriptedModels } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { fileSettings, question, startBot } from '../bot-fixture.ts';

const oneAnswer: Script = { sages: { ben: [answer('No.')] } };
const toBen = { ...question, sages: ['ben'] };

describe('budgets', () => {
  test('refuse a question before any call, saying whose, how much is left and when it renews', async () => {
    const models = scriptedModels(oneAnswer);
    const now = Date.UTC(2026, 10, 21, 12);
    const { bot } = await startBot(models, {
      priceOf: () => 0.1,
      budgets: { userUsdPerDay: 0.05 },
      now: () => now,
    });
    const asked = await bot.ask(toBen);
    expect(asked).toMatchObject({ status: 'refused' });
    const reason = asked.status === 'refused' ? asked.reason : '';
    expect(reason).toContain('Your budget of $0.0500 a day has $0.0500 left');
    expect(reason).toContain('<t:1795305600>');
    expect(models.unsaid()).toBe(1);
  });

  test('reckon with what may be recalled, where the channel remembers anything', async () => {
    // A question and its instructions are some 800 tokens, what is recalled up to 4,000.
    const priceOf = (_model: string, input: number) => input / 10_000;
    const budgets = { userUsdPerDay: 0.2 };
    const { bot } = await startBot(scriptedModels(oneAnswer), { priceOf, budgets });
    const asked = await bot.ask(toBen);
    expect(asked).toMatchObject({
      reason: expect.stringContaining('this question may cost up to $0.48.'),
    });
    const settings = { ...fileSettings, memory: false };
    const forgetful = await startBot(scriptedModels(oneAnswer), { priceOf, budgets, settings });
    expect(await forgetful.bot.ask(toBen)).toMatchObject({ status: 'accepted' });
    await forgetful.idle();
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
