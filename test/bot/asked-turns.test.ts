import { describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { answer, type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { person, place, question, startBot } from './bot-fixture.ts';
import { channelManager, command, formOf, member, placeIn, textOf } from './commanding.ts';

const oneAnswer: Script = { sages: { ben: [answer('No.')] } };
const toBen = { ...question, sages: ['ben'] };
const stranger = { ...member, id: 'u2', name: 'Ugo' };

function turnIdOf(asked: Awaited<ReturnType<Awaited<ReturnType<typeof startBot>>['bot']['ask']>>) {
  if (asked.status !== 'accepted') throw new Error(JSON.stringify(asked));
  return asked.turnId;
}

describe('the turn of an event', () => {
  test('is found in its channel, in whichever thread, and tells whether it has ended', async () => {
    const { bot, idle } = await startBot(scriptedModels(oneAnswer));
    const turnId = turnIdOf(await bot.ask(toBen));
    expect(await bot.turnOf('event-1', place)).toEqual({
      turnId,
      hasEnded: false,
      question: question.question,
    });
    await idle();
    const elsewhere = { ...place, threadId: 'test:w:c:other' };
    expect(await bot.turnOf('event-1', elsewhere)).toEqual({
      turnId,
      hasEnded: true,
      question: question.question,
    });
  });

  test('is none in another channel or workspace, nor of an event that made none', async () => {
    const { bot, idle } = await startBot(scriptedModels(oneAnswer));
    await bot.ask(toBen);
    await idle();
    expect(await bot.turnOf('event-1', placeIn('d'))).toBeUndefined();
    expect(await bot.turnOf('event-1', placeIn('c', 'v'))).toBeUndefined();
    expect(await bot.turnOf('event-2', place)).toBeUndefined();
  });
});

describe('a turn of an earlier process', () => {
  test('that waits is stopped before it says anything', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const before = await startBot(scriptedModels({ sages: { ben: [hang] } }), {}, store);
    const running = turnIdOf(await before.bot.ask(toBen));
    const waiting = turnIdOf(await before.bot.ask({ ...toBen, eventId: 'event-2' }));
    await before.shutDown();

    const models = scriptedModels({ sages: { ben: [hang] } });
    const after = await startBot(models, {}, store);
    expect(await after.bot.stop(waiting, placeIn('d'))).toBe(false);
    expect(await after.bot.stop(waiting, place)).toBe(true);
    expect(await after.bot.stop(running, place)).toBe(true);
    await after.idle();
    expect(await store.turns.read({ turnId: waiting, ...place })).toMatchObject({
      outcome: 'stopped',
    });
    expect(await after.bot.stop(waiting, place)).toBe(false);
  });

  test('is stopped by a command of the person who asked', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const before = await startBot(scriptedModels({ sages: { ben: [hang] } }), {}, store);
    await before.bot.ask(toBen);
    await before.shutDown();
    const after = await startBot(scriptedModels({ sages: { ben: [hang] } }), {}, store);
    expect(textOf(await command(after.bot, 'stop', {}, stranger))).toContain(
      'You have nothing running',
    );
    expect(textOf(await command(after.bot, 'stop'))).toContain('Stopped one question');
    await after.idle();
  });
});

describe('a certain turn', () => {
  test('is stopped by who asked it and by managers of its channel, and by no one else', async () => {
    const { bot, idle } = await startBot(scriptedModels({ sages: { ben: [hang, hang] } }));
    const turn = turnIdOf(await bot.ask(toBen));
    const refused = await command(bot, 'stop', { turn }, stranger);
    expect(textOf(refused)).toContain('Only the person who asked');
    const elsewhere = await command(bot, 'stop', { turn }, channelManager, placeIn('d'));
    expect(textOf(elsewhere)).toContain('in this channel');
    expect(await bot.turnOf('event-1', place)).toEqual({
      turnId: turn,
      hasEnded: false,
      question: question.question,
    });
    expect(textOf(await command(bot, 'stop', { turn }))).toContain('Stopped. Anything said');
    await idle();
    expect(textOf(await command(bot, 'stop', { turn }))).toContain('already ended');
  });
});

describe('people whom the settings name', () => {
  test('manage a channel, and only that one', async () => {
    const { bot } = await startBot(scriptedModels({}));
    const change = { change: 'set managers <@u1>' };
    expect(textOf(await command(bot, 'config', change))).toContain('Only those who may manage');
    await command(bot, 'config', change, channelManager);
    const form = formOf(await command(bot, 'config'));
    expect(form.get('managers')).toMatchObject({ value: 'u1', origin: 'channel' });
    const server = { change: 'set depth quick', scope: 'server' };
    expect(textOf(await command(bot, 'config', server))).toContain('Only those who may manage the');
    const elsewhere = await command(bot, 'config', {}, member, placeIn('d'));
    expect(textOf(elsewhere)).toContain('Only those who may manage');
  });

  test('for a whole server manage all its channels, also one that names others', async () => {
    const { bot } = await startBot(scriptedModels({}));
    const serverManager = { ...channelManager, isServerManager: true };
    const change = { change: 'set managers u1', scope: 'server' };
    await command(bot, 'config', change, serverManager);
    await command(bot, 'config', { change: 'set managers u2' }, channelManager);
    const reply = await command(bot, 'config', { change: 'set depth quick', scope: 'server' });
    expect(formOf(reply).get('depth')).toMatchObject({ value: 'quick', origin: 'server' });
    expect(formOf(await command(bot, 'config', {}, stranger)).size).toBeGreaterThan(0);
    const otherServer = await command(bot, 'config', {}, member, placeIn('c', 'v'));
    expect(textOf(otherServer)).toContain('Only those who may manage');
  });
});

