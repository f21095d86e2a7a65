import { describe, expect, test } from 'vitest';
import type { TurnRequest } from '../../../src/domain/turn.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type Store, StoreError } from '../../../src/store/store.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { fileSettings, question, startBot } from '../bot-fixture.ts';

const toBen = { ...question, threadId: 'test:w:c:event-1', sages: ['ben'] };
const saysNo = () => scriptedModels({ sages: { ben: [answer('No.')] } });
const opened = async () => ({ threadId: 'test:w:c:thread' });

/** What is kept of questions without a thread. */
async function keptIn(store: Store): Promise<readonly unknown[]> {
  const [kept = {}] = await store.settings.read(['opening:test']);
  return Object.values(kept).map(({ value }) => value);
}

test('a question that could not be read back is refused before anything is kept of it', async () => {
  const { bot, store } = await startBot(scriptedModels({}));
  const open = () => expect.unreachable('Nothing is to be opened.');
  const broken = JSON.parse(JSON.stringify({ ...toBen, eventId: null }));
  await expect(bot.ask(broken)).rejects.toThrow('eventId');
  await expect(bot.ask(broken, open)).rejects.toThrow('eventId');
  expect(await keptIn(store)).toEqual([]);
  expect(await store.turns.unfinished(10)).toEqual([]);
});

