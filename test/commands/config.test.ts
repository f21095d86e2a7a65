import { describe, expect, test } from 'vitest';
import { fileSettings, startBot } from '../bot/bot-fixture.ts';
import {
  channelManager,
  command,
  formOf,
  member,
  placeIn,
  serverManager,
  textOf,
} from '../bot/commanding.ts';
import { scriptedModels } from '../council/scripted-council.ts';

const silent = () => scriptedModels({});

describe('/council config', () => {
  test('shows everything, with where it comes from', async () => {
    const { bot } = await startBot(silent());
    const form = formOf(await command(bot, 'config', {}, channelManager));
    expect([...form.keys()]).toEqual([
      'seats',
      'bench',
      'depth',
      'maxDynamicSages',
      'answerWords',
      'nextQuestions',
      'criteria',
      'moderatorModel',
      'sageModel',
      'reviewerModel',
      'chairModel',
      'language',
      'timeZone',
      'followUpMode',
      'channelUsdPerDay',
      'questionsPerUserPerHour',
      'memory',
      'attachments',
      'links',
      'managers',
      'memoryReach',
      'history',
      'forgetDeleted',
    ]);
    expect(form.get('depth')).toMatchObject({ value: 'standard', origin: 'file' });
  });

  test('changes a setting in words, and names who did and when', async () => {
    const { bot } = await startBot(silent(), { now: () => 77 });
    const reply = await command(bot, 'config', { change: 'set DEPTH quick' }, channelManager);
    expect(textOf(reply)).toContain('Changed: depth. This applies from the next question');
    expect(formOf(reply).get('depth')).toMatchObject({
      value: 'quick',
      origin: 'channel',
      setBy: 'Max (m1)',
      setAt: 77,
    });
  });

  test('sets the default of a server, which a channel may override', async () => {
    const { bot } = await startBot(silent());
    const reply = await command(
      bot,
      'config',
      { change: 'set language Old English', scope: 'server' },
      serverManager,
    );
    expect(formOf(reply).get('language')).toMatchObject({ value: 'Old English', origin: 'server' });
    await command(bot, 'config', { change: 'set language Welsh' }, channelManager);
    const inChannel = formOf(await command(bot, 'config', {}, channelManager));
    expect(inChannel.get('language')).toMatchObject({ value: 'Welsh', origin: 'channel' });
    const elsewhere = formOf(await command(bot, 'config', {}, channelManager, placeIn('d')));
    expect(elsewhere.get('language')).toMatchObject({ value: 'Old English', origin: 'server' });
  });

  test('resets one setting, or all of them, to what the next place says', async () => {
    const { bot } = await startBot(silent());
    const changes = { depth: 'quick', memory: false, language: 'Welsh' };
    await command(bot, 'config', { changes }, channelManager);
    const one = formOf(await command(bot, 'config', { change: 'reset depth' }, channelManager));
    expect(one.get('depth')?.origin).toBe('file');
    expect(one.get('memory')?.origin).toBe('channel');
    const all = formOf(await command(bot, 'config', { change: 'reset all' }, channelManager));
    expect([...all.values()].filter(({ origin }) => origin !== 'file')).toEqual([]);
    expect(all.get('language')?.value).toBe(fileSettings.language);
  });

  test('changes several settings at once, or none: each problem stands at its field', async () => {
    const { bot, store } = await startBot(silent());
    const changes = { depth: 'quick', maxDynamicSages: '99', channelUsdPerDay: 'lots' };
    const reply = await command(bot, 'config', { changes }, channelManager);
    const form = formOf(reply);
    expect(textOf(reply)).toContain('Nothing was changed');
    expect(form.get('depth')).toMatchObject({ value: 'standard', origin: 'file' });
    expect(form.get('depth')).not.toHaveProperty('problem');
    expect(form.get('maxDynamicSages')?.problem).toContain('from 0 to 4');
    expect(form.get('channelUsdPerDay')?.problem).toContain('“lots” isn’t possible here');
    expect(await store.settings.read(['channel:test:w:c', 'workspace:test:w'])).toEqual([{}, {}]);
  });

  test.each([
    [{ change: 'set depth deepest' }, 'one of quick, standard, deep, auto'],
    [{ change: 'set colour red' }, 'There is no setting “colour”'],
    [{ change: 'make depth quick' }, 'is not a change that I understand. Write set <name> <value>'],
    [{ change: 'set depth' }, 'is not a change that I understand. Write set <name> <value>'],
    [{ change: 'depth quick' }, 'is not a change'],
    [{ change: 'reset colour' }, 'There is no setting “colour”'],
    [{ change: 'set depth quick', changes: {} }, 'not both'],
    [
      { scope: 'world' },
      'doesn’t work like that. The option scope can be channel, server or mine.',
    ],
    [{ changes: { depth: { toString: 1 } } }, 'Nothing was changed'],
  ])('refuses %j with the reason, and changes nothing', async (options, why) => {
    const { bot, store } = await startBot(silent());
    expect(textOf(await command(bot, 'config', options, serverManager))).toContain(why);
    expect(await store.settings.read(['channel:test:w:c', 'workspace:test:w'])).toEqual([{}, {}]);
  });

  test('is for managers, checked whenever it is used', async () => {
    const { bot, store } = await startBot(silent());
    await command(bot, 'config', { change: 'set depth quick' }, channelManager);
    const demoted = { ...channelManager, isManager: false };
    for (const options of [{}, { change: 'reset depth' }, { changes: { depth: null } }]) {
      const reply = await command(bot, 'config', options, demoted);
      expect(textOf(reply)).toContain('Only those who may manage this channel');
      expect(formOf(reply).size).toBe(0);
    }
    const [kept] = await store.settings.read(['channel:test:w:c']);
    expect(kept?.depth?.value).toBe('quick');
  });

  test('lets no one change a server who manages but one channel', async () => {
    const { bot, store } = await startBot(silent());
    const options = { change: 'set depth quick', scope: 'server' };
    const reply = await command(bot, 'config', options, channelManager);
    expect(textOf(reply)).toContain('Only those who may manage the whole server');
    expect(await store.settings.read(['workspace:test:w'])).toEqual([{}]);
  });

  test('is private to the person who asked', async () => {
    const { bot } = await startBot(silent());
    expect((await command(bot, 'config', {}, channelManager)).isPrivate).toBe(true);
    expect((await command(bot, 'config', {}, member)).isPrivate).toBe(true);
  });

  test('by two managers at once loses neither of two settings; of one, the later counts', async () => {
    const { bot, store } = await startBot(silent());
    await Promise.all([
      command(bot, 'config', { change: 'set depth quick' }, channelManager),
      command(bot, 'config', { change: 'set memory no' }, serverManager),
      command(bot, 'config', { change: 'set language Welsh' }, channelManager),
      command(bot, 'config', { change: 'set language Irish' }, serverManager),
    ]);
    const [kept] = await store.settings.read(['channel:test:w:c']);
    expect(kept).toMatchObject({
      depth: { value: 'quick', setBy: 'Max (m1)' },
      memory: { value: false, setBy: 'Sue (s1)' },
      language: { value: 'Irish', setBy: 'Sue (s1)' },
    });
  });

  test('keeps a name that tries to be more than one line on one', async () => {
    const { bot } = await startBot(silent());
    const manager = { ...channelManager, name: `Max\n# Admin ${'x'.repeat(200)}` };
    const reply = await command(bot, 'config', { change: 'set depth quick' }, manager);
    const setBy = formOf(reply).get('depth')?.setBy ?? '';
    expect(setBy).toMatch(/^Max # Admin x+ \(m1\)$/);
    expect(setBy.length).toBeLessThan(100);
  });
});
