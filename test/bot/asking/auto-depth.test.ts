import { expect, test } from 'vitest';
import { readPastTurn } from '../../../src/council/past-turn.ts';
import {
  answer,
  council,
  scriptedModels,
  seating,
  wholeScript,
} from '../../council/scripted-council.ts';
import { fileSettings, question, startBot } from '../bot-fixture.ts';

/** The moderator wants a deep turn. */
const script = {
  ...wholeScript,
  moderator: [
    JSON.stringify({ ...JSON.parse(seating(['ada', 'ben', 'cleo', 'dan'])), depth: 'deep' }),
  ],
};

test('a question whose depth the moderator says goes no deeper than there is money for', async () => {
  // Enough for the ten calls of a standard turn, and not for the nine more of a deep one.
  const budgets = { userUsdPerDay: 15 };
  const changes = { priceOf: () => 1, budgets, council: { ...council, depth: 'auto' as const } };
  const settings = { ...fileSettings, depth: 'auto' as const };
  const models = scriptedModels(script);
  const { bot, store, idle } = await startBot(models, { ...changes, settings });
  const asked = await bot.ask(question);
  if (asked.status !== 'accepted') throw new Error('The question was refused.');
  await idle();
  expect(models.unsaid()).toBe(0);
  const record = await store.turns.read({ turnId: asked.turnId, threadId: question.threadId });
  const past = record && readPastTurn(record);
  expect(past?.request.depthUpTo).toBe('standard');
  expect(past?.seated?.depth).toBe('standard');
  expect(past?.seated?.note).toContain('The question deserves depth deep but gets standard');
  expect(past?.round).toBeUndefined();
  expect(past?.reviews).toHaveLength(4);
});

test('a question goes no deeper than there is money for with what it has read', async () => {
  const long = answer('No. '.repeat(1500));
  const models = scriptedModels({
    ...script,
    sages: { ...script.sages, ben: [long, answer('Ben says no.')] },
  });
  const { bot, store, idle } = await startBot(models, {
    // $3.54 for a deep turn when the question is asked, and more than is left once it has read the answer before it.
    priceOf: (_model, input) => input / 10_000,
    budgets: { userUsdPerDay: 4 },
    council: { ...council, depth: 'auto' },
    settings: { ...fileSettings, depth: 'auto' },
  });
  const first = { ...question, sages: ['ben'] };
  expect(await bot.ask(first)).toMatchObject({ status: 'accepted' });
  await idle();
  const asked = await bot.ask({ ...question, eventId: 'event-2' });
  if (asked.status !== 'accepted') throw new Error('The question was refused.');
  await idle();
  const record = await store.turns.read({ turnId: asked.turnId, threadId: question.threadId });
  const past = record && readPastTurn(record);
  expect([past?.request.depthUpTo, record?.outcome]).toEqual(['deep', 'answered']);
  expect([past?.seated?.depth, past?.reviews.length]).toEqual(['standard', 4]);
  expect(models.unsaid()).toBe(0);
});
