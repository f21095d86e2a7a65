/** A hello when the council is added to where people talk: once, and never because something comes back. */

import { expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { scriptedModels } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import {
  joinWorld,
  startCouncil as startInDiscord,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { startCouncil as startInSlack } from '../platforms/slack/slack-world.ts';

const silent = () => scriptedModels({});

test('in Discord a server that adds the bot reads once what it does, how to ask and who may set it', async () => {
  await using council = await startInDiscord(silent());
  const { discord, bot, lines } = council;
  const guild = discord.addGuild({
    name: 'Agora',
    channels: ['rules', 'general'],
    botPermissions: ['ViewChannel', 'SendMessages'],
  });
  const channels = () =>
    [...discord.state.channels.values()].filter(
      (one) => one.kind === 'channel' && one.guildId === guild.id,
    );
  const said = () => channels().flatMap(({ id }) => discord.messages(id).map(textOf));
  await discord.until(() => said().length === 1, 'the hello');
  for (const part of ['several AI sages', '/council ask', 'mention me', '/council config'])
    expect(said()[0]).toContain(part);
  discord.tellGuild(guild);
  await bot.idle();
  expect(said()).toHaveLength(1);
  expect(lines.filter((line) => line.includes('was added to a server'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('without Manage Webhooks'))).toHaveLength(1);
  expect(discord.pings()).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('in Discord a server that was there before is told nothing, after a restart neither', async () => {
  const world = await startWorld();
  const { discord } = world;
  const guild = discord.addGuild({ name: 'Agora', channels: ['general'] });
  const first = await joinWorld(world, silent());
  await first[Symbol.asyncDispose]();
  discord.clock.advance(3_600_000);
  const second = await joinWorld(world, silent(), { now: () => discord.clock.now() });
  discord.tellGuild(guild);
  await second.bot.idle();
  await second[Symbol.asyncDispose]();
  const posts = discord.calls.filter(({ route }) => route.startsWith('POST /channels'));
  expect(posts).toEqual([]);
  await discord.close();
});

test('in Slack a channel that the app is added to reads it once, however often that is told', async () => {
  await using council = await startInSlack(silent(), { scopes: scopeNames });
  const { slack, channel, ada, bot } = council;
  const joined = (user: string) =>
    slack.events.tell({
      teamId: slack.workspace.id,
      subscription: 'member_joined_channel',
      channel,
      event: {
        type: 'member_joined_channel',
        user,
        channel: channel.id,
        channel_type: 'C',
        team: slack.workspace.id,
        inviter: ada.user.id,
      },
    });
  const said = () => slack.messages(channel).filter(({ isApp }) => isApp);
  await joined(ada.user.id);
  await joined(slack.installation().botUserId);
  await slack.until(() => said().length > 0, 'the hello');
  await joined(slack.installation().botUserId);
  await bot.idle();
  expect(said()).toHaveLength(1);
  for (const part of ['several AI sages', '/council ask', 'mention me', '/council config'])
    expect(said()[0]?.text).toContain(part);
  slack.assertNoViolations();
});
