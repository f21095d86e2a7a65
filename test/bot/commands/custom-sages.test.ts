import { describe, expect, test } from 'vitest';
import type { Bot } from '../../../src/bot/bot.ts';
import type { Store } from '../../../src/store/store.ts';
import { answer, type Script, scriptedModels } from '../../council/scripted-council.ts';
import { question, startBot } from '../bot-fixture.ts';
import { channelManager, choiceOf, command, member, placeIn, textOf } from '../commanding.ts';

const draft = JSON.stringify({ prompt: 'You think in seasons.' });
const described = { name: 'The Gardener', description: 'Grows things slowly.' };
const another = { ...member, id: 'u2', name: 'Una' };
const key = 'custom_the_gardener';

/** A bot with a clock whose moderator writes as many drafts. */
async function startDrafting(drafts: number, script: Script = {}, store?: Store) {
  const clock = { now: Date.UTC(2026, 10, 21, 12) };
  const models = scriptedModels({ moderator: Array(drafts).fill(draft), ...script });
  const started = await startBot(models, { now: () => clock.now }, store);
  return { ...started, models, clock };
}

/** Runs the command line of a choice, as a platform does. */
function choose(bot: Bot, line: string, person = member, place = placeIn('c')) {
  const [name = '', option = '', value = ''] = line.split(' ');
  return command(bot, name, { [option.replace('--', '')]: value }, person, place);
}

/** Keeps a sage as if it had been saved. */
function keep(store: Store, name: string, channel = 'c') {
  const sage = {
    key: `custom_${name.toLowerCase()}`,
    name,
    description: 'Thinks.',
    prompt: 'You think.',
    madeBy: { id: 'u9', name: 'Ulf' },
  };
  return store.settings.write(
    `channel:test:w:${channel}`,
    { [`sage:${sage.key}`]: sage },
    { setBy: 'Ulf', setAt: 1 },
  );
}

function keysOf(bench: readonly { readonly key: string }[]): readonly string[] {
  return bench.map((sage) => sage.key);
}

describe('a sage that a member describes', () => {
  test('is drafted and shown, and no one sits before it is saved', async () => {
    const { bot, models } = await startDrafting(1);
    const reply = await command(bot, 'summon', described);
    expect(reply.isPrivate).toBe(true);
    expect(textOf(reply)).toContain('You think in seasons.');
    expect(textOf(reply)).toContain('Nothing is saved yet');
    expect(models.moderator.requests[0]).toMatchObject({ stage: 'draft' });
    expect(keysOf((await bot.settings(placeIn('c'))).bench)).not.toContain(key);
  });

  test('sits on the bench of its channel once saved, and on no other', async () => {
    const { bot } = await startDrafting(1);
    const preview = await command(bot, 'summon', described);
    const reply = await choose(bot, choiceOf(preview, 'Save'));
    expect(textOf(reply)).toContain("sits on this channel's bench");
    const { bench } = await bot.settings(placeIn('c'));
    expect(bench.at(-1)).toEqual({
      key,
      ...described,
      prompt: 'You think in seasons.',
      source: 'custom',
    });
    for (const place of [placeIn('d'), placeIn('c', 'v')]) {
      expect(keysOf((await bot.settings(place)).bench)).not.toContain(key);
    }
    expect(textOf(await command(bot, 'sages'))).toContain('made here by Uma');
    expect(textOf(await command(bot, 'sages', {}, member, placeIn('d')))).not.toContain('Gardener');
  });

  test('can be addressed by name, fixed in a seat and seated by the moderator', async () => {
    const seating = `{"focus":[],"predefined_chosen_sages":["${key}"],"new_sages_to_create":[]}`;
    const { bot, models, idle } = await startDrafting(0, {
      moderator: [draft, seating],
      sages: { [key]: [answer('In spring.'), answer('In autumn.'), answer('Now.')] },
      chair: Array(2).fill(
        '{"verdict":"Now.","consensus":[],"disagreements":[],"minority_report":"","confidence":"low"}',
      ),
    });
    await choose(bot, choiceOf(await command(bot, 'summon', described), 'Save'));
    await bot.ask({ ...question, question: 'Gardener: when?' });
    await bot.ask({ ...question, eventId: 'event-2' });
    await idle();
    await command(bot, 'config', { change: `set seats ${key}` }, channelManager);
    await bot.ask({ ...question, eventId: 'event-3' });
    await idle();
    expect(models.unsaid()).toBe(0);
    const [asked] = models.sage({ key }).requests;
    expect(asked?.messages[0]?.content).toContain(
      '<persona name="The Gardener">\nYou think in seasons.\n</persona>',
    );
  });

  test('survives a restart, as a draft and as a sage', async () => {
    const first = await startDrafting(1);
    const preview = await command(first.bot, 'summon', described);
    await first.shutDown();
    const second = await startDrafting(0, {}, first.store);
    await choose(second.bot, choiceOf(preview, 'Save'));
    await second.shutDown();
    const third = await startDrafting(0, {}, first.store);
    expect(keysOf((await third.bot.settings(placeIn('c'))).bench)).toContain(key);
  });

  test('waits beside a bench that is a list, until a manager adds it', async () => {
    const { bot } = await startDrafting(1);
    await command(bot, 'config', { change: 'set bench ben' }, channelManager);
    const reply = await choose(bot, choiceOf(await command(bot, 'summon', described), 'Save'));
    expect(textOf(reply)).toContain(`can add ${key} to it`);
    expect(keysOf((await bot.settings(placeIn('c'))).bench)).toEqual(['ben']);
    expect(textOf(await command(bot, 'sages'))).toContain('not on the bench');
    await command(bot, 'config', { change: `set bench ben, ${key}` }, channelManager);
    expect(keysOf((await bot.settings(placeIn('c'))).bench)).toEqual(['ben', key]);
  });

  test('is no default of a server: other channels do not know it', async () => {
    const { bot, store } = await startDrafting(0);
    await keep(store, 'Rose');
    const manager = { ...channelManager, isServerManager: true };
    const options = { change: 'set seats custom_rose', scope: 'server' };
    expect(textOf(await command(bot, 'config', options, manager))).toContain('Nothing was changed');
  });
});

