import { describe, expect, test } from 'vitest';
import type { SideTask } from '../../../src/platforms/platform.ts';
import { scriptedModels } from '../../council/scripted-council.ts';
import { fileSettings, person, place, startBot } from '../bot-fixture.ts';

const sideTask: SideTask = {
  threadId: place.threadId,
  person,
  signal: new AbortController().signal,
  messages: [
    { role: 'system', content: 'You name chats.' },
    { role: 'user', content: 'Find a title.' },
  ],
};

describe('a side task', () => {
  test('is one call of the model that shortens histories, and leaves nothing but its cost', async () => {
    const models = scriptedModels({ chair: ['Engines'] });
    const budgets = { userUsdPerDay: 10 };
    const { bot, store } = await startBot(models, { budgets });
    expect(await bot.sideTask(sideTask)).toMatchObject({
      status: 'done',
      text: 'Engines',
      calls: [{ inputTokens: 10, outputTokens: 5 }],
    });
    expect(models.chair.requests.map(({ messages }) => messages)).toEqual([sideTask.messages]);
    expect(await store.turns.list(place.threadId, { limit: 10 })).toEqual([]);
    expect(await store.messages.recent(place.threadId, { limit: 10 })).toEqual([]);
    const [spent] = await store.spent(['user:any:any:test:u1'], 0);
    expect(spent).toBeGreaterThan(0);
  });

  test('is refused where a budget is spent, before any call', async () => {
    const budgets = { userUsdPerDay: 0.000001 };
    const { bot } = await startBot(scriptedModels({}), { budgets, priceOf: () => 1 });
    const done = await bot.sideTask(sideTask);
    expect(done).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/^Your budget/),
    });
  });

  test('is refused to those who are not let in', async () => {
    const { bot } = await startBot(scriptedModels({}), { access: { deny: ['test:w'] } });
    expect(await bot.sideTask(sideTask)).toMatchObject({ status: 'refused', isStranger: true });
  });

  test('is none of the questions that a person may ask an hour', async () => {
    const models = scriptedModels({ chair: ['Engines', 'Motors'] });
    const { bot } = await startBot(models, {
      settings: { ...fileSettings, questionsPerUserPerHour: 1 },
    });
    expect(await bot.sideTask(sideTask)).toMatchObject({ status: 'done' });
    expect(await bot.sideTask(sideTask)).toMatchObject({ status: 'done' });
  });

  test('reads a long conversation by what was said last, and each message by its beginning', async () => {
    const models = scriptedModels({ chair: ['Engines'] });
    const { bot } = await startBot(models);
    const long = 'x'.repeat(30_000);
    const messages = [
      { role: 'user', content: `old ${long}` },
      { role: 'user', content: `Find a title. ${long}` },
    ] as const;
    await bot.sideTask({ ...sideTask, messages });
    const [asked] = models.chair.requests;
    expect(asked?.messages).toHaveLength(1);
    expect(asked?.messages[0]?.content).toMatch(/^Find a title\./);
    expect(asked?.messages[0]?.content).toHaveLength(24_000);
  });
});
