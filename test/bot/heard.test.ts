import { expect, test } from 'vitest';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { person, place, question, startBot } from './bot-fixture.ts';

const said = (id: string, userId: string, text: string) => ({
  id,
  text,
  at: 1000,
  author: { id: userId, name: userId },
});
const heard = {
  ...({ place: 'test:w:c', of: 'thread', leftOut: 0 } as const),
  messages: [said('1', 'u7', 'The salary is 40k.'), said('2', 'u8', 'I doubt it.')],
};
const asked = { ...question, question: 'Ben: which one?', hears: 'thread' as const };
const threadId = 'test:w:c:t';

async function askedBot(hear: () => Promise<typeof heard>) {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const bot = await startBot(models);
  bot.platform.hear = hear;
  await bot.bot.ask(asked);
  await bot.idle();
  const told = JSON.stringify(models.sage({ key: 'ben' }).requests[0]?.messages);
  const read = async () => {
    const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
    const record = turn && (await bot.store.turns.read(turn));
    return record && readPastTurn(record).heard;
  };
  return { bot, told, read };
}

test('what a turn has heard stays with it, and no other turn, export or memory shows it', async () => {
  const { bot, told, read } = await askedBot(async () => heard);
  expect(told).toContain('The salary is 40k.');
  expect((await read())?.messages).toHaveLength(2);
  const messages = await bot.store.messages.page(threadId, { limit: 9 });
  expect(JSON.stringify(messages)).not.toContain('40k');
  const exported = await bot.bot.command({ place, person, command: 'export', options: {} });
  expect(JSON.stringify(exported)).not.toContain('40k');
  const receipt = await bot.bot.command({ place, person, command: 'receipt', options: {} });
  expect(JSON.stringify(receipt)).toContain('Read 2 messages of this thread.');
  await bot.shutDown();
});

test('what a person has said to others goes with all that they asked', async () => {
  const { bot, read } = await askedBot(async () => heard);
  const mine = { place, person: { ...person, id: 'u7' }, command: 'memory' };
  const options = { do: 'forget', what: 'mine', confirm: true };
  const reply = await bot.bot.command({ ...mine, options });
  expect(JSON.stringify(reply)).toContain('1 question');
  expect((await read())?.messages.map(({ text }) => text)).toEqual(['I doubt it.']);
  await bot.shutDown();
});

test('a platform that fails costs a question what people said, and not its answer', async () => {
  const { bot, told, read } = await askedBot(async () => {
    throw new Error('Away.');
  });
  expect(told).toContain('Not everything could be read');
  expect((await read())?.gap).toContain('can’t be read right now');
  await bot.shutDown();
});

test('where the thread remembers an answer, a question that points at what can’t be read is about that', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  const bot = await startBot(models);
  bot.platform.hear = async () => ({ place: 'test:w:c', of: 'replies', leftOut: 0, messages: [] });
  const pointing = { question: 'Ben: is that so?', hears: 'replies', repliesTo: 'post-7' } as const;
  const outcomes = async () =>
    (await bot.store.turns.list(threadId, { limit: 5 })).map(({ outcome }) => outcome);
  await bot.bot.ask({ ...question, ...pointing });
  await bot.idle();
  await bot.bot.ask({ ...question, ...pointing, eventId: 'event-2' });
  await bot.idle();
  expect(await outcomes()).toEqual(['failed', 'failed']);
  await bot.bot.ask({ ...question, question: 'Ben: why?', eventId: 'event-3' });
  await bot.idle();
  await bot.bot.ask({ ...question, ...pointing, eventId: 'event-4' });
  await bot.idle();
  expect(await outcomes()).toEqual(['answered', 'answered', 'failed', 'failed']);
  await bot.shutDown();
});
