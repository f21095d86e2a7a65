import { describe, expect, test } from 'vitest';
import { readPastTurn } from '../../../src/council/past-turn.ts';
import type { Preset } from '../../../src/settings/preset-settings.ts';
import { answer, ranks, scriptedModels, verdict } from '../../council/scripted-council.ts';
import { question, startBot, type TestBot } from '../bot-fixture.ts';
import {
  channelManager,
  command,
  here,
  member,
  placeIn,
  serverManager,
  textOf,
} from '../commanding.ts';

const hiring = {
  do: 'save',
  name: 'hiring',
  description: 'For decisions about people',
  sages: 'ben, cleo',
  criteria: 'fairness',
};

/** Ben and Cleo answer, and rank each other. */
function script(depth: 'quick' | 'standard' = 'standard') {
  const review = [ranks('Ben says no.', 'Cleo says later.')];
  return scriptedModels({
    sages: { ben: [answer('Ben says no.')], cleo: [answer('Cleo says later.')] },
    ...(depth === 'standard' ? { reviews: { ben: review, cleo: review } } : {}),
    chair: [verdict],
  });
}

async function askedWith({ bot, store, idle }: TestBot, wished: object) {
  const asked = await bot.ask({ ...question, ...wished });
  if (asked.status !== 'accepted') throw new Error(JSON.stringify(asked));
  await idle();
  const record = await store.turns.read({ turnId: asked.turnId, threadId: question.threadId });
  if (!record) throw new Error('The turn was not stored.');
  return readPastTurn(record);
}

describe('a preset', () => {
  test('that managers save is asked by its name: its sages, its criteria', async () => {
    const models = script();
    const started = await startBot(models);
    const saved = await command(started.bot, 'preset', hiring, channelManager);
    expect(textOf(saved)).toContain('preset:hiring');
    const past = await askedWith(started, { preset: 'hiring' });
    expect(past.seated?.seats.map(({ sage }) => sage.key)).toEqual(['ben', 'cleo']);
    expect(past.ranked?.criteria).toBe('fairness');
    expect(past.request.preset).toBe('hiring');
    expect(models.unsaid()).toBe(0);
    expect(textOf(await command(started.bot, 'receipt'))).toContain('"Preset","value":"hiring"');
  });

  test('sets the depth, which the person who asks may set otherwise', async () => {
    const quick = { ...hiring, depth: 'quick' };
    const one = await startBot(script('quick'));
    await command(one.bot, 'preset', quick, channelManager);
    expect((await askedWith(one, { preset: 'hiring' })).reviews).toEqual([]);
    const other = await startBot(script());
    await command(other.bot, 'preset', quick, channelManager);
    const past = await askedWith(other, { preset: 'hiring', depth: 'standard' });
    expect(past.reviews).toHaveLength(2);
  });

  test('of the operator holds everywhere, and that of a channel goes before it', async () => {
    const file: Preset = {
      key: 'hiring',
      description: 'By the operator',
      origin: 'file',
      settings: { seats: ['ada', 'zeno'] },
    };
    const { bot } = await startBot(scriptedModels({}), { presets: [file] });
    await command(bot, 'preset', hiring, channelManager);
    const shown = textOf(await command(bot, 'preset', { name: 'hiring' }));
    expect(shown).toContain('For decisions about people');
    expect(shown).toContain('seats: Ben Sage, Cleo Sage');
    expect(shown).toContain('criteria: fairness');
    expect(shown).toContain('Made here.');
    const elsewhere = await command(bot, 'preset', {}, member, placeIn('c2'));
    expect(textOf(elsewhere)).toContain('By the operator');
    expect(textOf(elsewhere)).toContain('seats: Ada Sage, zeno (not on this bench)');
    await command(bot, 'preset', { do: 'remove', name: 'hiring' }, channelManager);
    expect(textOf(await command(bot, 'preset'))).toContain('Made by the operator.');
  });

  test('for a whole server is made by those who manage it, and is in no other', async () => {
    const { bot } = await startBot(scriptedModels({}));
    const forAll = { ...hiring, scope: 'server' };
    const refused = await command(bot, 'preset', forAll, channelManager);
    expect(refused.isRefusal).toBe(true);
    await command(bot, 'preset', forAll, serverManager);
    expect(textOf(await command(bot, 'preset', {}, member, placeIn('c2')))).toContain('hiring');
    const other = await command(bot, 'preset', {}, member, placeIn('c', 'w2'));
    expect(textOf(other)).toContain('There are no presets here yet');
  });

  test('is neither saved nor removed by those who manage nothing', async () => {
    const { bot } = await startBot(scriptedModels({}));
    for (const options of [hiring, { do: 'remove', name: 'hiring' }]) {
      const reply = await command(bot, 'preset', options, member);
      expect(reply.isRefusal).toBe(true);
      expect(textOf(reply)).toContain('Only those who may manage this channel');
    }
  });

  test.each([
    [{ name: 'Hiring people' }, 'is not a preset’s name'],
    [{ description: '' }, 'Say what the preset is for'],
    [{ sages: 'zoe' }, 'seats: “zoe” isn’t possible here'],
    [{ model: 'openai:unknown' }, 'sageModel: “openai:unknown” isn’t possible here'],
    [{ sages: undefined, criteria: undefined }, 'A preset sets at least one of seats'],
  ])('that will not do, %j, is refused with what was expected', async (wrong, expected) => {
    const { bot } = await startBot(scriptedModels({}));
    const given = Object.entries({ ...hiring, ...wrong }).filter(
      ([, value]) => value !== undefined,
    );
    const reply = await command(bot, 'preset', Object.fromEntries(given), channelManager);
    expect(reply.isRefusal).toBe(true);
    expect(textOf(reply).replace("preset's", 'preset’s')).toContain(expected);
    expect(textOf(await command(bot, 'preset'))).toContain('There are no presets here yet');
  });

  test('has its place among 25 also when two are saved in the same moment', async () => {
    const { bot } = await startBot(scriptedModels({}));
    const save = (name: string) => command(bot, 'preset', { ...hiring, name }, channelManager);
    for (let number = 1; number < 25; number += 1) await save(`p${number}`);
    const replies = await Promise.all([save('this'), save('that')]);
    expect(replies.filter(({ isRefusal }) => isRefusal).map(textOf)).toEqual([
      expect.stringContaining('There is room for 25 presets. Remove one first.'),
    ]);
    expect((await save('p1')).isRefusal).not.toBe(true);
  });

  test('that there is not is refused before any call, with those that there are', async () => {
    const { bot } = await startBot(scriptedModels({}));
    await command(bot, 'preset', hiring, channelManager);
    expect(await bot.ask({ ...question, preset: 'firing' })).toEqual({
      status: 'refused',
      reason: 'There is no preset “firing” here. There are: hiring.',
    });
  });

  test('is suggested by its name and by what it is for', async () => {
    const { bot } = await startBot(scriptedModels({}));
    await command(bot, 'preset', hiring, channelManager);
    const suggestion = { label: 'hiring: For decisions about people', value: 'hiring' };
    expect(await bot.suggest('preset', 'PEOPLE', here, member)).toEqual([suggestion]);
    expect(await bot.suggest('preset', 'ship', here, member)).toEqual([]);
  });

  test('is suggested however many there are, since programs and pages list them all', async () => {
    const presets = Array.from({ length: 30 }, (_, at) => ({
      key: `team_${at}`,
      description: 'For a team',
      settings: {},
      origin: 'file' as const,
    }));
    const { bot } = await startBot(scriptedModels({}), { presets });
    expect(await bot.suggest('preset', '', here, member)).toHaveLength(30);
  });
});
