import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { ask, startCouncil } from '../platforms/discord/discord-world.ts';

test('what was asked where not everybody can read is remembered there alone', async () => {
  const said = ['One.', 'Two.', 'Three.', 'Four.'];
  const models = scriptedModels({ sages: { ben: said.map((text) => answer(text)) } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  const back = discord.addChannel(guild, 'back-room');
  const direct = discord.directMessages(mia);
  /** What can be recalled, in a place where nothing was said yet. */
  const seenFrom = async (place: string) => {
    const scope = { threadId: `discord:${place}:new`, reach: 'workspace' } as const;
    const { messages } = await bot.store.memories.read(scope, { limit: 100 });
    return messages.flatMap(({ message: { content } }) => content.text ?? []).sort();
  };
  const answered = async (count: number) => {
    await discord.until(() => models.unsaid() === said.length - count, `answer ${count}`);
    await bot.idle();
  };

  ask({ discord, channel, ada: mia }, 'Ben: openly?');
  await answered(1);
  ask({ discord, channel: back, ada: mia }, 'Ben: with the door open?');
  await answered(2);
  expect(await seenFrom(`${guild.id}:elsewhere`)).toEqual([
    'Ben: openly?',
    'Ben: with the door open?',
  ]);

  discord.denyEveryone(back, 'ViewChannel');
  discord.grantPermissions(back, 'ViewChannel');
  ask({ discord, channel: back, ada: mia }, 'Ben: behind the door?');
  await answered(3);
  discord.userSays(direct, mia, 'Ben: between us?');
  await answered(4);
  expect(await seenFrom(`${guild.id}:elsewhere`)).toEqual(['Ben: openly?']);
  expect(await seenFrom(`${guild.id}:${back.id}`)).toEqual([
    ...['Ben: behind the door?', 'Ben: openly?', 'Ben: with the door open?'],
  ]);
  expect(await seenFrom('@me:somebody-else')).toEqual([]);
  expect(await seenFrom(`@me:${direct.id}`)).toEqual(['Ben: between us?']);
});
