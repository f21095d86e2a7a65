/** Packets that are not as Discord documents them: each fails alone, and the bot goes on. */

import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { pruned } from '../../fakes/pruned.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import { forgeButton } from '../discord-hostile/hostile-world.ts';

const secret = 'Should we tell Falcon?';

function frame(t: string, d: unknown): string {
  return JSON.stringify({ op: 0, t, s: null, d });
}

/** Someone asks in a server that nothing has happened in, and is answered. */
async function expectAnswer({ discord, bot, lines }: CouncilInDiscord): Promise<void> {
  const guild = discord.addGuild({ name: 'Later' });
  const channel = discord.addChannel(guild, 'later');
  const eve = discord.addMember(guild, 'Eve');
  discord.userSays(channel, eve, 'Ben: are you there?', { mentionsBot: true });
  await discord.until(
    () =>
      discord
        .threads(channel.id)
        .some(({ id }) => discord.messages(id).some((one) => textOf(one).includes('I am.'))),
    'an answer',
    // Thousands of packets may be in front of it.
    60_000,
  );
  await bot.idle();
  expect(lines.join('\n')).not.toContain('Falcon');
}

/** Does what a server sees in a day, so that there are packets to prune. */
async function live(council: CouncilInDiscord): Promise<void> {
  const { discord, guild, channel, ada, bot } = council;
  ask(council, secret, { sages: 'ben' });
  await discord.until(() => discord.threads(channel.id).length === 1, 'a thread');
  await bot.idle();
  const [card] = discord.messages(channel.id);
  if (!card) throw new Error('There is no card.');
  forgeButton(card, 'council|view|seats|x');
  discord.pressButton(ada, card, 'council|view|seats|x');
  const command = { user: ada, channel, command: 'council' } as const;
  discord.slash({ ...command, subcommand: 'config' });
  discord.autocomplete({ ...command, subcommand: 'ask', focused: 'sages' });
  const said = discord.userSays(channel, ada, 'Ben: and this?', { mentionsBot: true });
  const direct = discord.userSays(discord.directMessages(ada), ada, 'Ben: here?');
  await bot.idle();
  discord.deleteMessage(said);
  discord.deleteMessages([direct, card]);
  const [thread] = discord.threads(channel.id);
  if (thread) discord.archiveThread(thread);
  if (thread) discord.deleteThread(thread);
  discord.denyEveryone(channel, 'ViewChannel');
  discord.deleteChannel(discord.addChannel(guild, 'short-lived'));
  discord.removeBot(discord.addGuild({ name: 'Brief' }));
  await bot.idle();
}

test('whatever is missing of a packet, it fails alone and the bot goes on', async () => {
  const models = scriptedModels({ sages: { ben: Array(2000).fill(answer('I am.')) } });
  await using council = await startCouncil(models);
  const { discord, platform } = council;
  await live(council);
  const kinds = new Map(discord.gateway.dispatched.map(({ t, d }) => [t, d]));
  for (const kind of [
    GatewayDispatchEvents.GuildCreate,
    GatewayDispatchEvents.GuildDelete,
    GatewayDispatchEvents.ChannelDelete,
    GatewayDispatchEvents.ThreadCreate,
    GatewayDispatchEvents.ThreadDelete,
    GatewayDispatchEvents.MessageCreate,
    GatewayDispatchEvents.MessageDelete,
    GatewayDispatchEvents.MessageDeleteBulk,
    GatewayDispatchEvents.InteractionCreate,
  ]) {
    expect([...kinds.keys()]).toContain(kind);
  }
  let frames = 0;
  const told = [...discord.gateway.dispatched];
  for (const { t, d } of told) {
    for (const less of pruned(d)) {
      frames += 1;
      discord.gateway.sendFrame(frame(t, less));
    }
  }
  expect(frames).toBeGreaterThan(5000);
  await expectAnswer(council);
  expect(platform.health().text).toMatch(/^connected to Discord; \d+ incoming events?/);
}, 90_000);

/** By what is wrong with each. */
const oddFrames: Readonly<Record<string, string>> = {
  'no JSON': 'Should we tell Falcon?',
  'an empty frame': '',
  null: 'null',
  'a number': '5',
  'a text': '"Should we tell Falcon?"',
  'a list': '[null]',
  'an object without an opcode': '{}',
  'an event without a name': '{"op":0}',
  'an event named null': frame('null', null),
  'an event that emitters know': frame('error', 'Should we tell Falcon?'),
  'the same without anything': frame('error', null),
  'an event named like a method': frame('__proto__', { Falcon: 1 }),
  'a READY of nothing': frame('READY', null),
  'a READY of an empty object': frame('READY', {}),
  'a READY whose guilds are none': frame('READY', { user: { id: '1' }, guilds: null }),
  'an invalid session of nothing': '{"op":9,"d":null}',
  'a HELLO of nothing': '{"op":10,"d":null}',
  'an opcode that there is not': '{"op":99,"d":null}',
  'an opcode of words': '{"op":"Falcon","d":null}',
};

test.each(Object.entries(oddFrames))('%s is survived', async (_, text) => {
  const models = scriptedModels({ sages: { ben: [answer('I am.')] } });
  await using council = await startCouncil(models);
  council.discord.gateway.sendFrame(text);
  await expectAnswer(council);
});

test('a packet that has to wait until all servers are told of fails alone, too', async () => {
  const models = scriptedModels({ sages: { ben: [answer('I am.')] } });
  await using council = await startCouncil(models, {
    before: ({ discord }) => {
      for (const d of [null, {}, { id: 'x', channel_id: null }]) {
        discord.gateway.sendAfterReady(frame('MESSAGE_CREATE', d));
        discord.gateway.sendAfterReady(frame('INTERACTION_CREATE', d));
      }
    },
  });
  await expectAnswer(council);
});
