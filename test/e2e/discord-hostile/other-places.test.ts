/** What is said in one place is known in no other. */

import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { ask, startCouncil, textOf } from '../../platforms/discord/discord-world.ts';
import { answerTo, expectNobodyPinged, finishedThread, saidBySages } from './hostile-world.ts';

/** Pacing is tested elsewhere. */
const unhurried = { limits: { calls: [], editGapMs: 20 } };

test('two servers with the same user, channel name, question and thread name share nothing', async () => {
  const models = scriptedModels({
    sages: { ben: [answer('First: the key is 42.'), answer('Second.'), answer('Third.')] },
  });
  await using council = await startCouncil(models, unhurried);
  const { discord, guild, channel, ada, bot } = council;
  ask(council, 'Ben: which key?');
  const first = await finishedThread(council, channel);
  const other = discord.addGuild({ name: guild.name });
  const twin = discord.addChannel(other, channel.name);
  discord.addMember(other, ada, ['ManageChannels', 'ManageGuild']);
  ask({ discord, channel: twin, ada }, 'Ben: which key?');
  const second = await finishedThread(council, twin);
  expect(second.name).toBe(first.name);
  discord.userSays(second, ada, 'Ben: and the one before?', { mentionsBot: true });
  await discord.until(() => saidBySages(discord, second.id).length === 2, 'the follow-up');
  await bot.idle();
  const requests = models
    .sage({ key: 'ben' })
    .requests.slice(1)
    .map(({ messages }) => messages);
  expect(requests).toHaveLength(2);
  expect(JSON.stringify(requests)).not.toContain('42');
  expect(JSON.stringify(requests[1])).toContain('In short: Second.');
  expectNobodyPinged(discord);
});

test('a custom sage and a setting of one server are not there in another', async () => {
  const models = scriptedModels({ moderator: [JSON.stringify({ prompt: 'You are Seneca.' })] });
  await using council = await startCouncil(models, unhurried);
  const { discord, channel, guild, bot, ada: user } = council;
  const opened = discord.slash({ user, channel, command: 'council', subcommand: 'summon' });
  await discord.until(() => opened.acknowledgement?.kind === 'modal', 'the modal');
  const preview = await answerTo(
    discord,
    discord.submitModal(opened, { name: 'Seneca', description: 'Weighs what can be lost.' }),
  );
  const [, save = ''] = /"custom_id":"([^"]*--save[^"]*)"/.exec(JSON.stringify(preview.wire)) ?? [];
  await answerTo(discord, discord.pressButton(user, preview, save));
  const other = discord.addGuild({ name: guild.name });
  const twin = discord.addChannel(other, channel.name);
  discord.addMember(other, user);
  const sagesIn = async (where: typeof channel) =>
    textOf(
      await answerTo(
        discord,
        discord.slash({ user, channel: where, command: 'council', subcommand: 'sages' }),
      ),
    );
  expect(await sagesIn(channel)).toContain('Seneca');
  expect(await sagesIn(twin)).not.toContain('Seneca');
  expect(await sagesIn(discord.addChannel(guild, 'another'))).not.toContain('Seneca');
  const direct = discord.directMessages(user);
  const asked = discord.slash({ user, channel: direct, command: 'council', subcommand: 'sages' });
  expect(textOf(await answerTo(discord, asked))).not.toContain('Seneca');
  await bot.idle();
  expectNobodyPinged(discord);
});

test('direct messages of two people, and of one person with a server, share nothing', async () => {
  const models = scriptedModels({
    sages: { ben: [answer('The key is 42.'), answer('Second.'), answer('Third.')] },
  });
  await using council = await startCouncil(models, unhurried);
  const { discord, guild, channel, ada, bot } = council;
  const eve = discord.addMember(guild, 'Eve');
  for (const [user, question] of [
    [ada, 'Ben: which key?'],
    [eve, 'Ben: what did Ada ask?'],
  ] as const) {
    const direct = discord.directMessages(user);
    discord.userSays(direct, user, question);
    await discord.until(
      () => discord.messages(direct.id).some(({ wire }) => wire.content.startsWith('**Ben')),
      'the answer',
    );
    await bot.idle();
  }
  ask(council, 'Ben: which key?');
  await finishedThread(council, channel);
  const later = models
    .sage({ key: 'ben' })
    .requests.slice(1)
    .map(({ messages }) => messages);
  expect(later).toHaveLength(2);
  expect(JSON.stringify(later)).not.toContain('42');
  expectNobodyPinged(discord);
});