describe('a draft', () => {
  test('that is an hour old can not be saved, and is swept', async () => {
    const { bot, store, clock } = await startDrafting(1);
    const preview = await command(bot, 'summon', described);
    clock.now += 3_600_000;
    expect(textOf(await choose(bot, choiceOf(preview, 'Save')))).toContain('That draft is gone');
    // With it goes the claim that keeps one person from drafting all the time.
    expect(await store.sweep(100)).toBe(2);
  });

  test('can be saved by no one else, and in no other channel', async () => {
    const { bot } = await startDrafting(1);
    const save = choiceOf(await command(bot, 'summon', described), 'Save');
    const manager = { ...channelManager, isServerManager: true };
    expect(textOf(await choose(bot, save, manager))).toContain('That draft is gone');
    expect(textOf(await choose(bot, save, member, placeIn('d')))).toContain('That draft is gone');
    expect(textOf(await choose(bot, save))).toContain('sits on this');
  });

  test('saved twice makes one sage', async () => {
    const { bot } = await startDrafting(1);
    const save = choiceOf(await command(bot, 'summon', described), 'Save');
    await Promise.all([choose(bot, save), choose(bot, save)]);
    const { bench } = await bot.settings(placeIn('c'));
    expect(keysOf(bench).filter((sage) => sage === key)).toHaveLength(1);
  });

  test('is one at a time for each person, since each is a call of a model', async () => {
    const { promise: written, resolve: write } = Promise.withResolvers<string>();
    const { bot, models } = await startDrafting(0, { moderator: [() => written, draft] });
    const waiting = command(bot, 'summon', described);
    await expect.poll(() => models.moderator.requests.length).toBe(1);
    const again = await command(bot, 'summon', { ...described, name: 'Rose' });
    expect(textOf(again)).toContain('just asked for a draft');
    const other = await command(bot, 'summon', { ...described, name: 'Rose' }, another);
    expect(textOf(other)).toContain('Nothing is saved yet');
    expect(models.moderator.requests).toHaveLength(2);
    write(draft);
    expect(textOf(await waiting)).toContain('Nothing is saved yet');
  });

  test.each([
    [{ name: 'Admin' }, 'person in charge'],
    [{ name: 'Ada Sаge' }, 'different scripts'],
    [{ name: 'ADA SAGE' }, 'taken for Ada Sage'],
    [{ name: 'Rose\n@everyone' }, 'more than one line'],
    [{ description: '律' }, 'needs 2 to 400 characters; yours has 1'],
    [{ description: 'x'.repeat(401) }, 'needs 2 to 400 characters; yours has 401'],
    [
      { description: '\u202e\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b' },
      'yours has 0',
    ],
    [{ name: undefined }, 'needs a name and a description'],
  ])('of %j is refused with the reason before any call', async (change, why) => {
    const { bot, models } = await startDrafting(0);
    const given = Object.fromEntries(
      Object.entries({ ...described, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(textOf(await command(bot, 'summon', given))).toContain(why);
    expect(models.moderator.requests).toEqual([]);
  });

  test('is refused where twenty sages have been made already', async () => {
    const { bot, store, models } = await startDrafting(0);
    for (let number = 0; number < 20; number += 1) await keep(store, `Rose${number}`);
    expect(textOf(await command(bot, 'summon', described))).toContain('Dismiss one first');
    expect(models.moderator.requests).toEqual([]);
    expect((await bot.settings(placeIn('c'))).bench).toHaveLength(25);
  });

  test('makes no twenty-first with one that is saved in the same moment', async () => {
    const { bot, store } = await startDrafting(2);
    for (let number = 0; number < 19; number += 1) await keep(store, `Rose${number}`);
    const lines: string[] = [];
    for (const [name, person] of [
      ['The Gardener', member],
      ['The Smith', another],
    ] as const) {
      const preview = await command(bot, 'summon', { ...described, name }, person);
      lines.push(choiceOf(preview, 'Save'));
    }
    const [line = '', other = ''] = lines;
    const replies = await Promise.all([choose(bot, line), choose(bot, other, another)]);
    const refused = replies.filter((reply) => textOf(reply).includes('Dismiss one first'));
    expect(refused).toHaveLength(1);
    expect((await bot.settings(placeIn('c'))).bench).toHaveLength(25);
  });
});

describe('dismissing', () => {
  test('is for who made the sage, and for managers', async () => {
    const { bot, store } = await startDrafting(0);
    await keep(store, 'Rose');
    const refused = await command(bot, 'dismiss', { sage: 'Rose' }, another);
    expect(textOf(refused)).toContain('Rose was made by Ulf. Only they');
    const maker = { ...member, id: 'u9' };
    expect(textOf(await command(bot, 'dismiss', { sage: 'rose' }, maker))).toContain(
      'no longer sits here',
    );
    await keep(store, 'Rose');
    const done = await command(bot, 'dismiss', { sage: 'custom_rose' }, channelManager);
    expect(textOf(done)).toContain('Rose no longer sits here');
    expect(keysOf((await bot.settings(placeIn('c'))).bench)).not.toContain('custom_rose');
  });

  test('takes the sage out of the seats and the bench that name it', async () => {
    const { bot, store } = await startDrafting(0);
    await keep(store, 'Rose');
    const changes = { seats: ['custom_rose'], bench: ['ben', 'custom_rose'] };
    await command(bot, 'config', { changes }, channelManager);
    await command(bot, 'dismiss', { sage: 'Rose' }, channelManager);
    const [kept = {}] = await store.settings.read(['channel:test:w:c']);
    expect(Object.keys(kept)).toEqual(['bench']);
    expect(kept.bench?.value).toEqual(['ben']);
  });

  test.each([
    ['ada', 'was not made in this channel'],
    ['Zoe', 'There are: Rose (custom_rose).'],
  ])('of %s is refused with the reason', async (sage, why) => {
    const { bot, store } = await startDrafting(0);
    await keep(store, 'Rose');
    expect(textOf(await command(bot, 'dismiss', { sage }, channelManager))).toContain(why);
    expect((await bot.settings(placeIn('c'))).bench).toHaveLength(6);
  });

  test('reaches no other channel, no matter who asks', async () => {
    const { bot, store } = await startDrafting(0);
    await keep(store, 'Rose');
    const manager = { ...channelManager, isServerManager: true };
    const reply = await command(bot, 'dismiss', { sage: 'Rose' }, manager, placeIn('d'));
    expect(textOf(reply)).toContain('There are no custom sages in this channel');
    expect((await bot.settings(placeIn('c'))).bench).toHaveLength(6);
  });
});

describe('the cost of a draft', () => {
  const budgets = { userUsdPerDay: 0.5 };
  const oneDollar = () => 1;

  test('counts toward the budgets of person, channel and workspace, also when it failed', async () => {
    const models = scriptedModels({ moderator: [draft, '{}', '{}', '{}'] });
    const { bot, store } = await startBot(models);
    const scopes = [
      'user:any:any:test:u1',
      'user:any:any:test:u2',
      'channel:test:w:c',
      'workspace:test:w',
    ];
    await command(bot, 'summon', described);
    expect(await store.spent(scopes, Date.now())).toEqual([0.2, 0, 0.2, 0.2]);
    const reply = await command(bot, 'summon', { ...described, name: 'Rose' }, another);
    expect(textOf(reply)).toContain('No prompt could be drafted');
    const spent = (await store.spent(scopes, Date.now())).map((usd) => Math.round(usd * 10));
    expect(spent).toEqual([2, 6, 8, 8]);
  });

  test('is refused beforehand when a budget does not reach, and no model is asked', async () => {
    const models = scriptedModels({});
    const { bot, store } = await startBot(models, { budgets, priceOf: oneDollar });
    const reply = textOf(await command(bot, 'summon', described));
    expect(reply).toContain('Your budget of $0.50 a day has $0.50 left');
    expect(reply).toContain('this draft would cost about $1.00');
    expect(await store.spent(['user:any:any:test:u1'], Date.now())).toEqual([0]);
  });

  test('leaves no more for questions than the budget says', async () => {
    const models = scriptedModels({ moderator: [draft] });
    const { bot } = await startBot(models, { budgets, priceOf: () => 0.2 });
    await command(bot, 'summon', described);
    const toTwo = { ...question, sages: ['ada', 'ben'] };
    expect(await bot.ask(toTwo)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('has $0.30 left'),
    });
  });
});
