/** How managers change settings in Discord, by menus and modals. */

import { expect, test } from 'vitest';
import { scriptedModels } from '../council/scripted-council.ts';
import { startCouncil, textOf } from '../platforms/discord/discord-world.ts';
import { answered, customIds, idWith, slash } from '../platforms/discord/private-answers.ts';

test('managers are picked from a menu of people', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, ada } = council;
  const boss = discord.addMember(guild, 'Boss', ['ManageChannels']);
  const shown = await answered(council, slash(council, 'config', {}, boss));
  const page = () =>
    discord.messages(council.channel.id).find(({ wire }) => wire.id === shown.wire.id);
  while (!customIds(page() ?? shown).some((id) => id.includes('|managers|'))) {
    const next =
      customIds(page() ?? shown)
        .filter((id) => id.includes('|page|channel|'))
        .at(-1) ?? '';
    const before = textOf(page() ?? shown);
    discord.pressButton(boss, page() ?? shown, next);
    await discord.until(() => textOf(page() ?? shown) !== before, 'the next page');
  }
  const current = page() ?? shown;
  discord.selectUsers(boss, current, idWith(current, '|managers|'), [ada]);
  await discord.until(() => textOf(page() ?? shown).includes('Changed: managers'), 'the change');
  const now = await answered(council, slash(council, 'config', { change: 'set depth quick' }));
  expect(textOf(now)).toContain('Changed: depth');
  expect(discord.violations.all).toEqual([]);
});

test('a manager changes settings by menu and by modal; what is wrong is told at its field and changes nothing', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, bot } = council;
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const form = await answered(council, slash(council, 'config', {}, manager));
  expect(textOf(form)).toContain('(the default)');
  discord.select(manager, form, idWith(form, '|set|channel|depth'), ['quick']);
  await discord.until(() => textOf(form).includes('set for this channel by Mia'), 'the change');
  const settings = await bot.bot.settings({
    platform: 'discord',
    workspace: guild.id,
    channel: council.channel.id,
    threadId: `discord:${guild.id}:${council.channel.id}:x`,
  });
  expect(settings.bench).toHaveLength(5);

  const opened = discord.pressButton(manager, form, idWith(form, '|type|channel|'));
  await discord.until(() => opened.acknowledgement?.kind === 'modal', 'the modal');
  const modal = opened.acknowledgement?.kind === 'modal' ? opened.acknowledgement.modal : undefined;
  const [first] = [
    ...JSON.stringify(modal).matchAll(/"component":\{"type":4,"custom_id":"([^"]+)"/g),
  ];
  discord.submitModal(opened, { [first?.[1] ?? '']: 'a great many' });
  await discord.until(() => textOf(form).includes('Not changed'), 'the complaint');
  expect(textOf(form)).toContain('Nothing was changed');
  expect(discord.violations.all).toEqual([]);
});

test('a setting that is changed in words is shown as it is now, on its page, and so is one that is refused', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const manager = council.discord.addMember(council.guild, 'Mia', ['ManageChannels']);
  const given = async (change: string) =>
    textOf(await answered(council, slash(council, 'config', { change }, manager)));
  expect(await given('set memory no')).toMatch(/Changed: memory.*\*\*Memory\*\*: no/s);
  expect(await given('set managers Moe')).toMatch(/A name is no id.*\*\*Managers\*\*: nobody/s);
});

test('anyone who changes a setting is told when Discord does not take the answer, and the form stays', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel } = council;
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const form = await answered(council, slash(council, 'config', {}, manager));
  const before = textOf(form);
  const edit = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}';
  discord.faults.failNext(edit, { kind: 'status', status: 400 });
  discord.select(manager, form, idWith(form, '|set|channel|depth'), ['quick']);
  const told = () =>
    discord.messages(channel.id).find((one) => textOf(one).includes('didn’t work'));
  await discord.until(() => told() !== undefined, 'word of it');
  expect(told()?.onlyFor).toBe(manager.id);
  expect(textOf(form)).toBe(before);
  expect(discord.violations.all).toEqual([]);
});

test('what the server is set to holds in its channels, and each says where its value comes from', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild } = council;
  const owner = discord.addMember(guild, 'Olga', ['ManageChannels', 'ManageGuild']);
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const server = await answered(council, slash(council, 'config', { scope: 'server' }, owner));
  discord.select(owner, server, idWith(server, '|set|server|depth'), ['quick']);
  await discord.until(() => textOf(server).includes('set for the server by Olga'), 'the default');
  const form = await answered(council, slash(council, 'config', {}, manager));
  expect(textOf(form)).toContain('**Depth**: quick (set for the server by Olga');
  discord.select(manager, form, idWith(form, '|set|channel|depth'), ['standard']);
  await discord.until(() => textOf(form).includes('set for this channel by Mia'), 'the change');
  discord.select(manager, form, idWith(form, '|set|channel|depth'), [' reset']);
  await discord.until(
    () => textOf(form).includes('quick (set for the server by Olga'),
    'the reset',
  );
  const refused = await answered(council, slash(council, 'config', { scope: 'server' }, manager));
  discord.select(manager, refused, idWith(refused, '|set|server|depth'), ['standard']);
  await discord.until(() => textOf(refused).includes('manage the whole server'), 'the refusal');
  expect(discord.violations.all).toEqual([]);
});

test('no one else may change settings', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const reply = await answered(council, slash(council, 'config'));
  expect(textOf(reply)).toContain('Only those who may manage this channel');
  expect(customIds(reply)).toEqual([]);
});
