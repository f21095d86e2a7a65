import { GatewayDispatchEvents } from 'discord.js';
import { expect, test } from 'vitest';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { ask, joinWorld, startCouncil } from '../../platforms/discord/discord-world.ts';
import { endOrder, expectWholeTurn } from './whole-turn.ts';

const question = 'Should we rewrite the engine?';

test('a command that is delivered three times at once is one turn, and no one is told of a failure', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord } = council;
  ask(council, question);
  discord.gateway.repeat(GatewayDispatchEvents.InteractionCreate);
  discord.gateway.repeat(GatewayDispatchEvents.InteractionCreate);
  await expectWholeTurn(council, order);
  expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
});

test('a command that is delivered again after its turn has ended begins nothing', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord } = council;
  ask(council, question);
  await expectWholeTurn(council, order);
  const { length } = discord.calls;
  discord.gateway.repeat(GatewayDispatchEvents.InteractionCreate);
  // What comes later is dealt with later: when this is answered, the rest has been heard.
  const elsewhere = { ...council, channel: discord.addChannel(council.guild, 'elsewhere') };
  const later = ask(elsewhere, 'y?'.repeat(300));
  await discord.until(() => later.acknowledgement !== undefined, 'the refusal of a later question');
  await expectWholeTurn(council, order);
  expect(discord.calls).toHaveLength(length + 1);
});

test('a mention that is delivered again to the next process is the same turn', async () => {
  const order = endOrder();
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  const models = scriptedModels(wholeScript);
  const first = await joinWorld(world, models, { bot: { log: order.log } });
  discord.userSays(channel, ada, question, { mentionsBot: true });
  await expectWholeTurn(first, order);
  await first.bot.shutDown();
  await using second = await joinWorld(world, models, { store: first.bot.store });
  const { store } = second.bot;
  for (let times = 0; times < 3; times++) {
    discord.gateway.repeat(GatewayDispatchEvents.MessageCreate);
  }
  // What comes later is dealt with later: when this is answered, the rest has been heard.
  const later = discord.userSays(channel, ada, 'y?'.repeat(300), { mentionsBot: true });
  await discord.until(
    () =>
      discord
        .messages(channel.id)
        .some(({ wire }) => wire.message_reference?.message_id === later.wire.id),
    'the refusal of the later question',
  );
  await second.bot.idle();
  expect(await store.turns.unfinished(10)).toEqual([]);
  const [thread, ...more] = discord.threads(channel.id);
  expect(more).toEqual([]);
  expect(discord.messages(thread?.id ?? '')).toHaveLength(6);
  expect(models.unsaid()).toBe(0);
});

test('a mention that is told again by a resume while its turn runs is the same turn', async () => {
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    bot: { log: order.log },
  });
  const { discord, channel, ada } = council;
  discord.userSays(channel, ada, question, { mentionsBot: true });
  discord.gateway.dropConnections();
  discord.gateway.repeat(GatewayDispatchEvents.MessageCreate);
  await expectWholeTurn(council, order);
});
