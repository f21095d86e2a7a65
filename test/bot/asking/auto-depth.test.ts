import { expect, test } from 'vitest';
import { readPastTurn } from '../../../src/council/past-turn.ts';
import { council, scriptedModels, seating, wholeScript } from '../../council/scripted-council.ts';
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
