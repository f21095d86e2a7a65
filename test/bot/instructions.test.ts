import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { question, startBot } from './bot-fixture.ts';

test('what a program tells every model is in every prompt of its turn, and in no later one', async () => {
  const ben = [answer('Ben says no.'), answer('Ben says no again.')];
  const models = scriptedModels({ ...wholeScript, sages: { ...wholeScript.sages, ben } });
  const { bot, idle } = await startBot(models);
  await bot.ask({ ...question, instructions: 'Answer in French.' });
  await idle();
  const [ada, reviewer] = [models.sage({ key: 'ada' }), models.reviewer({ key: 'ben' })];
  for (const { requests } of [models.moderator, ada, reviewer, models.chair]) {
    expect(JSON.stringify(requests[0]?.messages)).toContain('<instructions>\\nAnswer in French.');
  }
  await bot.ask({ ...question, eventId: 'event-2', sages: ['ben'] });
  await idle();
  const [, later] = models.sage({ key: 'ben' }).requests;
  expect(later?.messages.length).toBeGreaterThan(1);
  expect(JSON.stringify(later)).not.toContain('French');
});
