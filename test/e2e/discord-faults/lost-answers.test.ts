import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import type { Fault } from '../../fakes/discord/rest/faults.ts';
import { ask, startCouncil, textOf } from '../../platforms/discord/discord-world.ts';
import { idWith } from '../../platforms/discord/private-answers.ts';
import { endOrder, expectWholeTurn, failRequest, routes, said } from './whole-turn.ts';

const { webhookPost, botPost, thread, newWebhook, cardEdit, history } = routes;

/** What is posted in a turn that a mention asked: which request of which route it is. */
const posts = [
  ['the thread', thread, 1],
  ['the card', botPost, 1],
  ['the webhook', newWebhook, 1],
  ['the first answer', webhookPost, 1],
  ['the last answer', webhookPost, 4],
  ['the ranking', botPost, 2],
  ['the verdict', botPost, 3],
  ['the card’s first edit', cardEdit, 1],
] as const;

const faults: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'drop' },
  { kind: 'drop after processing' },
  { kind: 'silence after processing' },
];

const cases = posts.flatMap(([what, route, number]) =>
  faults.map((fault) => ({ what, route, number, fault, kind: fault.kind })),
);

test.concurrent.each(cases)(
  'after “$kind” on $what everything is there once, in order',
  async (failure) => {
    const order = endOrder();
    await using council = await startCouncil(scriptedModels(wholeScript), {
      bot: { log: order.log },
    });
    const { discord, channel, ada } = council;
    failRequest(discord, failure);
    discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
    await expectWholeTurn(council, order);
    expect(order.sages).toHaveLength(4);
  },
);

test.concurrent('when looking for a lost answer fails as well, it is still there once', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord } = council;
  discord.faults.failNext(webhookPost, { kind: 'drop after processing' });
  discord.faults.failNext(history, { kind: 'status', status: 500 });
  discord.faults.failNext(history, { kind: 'drop' });
  ask(council, 'Should we rewrite the engine?');
  await expectWholeTurn(council, order);
});

test.concurrent('a webhook whose making got lost is found, and not made twice', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord } = council;
  discord.faults.failNext(newWebhook, { kind: 'status', status: 500 });
  discord.faults.failNext(newWebhook, { kind: 'drop after processing' });
  ask(council, 'Should we rewrite the engine?');
  await expectWholeTurn(council, order);
  expect(discord.state.webhooks.size).toBe(1);
});

test.concurrent('when every answer of the sages gets lost, each is there once, in order', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord } = council;
  discord.faults.failNext(webhookPost, { kind: 'drop after processing' }, 4);
  ask(council, 'Should we rewrite the engine?');
  await expectWholeTurn(council, order);
  const requests = discord.calls.filter(({ route }) => route === webhookPost);
  expect(requests).toHaveLength(4);
});

test.concurrent.each(faults.map((fault) => ({ kind: fault.kind, fault })))(
  'after “$kind” on the answer to a command the question is taken up all the same',
  async ({ fault }) => {
    const order = endOrder();
    await using council = await startCouncil(scriptedModels(wholeScript), {
      bot: { log: order.log },
    });
    const { discord, channel } = council;
    failRequest(discord, { route: routes.callback, number: 1, fault });
    const { id } = ask(council, 'Should we rewrite the engine?');
    await expectWholeTurn(council, order);
    // Without a response, Discord tells the person that the bot did not respond.
    const [card] = discord.messages(channel.id);
    expect(card?.wire.interaction_metadata?.id).toBe(id);
  },
);

test.concurrent('a command whose answer comes too late is taken up, however many messages the channel has had', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { discord, channel, bot } = council;
  discord.faults.failNext(routes.callback, { kind: 'status', status: 404 }, 2);
  const limit = { kind: 'rate limit', scope: 'user', retryAfterMs: 300 } as const;
  discord.faults.failNext(botPost, limit);
  ask(council, 'Ben: should we?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  expect(said(council, discord.threads(channel.id)[0]?.id ?? '')).toContain('No.');
});

