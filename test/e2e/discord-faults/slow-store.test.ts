import { expect, test } from 'vitest';
import { faultWords } from '../../../commands/command.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type Store, StoreError } from '../../../src/store/store.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { ask, joinWorld, textOf } from '../../platforms/discord/discord-world.ts';
import { endOrder, expectWholeTurn, routes } from './whole-turn.ts';

const question = 'Should we rewrite the engine?';
const away = () => new StoreError('Redis is away.', { reason: 'unreachable' });

/** A store whose every read of settings waits for something first. */
function waitingFor(store: Store, before: () => Promise<void>): Store {
  const read: Store['settings']['read'] = async (scopes) => {
    await before();
    return store.settings.read(scopes);
  };
  return { ...store, settings: { ...store.settings, read } };
}

test('while the store is slow a command is answered in time, and then its card is there', async () => {
  const order = endOrder();
  await using world = await startWorld();
  const { discord } = world;
  const isPutOff = () => discord.calls.some(({ route }) => route === routes.callback);
  let asked = false;
  const store = waitingFor(openSqliteStore({ path: ':memory:' }), async () => {
    if (asked) await discord.until(isPutOff, 'the promise of an answer');
  });
  const models = scriptedModels(wholeScript);
  await using council = await joinWorld(world, models, { store, bot: { log: order.log } });
  asked = true;
  ask(council, question);
  await expectWholeTurn(council, order);
});

test('a command that can not be answered any more has its card all the same', async () => {
  const order = endOrder();
  await using world = await startWorld();
  const { discord } = world;
  const models = scriptedModels(wholeScript);
  await using council = await joinWorld(world, models, { bot: { log: order.log } });
  ask(council, question);
  discord.clock.advance(4000);
  await expectWholeTurn(council, order);
  expect(council.lines.join()).toContain('a command got no answer; its card is posted');
});

test.each([
  ['at once', false],
  ['after the command was put off', true],
])(
  'when the store fails %s, the person is told in private and nobody sees a card',
  async (_, isLate) => {
    await using world = await startWorld();
    const { discord, channel, ada } = world;
    const isPutOff = () => discord.calls.some(({ route }) => route === routes.callback);
    let asked = false;
    const store = waitingFor(openSqliteStore({ path: ':memory:' }), async () => {
      if (!asked) return;
      if (isLate) await discord.until(isPutOff, 'the promise of an answer');
      throw away();
    });
    await using council = await joinWorld(world, scriptedModels({}), { store });
    asked = true;
    ask(council, question);
    const isTold = () =>
      discord
        .messages(channel.id)
        .some((message) => textOf(message).includes('memory can’t be reached'));
    await discord.until(isTold, 'the refusal');
    expect(discord.messages(channel.id).map(({ onlyFor }) => onlyFor)).toEqual([ada.id]);
    expect(discord.threads(channel.id)).toEqual([]);
    expect(discord.violations.all).toEqual([]);
  },
);

test('when the store fails after the card is there, the card says so and the next start goes on', async () => {
  const order = endOrder();
  await using world = await startWorld();
  const { discord, channel } = world;
  const kept = openSqliteStore({ path: ':memory:' });
  const failing: Store = {
    ...kept,
    turns: { ...kept.turns, begin: () => Promise.reject(away()) },
  };
  const first = await joinWorld(world, scriptedModels({}), { store: failing });
  ask(first, question);
  const cards = () => discord.messages(channel.id).map(textOf);
  await discord.until(() => cards().some((card) => card.includes('is saved')), 'the news');
  expect(cards()).toHaveLength(1);
  await first.bot.shutDown();
  const bot = { log: order.log, abandonedAfterMs: 0 };
  const models = scriptedModels(wholeScript);
  await using second = await joinWorld(world, models, { store: kept, bot });
  await expectWholeTurn(second, order);
});

test('when the store fails, anyone who mentioned the bot is told, and no one else is answered', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  let isAway = false;
  const store = waitingFor(openSqliteStore({ path: ':memory:' }), async () => {
    if (isAway) throw away();
  });
  await using council = await joinWorld(world, scriptedModels({}), { store });
  isAway = true;
  discord.userSays(channel, ada, 'Should we rewrite the engine?');
  const asked = discord.userSays(channel, ada, question, { mentionsBot: true });
  const answers = () => discord.messages(channel.id).filter(({ wire }) => wire.author.bot === true);
  await discord.until(() => answers().length > 0, 'the refusal');
  expect(answers().map(({ wire }) => wire.message_reference?.message_id)).toEqual([asked.wire.id]);
  expect(answers().map(textOf).join()).toContain('memory can’t be reached');
  expect(council.lines.filter((line) => line.startsWith('error'))).toEqual([]);
});

test('when the store fails, a reply to a sage is told so as a mention is, and one to a person is not', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  let isAway = false;
  const store = waitingFor(openSqliteStore({ path: ':memory:' }), async () => {
    if (isAway) throw away();
  });
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await joinWorld(world, models, { store });
  ask(council, 'Ben: should we?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await council.bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  isAway = true;
  const remark = discord.userSays(thread, ada, 'I doubt it.');
  const [said] = discord.messages(thread.id);
  discord.userSays(thread, ada, 'So do I.', { repliesTo: remark });
  if (said) discord.userSays(thread, ada, 'And why not?', { repliesTo: said });
  const answers = () => discord.messages(thread.id).map(textOf).slice(4);
  await discord.until(() => answers().length > 0, 'word of it');
  expect(answers()).toEqual([faultWords]);
});
