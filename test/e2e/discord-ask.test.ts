import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { ask, startCouncil, textOf } from '../platforms/discord/discord-world.ts';

test('a question is answered by four sages in a thread, each under its own name, then ranked and judged', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord, channel, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  expect(thread?.name).toBe('Should we rewrite the engine?');
  const said = discord.messages(thread?.id ?? '');
  expect(
    said
      .slice(0, 4)
      .map(({ wire }) => [wire.author.username, wire.content])
      .sort(),
  ).toEqual([
    ['Ada Sage', 'Ada says yes.'],
    ['Ben Sage', 'Ben says no.'],
    ['Cleo Sage', 'Cleo says later.'],
    ['Dan Sage', 'Dan says in parts.'],
  ]);
  expect(said).toHaveLength(6);
  expect(said[4] && textOf(said[4])).toContain('Ranking by 4 blind ballots');
  expect(said[5] && textOf(said[5])).toContain('Rewrite it in parts.');
  expect(said[5] && textOf(said[5])).toMatch(/^-# Sages, by their ballots: aligned$/m);
  const [card] = discord.messages(channel.id);
  expect(card && textOf(card)).toContain('Rewrite it in parts.');
  expect(card && textOf(card)).toContain('Confidence: medium · Sages, by their ballots: aligned');
  expect(card && textOf(card)).toContain('Read the whole council');
  expect(JSON.stringify(card?.wire)).not.toContain('"spoiler":true');
  expect(discord.violations.all).toEqual([]);
  expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
});

test('one sage alone is heard when the question begins with its name', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { discord, channel, bot } = council;
  ask(council, 'Ben: and you?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const said = discord.messages(discord.threads(channel.id)[0]?.id ?? '');
  expect(said.map(({ wire }) => wire.content)).toEqual(['No.']);
  expect(discord.violations.all).toEqual([]);
});
