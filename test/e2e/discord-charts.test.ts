/** Charts and faces as people see them in Discord. */

import { ComponentType } from 'discord.js';
import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { allComponents } from '../fakes/discord/messages/components.ts';
import {
  ask,
  type CouncilInDiscord,
  joinWorld,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';

const emojisRoute = '/applications/{application_id}/emojis';

/** What was said in the thread of the question asked last, once its turn has ended. */
async function saidOn(council: CouncilInDiscord, question: string, options = {}) {
  const { discord, channel, bot } = council;
  const before = discord.threads(channel.id).length;
  ask(council, question, options);
  await discord.until(() => discord.threads(channel.id).length > before, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id).find(({ name }) => name === question);
  return discord.messages(thread?.id ?? '');
}

/** How often pictures were uploaded. */
function uploads({ discord }: Pick<CouncilInDiscord, 'discord'>): number {
  return discord.calls.filter(({ route }) => route === `POST ${emojisRoute}`).length;
}

test('a ranking is a chart with its numbers in words, under the face of who won', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord } = council;
  const ranking = (await saidOn(council, 'Should we rewrite the engine?'))[4]?.wire;
  const parts = allComponents(ranking?.components ?? []);
  const [gallery] = parts.filter(({ type }) => type === ComponentType.MediaGallery);
  expect(gallery).toMatchObject({
    items: [
      {
        description: expect.stringMatching(
          /^1\. \w+ Sage: \d+ %, 2\. .*ranked each answer above another\.$/,
        ),
      },
      { description: expect.stringMatching(/^How many pairs of answers/) },
    ],
  });
  expect(ranking?.attachments.map(({ filename }) => filename)).toEqual([
    'ranking.png',
    'agreement.png',
  ]);
  const [file] = [...discord.state.files.values()];
  expect(Buffer.from(file?.bytes ?? []).toString('latin1', 1, 4)).toBe('PNG');
  const [face] = parts.filter(({ type }) => type === ComponentType.Thumbnail);
  const [id = ''] = discord.state.emojis.keys();
  expect(JSON.stringify(face)).toContain('https://cdn.discordapp.com/emojis/');
  expect(id).not.toBe('');
  expect(discord.violations.all).toEqual([]);
});

test('each sage speaks under its own picture, which is uploaded once and known after a restart', async () => {
  const models = () => scriptedModels({ sages: { ben: [answer('No.'), answer('Still no.')] } });
  await using council = await startCouncil(models());
  const { discord } = council;
  const [first] = await saidOn(council, 'First?', { sages: 'ben' });
  const [second] = await saidOn(council, 'Second?', { sages: 'ben' });
  const [id] = [...discord.state.emojis.keys()];
  expect(first?.avatarUrl).toBe(`https://cdn.discordapp.com/emojis/${id}.png`);
  expect(second?.avatarUrl).toBe(first?.avatarUrl);
  await council.bot.shutDown();
  await using next = await joinWorld(council, models());
  const [third] = await saidOn(next, 'Third?', { sages: 'ben' });
  expect(third?.avatarUrl).toBe(first?.avatarUrl);
  expect(uploads(council)).toBe(1);
  expect(discord.violations.all).toEqual([]);
});

test('a picture beside a sage’s file takes the place of the drawn one, which goes', async () => {
  const models = () => scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models());
  const { discord } = council;
  const [drawn] = await saidOn(council, 'First?', { sages: 'ben' });
  await council.bot.shutDown();
  const own = Buffer.from('89504e470d0a1a0a', 'hex');
  const ownPicture = ({ key }: { readonly key: string }) => (key === 'ben' ? own : undefined);
  await using next = await joinWorld(council, models(), { ownPicture });
  const [replaced] = await saidOn(next, 'Second?', { sages: 'ben' });
  expect(replaced?.avatarUrl).not.toBe(drawn?.avatarUrl);
  const emojis = [...discord.state.emojis.values()];
  expect(emojis.map(({ bytes }) => bytes)).toEqual([own]);
  expect(replaced?.avatarUrl).toBe(`https://cdn.discordapp.com/emojis/${emojis[0]?.id}.png`);
  expect(discord.violations.all).toEqual([]);
});

test('where Discord takes no picture, sages speak without one', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord } = council;
  for (let index = 0; index < 2000; index++) {
    const id = `${100_000_000_000_000_000n + BigInt(index)}`;
    discord.state.emojis.set(id, { id, name: `other_${index}`, bytes: Buffer.alloc(0) });
  }
  const said = await saidOn(council, 'Should we rewrite the engine?');
  expect(said.slice(0, 4).map(({ avatarUrl }) => avatarUrl)).toEqual(Array(4).fill(undefined));
  const ranking = said[4]?.wire;
  const types = allComponents(ranking?.components ?? []).map(({ type }) => type);
  expect(types).toContain(ComponentType.MediaGallery);
  expect(types).not.toContain(ComponentType.Thumbnail);
  expect(discord.violations.all).toEqual([]);
});

test('where files are not permitted, the ranking is bars of text', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript), {
    before: ({ discord, channel }) => discord.revokePermissions(channel, 'AttachFiles'),
  });
  const said = await saidOn(council, 'Should we rewrite the engine?');
  expect(said).toHaveLength(6);
  expect(said[4] && textOf(said[4])).toMatch(/1\\?\. `█+░* +\d+ %` \*\*\w+ Sage\*\* 🏆/);
  expect(council.discord.violations.all).toEqual([]);
});