describe('a question whose thread is still to be opened', () => {
  test('is kept when its thread is opened, held there, and then not kept any more', async () => {
    const { bot, store, platform, idle } = await startBot(saysNo());
    let kept: readonly unknown[] = [];
    const asked = await bot.ask(toBen, async () => {
      kept = await keptIn(store);
      return opened();
    });
    expect(asked).toMatchObject({ status: 'accepted', isNew: true, turnsBefore: 0 });
    expect(kept).toMatchObject([{ question: question.question, eventId: 'event-1' }]);
    expect(await keptIn(store)).toEqual([]);
    await idle();
    expect(platform.shown[0]?.turn.request.threadId).toBe('test:w:c:thread');
  });

  test('is refused before anything is opened or kept', async () => {
    const { bot, store } = await startBot(scriptedModels({}));
    const open = () => expect.unreachable('Nothing is to be opened.');
    expect(await bot.ask({ ...toBen, sages: ['zoe'] }, open)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('Not on this bench'),
    });
    expect(await keptIn(store)).toEqual([]);
  });

  test('that is delivered again opens nothing, neither meanwhile nor later', async () => {
    const { bot, platform, idle } = await startBot(saysNo());
    let opens = 0;
    const open = async () => {
      opens += 1;
      return opened();
    };
    const answers = await Promise.all([bot.ask(toBen, open), bot.ask(toBen, open)]);
    await idle();
    answers.push(await bot.ask(toBen, open));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      'accepted',
      'dropped',
      'dropped',
    ]);
    expect(opens).toBe(1);
    expect(platform.shown).toHaveLength(1);
  });

  test('whose thread can not be opened is dropped, and not kept', async () => {
    const { bot, store } = await startBot(scriptedModels({}));
    expect(await bot.ask(toBen, async () => undefined)).toEqual({ status: 'dropped' });
    expect(await keptIn(store)).toEqual([]);
  });

  test('whose thread the platform refuses is refused with its reason, and not kept', async () => {
    const { bot, store } = await startBot(scriptedModels({}));
    const whyNot = 'I am not in this conversation.';
    expect(await bot.ask(toBen, async () => ({ whyNot }))).toEqual({
      status: 'refused',
      reason: whyNot,
    });
    expect(await keptIn(store)).toEqual([]);
  });

  test('is handed to the next process, under the same id, when one dies while opening it', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const first = await startBot(scriptedModels({}), {}, store);
    let shown: TurnRequest | undefined;
    const death = first.bot.ask(toBen, async (kept) => {
      shown = kept;
      throw new Error('SIGKILL');
    });
    await expect(death).rejects.toThrow('SIGKILL');

    const { bot, platform, idle } = await startBot(saysNo(), { abandonedAfterMs: 0 }, store);
    const [abandoned, ...more] = await bot.abandoned('test');
    expect(more).toEqual([]);
    expect(abandoned).toEqual(shown);
    expect(await bot.abandoned('elsewhere')).toEqual([]);
    if (abandoned) await bot.ask(abandoned, opened);
    await idle();
    expect(platform.shown.map(({ turn }) => turn.request.turnId)).toEqual([shown?.turnId]);
    expect(await bot.abandoned('test')).toEqual([]);
  });

  test('is handed to one of two processes that start together, and to the other when that one dies', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const first = await startBot(scriptedModels({}), {}, store);
    const death = first.bot.ask(toBen, () => Promise.reject(new Error('SIGKILL')));
    await expect(death).rejects.toThrow('SIGKILL');
    const times = { abandonedAfterMs: 0, takenUpWithinMs: 300 };
    const starting = await Promise.all([
      startBot(scriptedModels({}), times, store),
      startBot(scriptedModels({}), times, store),
    ]);
    const looks = starting.map(({ bot }) => bot.abandoned('test'));
    // The first of them dies with it: the other is given it then, and not before.
    const handed = await Promise.race(looks);
    expect(handed).toHaveLength(1);
    expect(await Promise.all(looks)).toEqual([handed, handed]);
    const { bot, platform, idle } = await startBot(saysNo(), times, store);
    const [abandoned] = await bot.abandoned('test');
    const other = starting[0].bot.abandoned('test');
    if (abandoned) await bot.ask(abandoned, opened);
    expect(await other).toEqual([]);
    await idle();
    expect(platform.shown).toHaveLength(1);
  });

  test('is left to the next start when the store fails after it was shown, and refused when before', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const away = new StoreError('Redis is away.', { reason: 'unreachable' });
    const begin = () => Promise.reject(away);
    const failing = { ...store, turns: { ...store.turns, begin } };
    const { bot } = await startBot(scriptedModels({}), {}, failing);
    await expect(bot.ask(toBen, opened)).rejects.toThrow('Redis is away.');
    expect(await keptIn(store)).toHaveLength(1);
    const read = () => Promise.reject(away);
    const gone = { ...store, settings: { ...store.settings, read } };
    const next = await startBot(scriptedModels({}), {}, gone);
    expect(await next.bot.ask(toBen, opened)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('memory can’t be reached'),
    });
  });

  test('goes on when it can not be forgotten, and is no second turn at the next start', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const write: Store['settings']['write'] = (scope, changes, by) =>
      Object.values(changes).includes(null)
        ? Promise.reject(new StoreError('Redis is away.', { reason: 'unreachable' }))
        : store.settings.write(scope, changes, by);
    const failing = { ...store, settings: { ...store.settings, write } };
    const settings = { ...fileSettings, questionsPerUserPerHour: 1 };
    const first = await startBot(saysNo(), { settings }, failing);
    expect(await first.bot.ask(toBen, opened)).toMatchObject({ status: 'accepted' });
    await first.idle();
    const changes = { abandonedAfterMs: 0, settings };
    const { bot, platform } = await startBot(scriptedModels({}), changes, store);
    const [abandoned] = await bot.abandoned('test');
    if (!abandoned) throw new Error('Nothing was kept.');
    expect(await bot.ask(abandoned, opened)).toMatchObject({ isNew: false });
    expect(platform.shown).toEqual([]);
    expect(await bot.abandoned('test')).toEqual([]);
  });

  test('that no one took up within an hour is gone', async () => {
    const clock = { now: Date.UTC(2026, 10, 21, 12) };
    const now = () => clock.now;
    const { bot, store } = await startBot(scriptedModels({}), { now, abandonedAfterMs: 0 });
    const death = bot.ask(toBen, () => Promise.reject(new Error('SIGKILL')));
    await expect(death).rejects.toThrow('SIGKILL');
    clock.now += 3_600_000;
    expect(await bot.abandoned('test')).toEqual([]);
    expect(await store.sweep(10)).toBe(2);
  });
});
