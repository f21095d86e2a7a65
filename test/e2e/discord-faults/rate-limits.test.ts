import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { ask, startCouncil, textOf } from '../../platforms/discord/discord-world.ts';
import { endOrder, expectWholeTurn, failRequest, routes, said } from './whole-turn.ts';

const scopes = ['user', 'shared', 'global', 'hidden'] as const;
const limitable = [
  ['the card', routes.botPost, 1],
  ['the second answer', routes.webhookPost, 2],
  ['the verdict', routes.botPost, 3],
  ['the card’s first edit', routes.cardEdit, 1],
] as const;

test.concurrent.each(
  scopes.flatMap((scope) =>
    limitable.map(([what, route, number]) => ({ scope, what, route, number })),
  ),
)(
  'after a 429 ($scope) on $what everything is there once, in order',
  async ({ scope, route, number }) => {
    const order = endOrder();
    await using council = await startCouncil(scriptedModels(wholeScript), {
      bot: { log: order.log },
    });
    const { discord, channel, ada } = council;
    const fault = { kind: 'rate limit', scope, retryAfterMs: 300 } as const;
    failRequest(discord, { route, number, fault });
    discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
    await expectWholeTurn(council, order);
    expect(discord.calls.filter(({ status }) => status === 429)).toHaveLength(1);
  },
);

test.concurrent('after a 429 on every kind of request at once everything is there once, in order', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord, channel, ada } = council;
  for (const route of Object.values(routes)) {
    for (const scope of ['hidden', 'user'] as const) {
      discord.faults.failNext(route, { kind: 'rate limit', scope, retryAfterMs: 100 });
    }
  }
  discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
  await expectWholeTurn(council, order);
});

test.concurrent.each(['user', 'shared', 'hidden'] as const)(
  'a 429 (%s) in one channel does not hold up another',
  async (scope) => {
    const models = scriptedModels({ sages: { ada: [answer('Yes.')], ben: [answer('No.')] } });
    await using council = await startCouncil(models);
    const { discord, guild, channel, bot } = council;
    const other = discord.addChannel(guild, 'other');
    discord.faults.failNext(routes.webhookPost, {
      kind: 'rate limit',
      scope,
      retryAfterMs: 5000,
    });
    ask(council, 'Ada: should we?');
    await discord.until(() => discord.calls.some(({ status }) => status === 429), 'the 429');
    ask({ ...council, channel: other }, 'Ben: should we?');
    const saidIn = (channelId: string) =>
      discord.threads(channelId).flatMap(({ id }) => said(council, id));
    const shownIn = (channelId: string) => discord.messages(channelId).map(textOf).join();
    const isOver = () => shownIn(other.id).includes('Read the whole council');
    await discord.until(isOver, 'the other turn');
    expect([saidIn(other.id), saidIn(channel.id)]).toEqual([['No.'], []]);
    await bot.idle();
    expect(saidIn(channel.id)).toEqual(['Yes.']);
  },
);

test.concurrent('when a channel’s webhook budget is spent, answers wait in order and none fails', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord } = council;
  const spent = { kind: 'rate limit', scope: 'hidden', retryAfterMs: 400 } as const;
  for (const number of [1, 2, 3, 4]) {
    failRequest(discord, { route: routes.webhookPost, number: 2 * number - 1, fault: spent });
  }
  ask(council, 'Should we rewrite the engine?');
  await expectWholeTurn(council, order);
  expect(discord.calls.filter(({ status }) => status === 429)).toHaveLength(4);
  expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
});
