import { expect, test } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { Fault } from '../../fakes/discord/rest/faults.ts';
import { ask, recordingLog } from '../../platforms/discord/discord-world.ts';
import { endOrder, expectWholeTurn, routes } from './whole-turn.ts';

/** A bot that tries each post five times more, with hardly a wait in between. */
async function startTrying() {
  const world = await startWorld();
  const { discord } = world;
  const { log, lines } = recordingLog();
  const platform = createDiscord({
    ...{ token: discord.token, api: discord.api, commands, log },
    requestTimeoutMs: 500,
    retryWaitsMs: [10, 10, 10, 10, 10],
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  });
  const order = endOrder();
  const models = scriptedModels(wholeScript);
  const bot = await startBot(models, { platforms: [platform], log: order.log });
  return {
    ...{ ...world, bot, order, lines },
    [Symbol.asyncDispose]: async () => {
      await bot.shutDown();
      await discord.close();
    },
  };
}

const unanswered: readonly Fault[] = [
  { kind: 'status', status: 502 },
  { kind: 'drop after processing' },
];

test.each(unanswered.map((fault) => ({ kind: fault.kind, fault })))(
  'an outage (“$kind”) of everything in the middle of a turn is outlasted, everything is there once',
  async ({ fault }) => {
    await using council = await startTrying();
    const { discord } = council;
    ask(council, 'Should we rewrite the engine?');
    await discord.until(
      () => discord.calls.some(({ route }) => route === routes.webhookPost),
      'the first answer',
    );
    discord.faults.failNext('*', fault, 5);
    await expectWholeTurn(council, council.order);
  },
);

test('when an outage outlasts the bot’s patience the rest is posted, and the card says that something is missing', async () => {
  await using council = await startTrying();
  const { discord, channel, bot, lines } = council;
  discord.faults.failNext(routes.webhookPost, { kind: 'status', status: 502 }, 6);
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  expect(discord.messages(discord.threads(channel.id)[0]?.id ?? '')).toHaveLength(5);
  const [card] = discord.messages(channel.id);
  expect(JSON.stringify(card?.wire.components)).toContain('Not everything could be posted');
  expect(lines.filter((line) => line.startsWith('error'))).toHaveLength(1);
});