test.concurrent.each(faults.map((fault) => ({ kind: fault.kind, fault })))(
  'after “$kind” on the private answer to a command in a thread no one reads of a failure',
  async ({ fault }) => {
    await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
    const { discord, bot, ada: user } = council;
    const channel = discord.userOpensThread(council.channel, user, 'Falcon');
    failRequest(discord, { route: routes.callback, number: 1, fault });
    const options = { question: 'Ben: should we?' };
    discord.slash({ user, channel, command: 'council', subcommand: 'ask', options });
    const told = () => said(council, channel.id);
    const isTold = () => told().some((text) => text.includes('being seated'));
    await discord.until(() => isTold() && told().includes('No.'), 'both answers', 20_000);
    await bot.idle();
    expect(told().join()).not.toContain('didn’t work');
    expect(discord.violations.all).toEqual([]);
  },
);

test.each(['name', 'role'] as const)(
  'anyone who mentions the bot by its %s is told when they can’t be answered',
  async (by) => {
    await using council = await startCouncil(scriptedModels({}));
    const { discord, guild, channel } = council;
    const mia = discord.addMember(guild, 'Mia', ['MentionEveryone']);
    discord.faults.failNext(botPost, { kind: 'status', status: 400 });
    const role = [...guild.roles.values()].find(({ tags }) => tags?.bot_id !== undefined);
    const words = by === 'role' ? `<@&${role?.id}> help` : 'help';
    const asked = discord.userSays(channel, mia, words, { mentionsBot: by === 'name' });
    const told = () => discord.messages(channel.id).slice(1);
    await discord.until(() => told().length > 0, 'word of it');
    expect(told().map(textOf)).toEqual([expect.stringContaining('didn’t work')]);
    expect(told()[0]?.wire.message_reference?.message_id).toBe(asked.wire.id);
  },
);

test.concurrent.each(faults.map((fault) => ({ kind: fault.kind, fault })))(
  'after “$kind” on the answer to a command, a button or a menu, it is answered all the same',
  async ({ fault }) => {
    await using council = await startCouncil(scriptedModels({}));
    const { discord, guild, channel } = council;
    const mia = discord.addMember(guild, 'Mia', ['ManageChannels']);
    const failNext = () => failRequest(discord, { route: routes.callback, number: 1, fault });
    const command = (subcommand: string) => {
      failNext();
      return discord.slash({ user: mia, channel, command: 'council', subcommand });
    };
    const config = command('config');
    const form = () => discord.messages(channel.id).find(({ onlyFor }) => onlyFor === mia.id);
    const shows = (words: string) => () =>
      textOf(form() ?? { wire: { content: '' } }).includes(words);
    await discord.until(shows('settings apply in this channel'), 'the settings');
    const press = (part: string) => {
      const shown = form();
      if (!shown) throw new Error('There are no settings.');
      failNext();
      return discord.pressButton(mia, shown, idWith(shown, part));
    };
    press('|page|server|');
    await discord.until(shows('settings apply in every channel'), 'the server’s settings');
    const opened = [press('|type|'), command('summon')];
    const kinds = () => opened.map(({ acknowledgement }) => acknowledgement?.kind).join();
    await discord.until(() => kinds() === 'modal,modal', 'two modals');
    const calls = () => discord.calls.filter(({ route }) => route === routes.callback);
    await discord.until(() => calls().length === 8, 'the repetition of each answer');
    expect(config.acknowledgement?.kind).toBe('message');
    expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
    expect(discord.violations.all).toEqual([]);
  },
);

test('anyone who gave a command whose beginning got lost is told so, and not left waiting', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, channel, ada: user } = council;
  discord.faults.failNext(routes.callback, { kind: 'drop after processing' });
  discord.faults.failNext(routes.callback, { kind: 'drop' });
  discord.slash({ user, channel, command: 'council', subcommand: 'help' });
  await discord.until(
    () => discord.messages(channel.id).some((message) => textOf(message).includes('didn’t work')),
    'the failure',
  );
  expect(discord.messages(channel.id)).toHaveLength(1);
  expect(discord.violations.all).toEqual([]);
});
