import { expect, test } from 'vitest';
import { commands } from '../../../../commands/index.ts';
import { askSaid, RefusalBrake } from '../../../../src/platforms/chat/asking/said-questions.ts';
import { place, startBot } from '../../../bot/bot-fixture.ts';
import { scriptedModels } from '../../../council/scripted-council.ts';

test('a person is told three times in half a minute in a channel, and then not until it is over', () => {
  let now = 1;
  const brake = new RefusalBrake(() => now);
  const take = () => brake.take('ada', 'general');
  expect([take(), take()]).toEqual([true, true]);
  now += 29_999;
  expect([take(), take()]).toEqual([true, false]);
  now += 2;
  expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);
});

test('others, and other channels, have a count of their own', () => {
  const brake = new RefusalBrake();
  for (let count = 0; count < 5; count += 1) brake.take('ada', 'general');
  expect(brake.take('eve', 'general')).toBe(true);
  expect(brake.take('ada', 'random')).toBe(true);
});

test('many people together are told twenty times in a channel, and can still stop the council', () => {
  let now = 1;
  const brake = new RefusalBrake(() => now);
  const told = () => Array.from({ length: 30 }, (_, person) => brake.take(`${person}`, 'general'));
  expect(told().filter(Boolean)).toHaveLength(20);
  expect(brake.take('eve', 'general')).toBe(false);
  expect(brake.take('eve', 'random')).toBe(true);
  expect(brake.take('eve', 'general', Infinity)).toBe(true);
  now += 30_001;
  expect(told().filter(Boolean)).toHaveLength(20);
});

/** A council that is spoken to, and the commands that it ran. */
async function startHearing() {
  const { bot: ingress } = await startBot(scriptedModels({}));
  const brake = new RefusalBrake();
  const ran: string[] = [];
  const say = (id: string, text: string) => {
    const remark = { text, where: 'elsewhere', namesCouncil: true, isForOthers: false } as const;
    const run = async (command: string) => {
      ran.push(command);
    };
    const rest = { question: async () => undefined, reply: async () => undefined };
    return askSaid(
      { remark, place, author: { id }, channelId: 'c', run, answeredTo: 'everybody', ...rest },
      { ingress, brake, commands },
    );
  };
  return { say, ran };
}

test('a command that can’t be given by a mention gets the help, and seats no one', async () => {
  const { say, ran } = await startHearing();
  for (const text of ['config', 'Receipt', '/council memory']) await say(text, text);
  expect(ran).toEqual(['help', 'help', 'help']);
});

test('a flood of others keeps no one from stopping the council', async () => {
  const { say, ran } = await startHearing();
  for (let person = 0; person < 30; person += 1) await say(`${person}`, 'help');
  await say('eve', 'stop');
  expect(ran).toEqual([...Array(20).fill('help'), 'stop']);
});

test('that the operator lets someone ask nothing is said once a day, and to a thousand at most', () => {
  let now = 1;
  const brake = new RefusalBrake(() => now);
  expect([1, 2].map(() => brake.takeStranger('general'))).toEqual([true, false]);
  now += 86_400_001;
  expect(brake.takeStranger('general')).toBe(true);
  const told = Array.from({ length: 2000 }, (_, number) => brake.takeStranger(`${number}`));
  expect(told.filter(Boolean)).toHaveLength(999);
});