describe('feedback', () => {
  test('is kept with a turn that has ended, once for each person, and is in its receipt', async () => {
    const { bot, idle } = await startBot(scriptedModels(oneAnswer));
    const turn = turnIdOf(await bot.ask(toBen));
    await idle();
    expect(textOf(await command(bot, 'receipt', { turn }))).not.toContain('Feedback');
    await command(bot, 'feedback', { turn, rating: 'bad' });
    await command(bot, 'feedback', { turn, rating: 'good' });
    await command(bot, 'feedback', { rating: 'bad' }, stranger);
    const receipt = textOf(await command(bot, 'receipt', { turn }));
    expect(receipt).toContain('good: 1, bad: 1');
  });

  test('is not taken on a turn of another channel', async () => {
    const { bot, idle, store } = await startBot(scriptedModels(oneAnswer));
    const turn = turnIdOf(await bot.ask(toBen));
    await idle();
    const reply = await command(bot, 'feedback', { turn, rating: 'bad' }, member, placeIn('d'));
    expect(textOf(reply)).toContain('in this channel. Leave the id out');
    expect(
      (await store.turns.read({ turnId: turn, ...place }))?.steps.map(({ kind }) => kind),
    ).not.toContain('feedback');
  });
});

describe('what a person is shown of a workspace', () => {
  test('is who sits there, what holds by default, and their own last questions', async () => {
    const { bot, idle } = await startBot(
      scriptedModels({ ...wholeScript, sages: { ...wholeScript.sages, ben: [answer('No.')] } }),
    );
    await bot.ask(toBen);
    await idle();
    const { bench, defaults, recent } = await bot.overview(place, person.id);
    expect(bench.map(({ key }) => key)).toContain('ada');
    expect(defaults.find(({ name }) => name === 'depth')?.value).toBe('standard');
    expect(recent).toEqual([
      {
        turnId: expect.any(String),
        threadId: question.threadId,
        question: question.question,
        askedAt: question.askedAt,
        outcome: 'answered',
      },
    ]);
  });

  test('holds nothing of others, of other workspaces or of one channel', async () => {
    const { bot, idle } = await startBot(scriptedModels(oneAnswer));
    await bot.ask(toBen);
    await idle();
    await command(bot, 'config', { change: 'set depth quick' }, channelManager);
    expect((await bot.overview(place, 'u2')).recent).toEqual([]);
    const other = await bot.overview({ platform: 'test', workspace: 'v' }, person.id);
    expect(other.recent).toEqual([]);
    const { defaults } = await bot.overview(place, person.id);
    expect(defaults.find(({ name }) => name === 'depth')?.value).toBe('standard');
  });

  test('is at most the last ten questions, newest first', async () => {
    let now = 0;
    const { bot, idle, store } = await startBot(
      scriptedModels({ sages: { ben: Array.from({ length: 13 }, () => answer('No.')) } }),
      { now: () => now },
    );
    for (now = 1; now <= 13; now++) {
      await bot.ask({ ...toBen, eventId: `event-${now}`, question: `Question ${now}?` });
      await idle();
    }
    const { recent } = await bot.overview(place, person.id);
    expect(recent.map(({ question: asked }) => asked)).toEqual(
      [13, 12, 11, 10, 9, 8, 7, 6, 5, 4].map((number) => `Question ${number}?`),
    );
    const [kept = {}] = await store.settings.read(['recent:test:w:u1']);
    expect(Object.keys(kept)).toHaveLength(10);
  });

  test('tells the language of a short question by the one before it in the thread, whoever asked that', async () => {
    let now = 0;
    const { bot, idle, platform } = await startBot(
      scriptedModels({ sages: { ben: Array.from({ length: 4 }, () => answer('Nein.')) } }),
      { now: () => now },
    );
    const asked = [
      ['Sollen wir die Maschine neu bauen?', 't', person],
      ['Kürzer bitte', 't', { id: 'u2', name: 'Vera' }],
      ['Should we rewrite the engine?', 't', person],
      ['Kürzer bitte', 'u', person],
    ] as const;
    for (const [text, thread, author] of asked) {
      now += 1;
      const threadId = `test:w:c:${thread}`;
      await bot.ask({ ...toBen, author, eventId: `event-${now}`, threadId, question: text });
      await idle();
    }
    const languages = platform.shown.map(({ turn }) => turn.request.language);
    expect(languages).toEqual(['de', 'de', undefined, undefined]);
    const { recent } = await bot.overview(place, person.id);
    expect(recent).toHaveLength(3);
  });
});
