import { expect, test } from 'vitest';
import { commands } from '../../../commands/index.ts';
import type { CouncilModels } from '../../../src/council/council.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import type { Store } from '../../../src/store/store.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { ask, recordingLog, startCouncil, textOf } from '../../platforms/discord/discord-world.ts';
import { endOrder, expectWholeTurn, routes } from './whole-turn.ts';

const hourMs = 60 * 60_000;

/** A bot with the clock of the fake that sends every state of a card. */
function startEditing(discord: FakeDiscord, models: CouncilModels, store?: Store) {
  const platform = createDiscord({
    token: discord.token,
    api: discord.api,
    commands,
    log: recordingLog().log,
    limits: { calls: [], editGapMs: 0 },
    now: () => discord.clock.now(),
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  });
  return startBot(models, { platforms: [platform] }, store);
}

test('a turn that is resumed hours later is shown to its end, though its card may hardly be edited', async () => {
  await using world = await startWorld({ rateLimits: true });
  const { discord, channel } = world;
  const count = (route: string) => discord.calls.filter((call) => call.route === route).length;
  const cut = scriptedModels({
    ...wholeScript,
    sages: { ...wholeScript.sages, ben: [hang], cleo: [hang], dan: [hang] },
  });
  const first = await startEditing(discord, cut);
  ask(world, 'Should we rewrite the engine?');
  await discord.until(() => count(routes.webhookPost) === 1, 'the first answer');
  await first.shutDown();
  discord.clock.advance(3 * hourMs);
  const after = (posts: number, text: string) => async () => {
    await discord.until(() => count(routes.webhookPost) === posts, `answer ${posts}`);
    return answer(text);
  };
  const rest = scriptedModels({
    ...wholeScript,
    moderator: [],
    sages: {
      ben: [after(1, 'Ben says no.')],
      cleo: [after(2, 'Cleo says later.')],
      dan: [after(3, 'Dan says in parts.')],
    },
  });
  const editsBefore = count(routes.cardEdit);
  const bot = await startEditing(discord, rest, first.store);
  const order = { ...endOrder(), sages: ['ada', 'ben', 'cleo', 'dan'] };
  await expectWholeTurn({ ...world, bot }, order);
  expect(count(routes.cardEdit) - editsBefore).toBe(1);
  expect(discord.messages(channel.id).map(textOf).join()).toContain('Rewrite it in parts.');
  await bot.shutDown();
});

test.each([
  ['one edit', 1, true],
  ['all edits', 50, false],
] as const)(
  'when Discord puts off %s of a card for an hour, the turn does not wait for it',
  async (_, edits, isLastShown) => {
    const order = endOrder();
    await using council = await startCouncil(scriptedModels(wholeScript), {
      bot: { log: order.log },
    });
    const { discord, channel, bot } = council;
    const fault = { kind: 'rate limit', scope: 'hidden', retryAfterMs: hourMs } as const;
    discord.faults.failNext(routes.cardEdit, fault, edits);
    ask(council, 'Should we rewrite the engine?');
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    await bot.idle();
    expect(discord.messages(discord.threads(channel.id)[0]?.id ?? '')).toHaveLength(6);
    const card = discord.messages(channel.id).map(textOf).join();
    expect(card.includes('Read the whole council')).toBe(isLastShown);
  },
);
