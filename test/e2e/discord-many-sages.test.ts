import { expect, test } from 'vitest';
import { scriptedModels, council as smallCouncil } from '../council/scripted-council.ts';
import { type CouncilInDiscord, startCouncil, textOf } from '../platforms/discord/discord-world.ts';
import { answered, customIds, idWith, slash } from '../platforms/discord/private-answers.ts';

const many = Array.from({ length: 60 }, (_, index) => ({
  key: `sage_${index}`,
  name: `Sage ${index}`,
  description: `Sees what ${index} sees.`,
  source: 'predefined' as const,
}));
const bot = { council: { ...smallCouncil, bench: many, fallbackSage: 'sage_0' } };

/** Who may sit in the channel. */
async function benchOf({ bot, guild, channel }: CouncilInDiscord): Promise<readonly string[]> {
  const { bench } = await bot.bot.settings({
    platform: 'discord',
    workspace: guild.id,
    channel: channel.id,
    threadId: `discord:${guild.id}:${channel.id}:${channel.id}`,
  });
  return bench.map(({ key }) => key);
}

test('a manager makes a bench out of sixty sages, in several menus, and loses none that a menu does not show', async () => {
  await using council = await startCouncil(scriptedModels({}), { bot });
  const { discord, guild } = council;
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const form = await answered(council, slash(council, 'config', {}, manager));
  const pick = async (menu: string, sages: readonly string[], shown: string) => {
    if (!customIds(form).some((id) => id.endsWith(menu))) {
      discord.pressButton(
        manager,
        form,
        idWith(form, `|page|channel|${menu === 'bench|2' ? 1 : 0}`),
      );
      await discord.until(() => customIds(form).some((id) => id.endsWith(menu)), 'the page');
    }
    discord.select(manager, form, idWith(form, `|set|channel|${menu}`), sages);
    await discord.until(() => textOf(form).includes(shown), `the change of ${menu}`);
  };
  await pick('bench|0', ['sage_3', 'sage_5'], 'Sage 3, Sage 5 (set');
  await pick('bench|1', ['sage_30'], 'Sage 3, Sage 5, Sage 30 (set');
  await pick('bench|2', ['sage_59'], 'This applies from the next question');
  expect(await benchOf(council)).toEqual(['sage_3', 'sage_5', 'sage_30', 'sage_59']);
  await pick('bench|0', ['sage_5'], 'Sage 30, Sage 59, Sage 5 (set');
  expect(await benchOf(council)).toEqual(['sage_5', 'sage_30', 'sage_59']);
  await pick('seats|1', ['sage_30'], 'Sage 30 (set');
  await pick('seats|0', ['sage_5'], 'Sage 30, Sage 5 (set');
  await pick('seats|1', [], '**Seats**: Sage 5 (set');
  await pick('seats|0', [' reset'], '**Seats**: moderated (the default)');
  await pick('bench|0', [' reset'], '**Bench**: all (the default)');
  expect(await benchOf(council)).toHaveLength(60);
  expect(discord.violations.all).toEqual([]);
});

test('of sixty sages each is found by typing', async () => {
  await using council = await startCouncil(scriptedModels({}), { bot });
  const { discord, channel, ada } = council;
  for (const { key, name } of [many[7], many[41], many[59]].flatMap((sage) => sage ?? [])) {
    const typing = discord.autocomplete({
      user: ada,
      channel,
      command: 'council',
      subcommand: 'ask',
      options: { question: 'Why?', sages: `sage_0, ${name.toLowerCase()}` },
      focused: 'sages',
    });
    await discord.until(() => typing.acknowledgement !== undefined, 'suggestions');
    expect(typing.acknowledgement).toMatchObject({
      choices: expect.arrayContaining([expect.objectContaining({ value: `sage_0,${key}` })]),
    });
  }
});
