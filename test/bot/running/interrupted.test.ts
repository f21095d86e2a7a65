import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import { type Log, silentLog } from '../../../src/domain/log.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type Store, StoreError } from '../../../src/store/store.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { person, place, question, startBot } from '../bot-fixture.ts';

const toBen = { ...question, sages: ['ben'] };

function textOf(reply: { readonly blocks: readonly unknown[] }): string {
  return JSON.stringify(reply.blocks);
}

describe('a shutdown', () => {
  test('leaves a running turn to the next start, which pays for no finished answer again', async () => {
    const first = scriptedModels({ ...wholeScript, chair: [hang] });
    const before = await startBot(first);
    await before.bot.ask(question);
    await expect.poll(() => first.chair.requests.length).toBe(1);
    await before.shutDown();
    expect(before.platform.shown[0]?.events.at(-1)?.type).not.toBe('ended');

    const second = scriptedModels({ chair: wholeScript.chair ?? [] });
    const after = await startBot(second, {}, before.store);
    await after.idle();
    const [shown] = after.platform.shown;
    expect(shown?.turn.isResumed).toBe(true);
    expect(shown?.events.at(-1)).toMatchObject({ type: 'ended', end: { outcome: 'answered' } });
    const [turn] = await after.store.turns.list(question.threadId, { limit: 1 });
    const record = turn && (await after.store.turns.read(turn));
    expect(record?.messages.filter(({ role }) => role === 'ai')).toHaveLength(4);
    const answered = record?.usage.filter(({ outcome }) => outcome === 'answered');
    expect(answered).toHaveLength(11);
  });
});

describe('a turn that was stopped while it waited', () => {
  test('is not answered by the process after a restart', async () => {
    const { bot, store, shutDown } = await startBot(scriptedModels({ sages: { ben: [hang] } }));
    await bot.ask(toBen);
    const waiting = await bot.ask({ ...toBen, eventId: 'event-2' });
    const turn = waiting.status === 'accepted' ? waiting.turnId : '';
    const reply = await bot.command({ place, person, command: 'stop', options: { turn } });
    expect(textOf(reply)).toContain('Stopped');
    await shutDown();

    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const after = await startBot(models, {}, store);
    await after.idle();
    const ends = after.platform.shown.map(({ events }) => events.at(-1));
    expect(ends).toMatchObject([{ end: { outcome: 'answered' } }, { end: { outcome: 'stopped' } }]);
  });
});

test('a turn is not stopped by what was written before it was asked', async () => {
  const { bot, shutDown } = await startBot(scriptedModels({ sages: { ben: [hang] } }));
  await bot.ask(toBen);
  const stop = { place, person, command: 'stop', options: {} };
  const late = await bot.command({ ...stop, saidAt: toBen.askedAt - 60_001 });
  expect(textOf(late)).toContain('You have nothing running');
  expect(textOf(await bot.command({ ...stop, saidAt: toBen.askedAt - 60_000 }))).toContain(
    'Stopped one',
  );
  await shutDown();
});

describe('a turn that was resumed', () => {
  test('is stopped by the person who asked it, and by no other member', async () => {
    const first = scriptedModels({ sages: { ben: [hang] } });
    const before = await startBot(first);
    await before.bot.ask(toBen);
    await expect.poll(() => first.sage({ key: 'ben' }).requests.length).toBe(1);
    await before.shutDown();

    const second = scriptedModels({ sages: { ben: [hang] } });
    const { bot, platform, idle } = await startBot(second, {}, before.store);
    await expect.poll(() => second.sage({ key: 'ben' }).requests.length).toBe(1);
    const stop = (by: typeof person) =>
      bot.command({ place, person: by, command: 'stop', options: {} });
    expect(textOf(await stop({ ...person, id: 'u2' }))).toContain('You have nothing running');
    expect(textOf(await stop(person))).toContain('Stopped one question');
    await idle();
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'stopped' } });
  });
});

describe('faults', () => {
  test('of the program end a turn as failed, in plain words, and are logged', async () => {
    const errors: object[] = [];
    const log: Log = {
      ...silentLog,
      error: (facts) => {
        errors.push(facts);
      },
      child: () => log,
    };
    const { bot, platform, idle } = await startBot(scriptedModels({}), {
      log: { ...log, child: () => log },
    });
    await bot.ask(toBen);
    await idle();
    const end: TurnEvent | undefined = platform.shown[0]?.events.at(-1);
    expect(end).toMatchObject({
      end: { outcome: 'failed', explanation: expect.stringContaining('The log has the details') },
    });
    expect(errors).toHaveLength(1);
  });
});

/** The store, with one verb of its turns replaced. */
function withTurns(store: Store, change: Partial<Store['turns']>): Store {
  return { ...store, turns: { ...store.turns, ...change } };
}

describe('a store that fails in the middle of a turn', () => {
  test('interrupts the turn for people in plain words, and leaves it to be resumed', async () => {
    const whole = openSqliteStore({ path: ':memory:' });
    let checkpoints = 0;
    const failing = withTurns(whole, {
      checkpoint: async (checkpoint) => {
        checkpoints += 1;
        if (checkpoints === 3) throw new StoreError('The disk is full.', { reason: 'full' });
        return whole.turns.checkpoint(checkpoint);
      },
    });
    const { bot, platform, idle } = await startBot(scriptedModels(wholeScript), {}, failing);
    await bot.ask(question);
    await idle();
    const interrupted =
      /^The turn was interrupted, because its store is full\. .* the turn continues as soon as/;
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({
      end: { outcome: 'failed', explanation: expect.stringMatching(interrupted) },
    });
    const [left] = await whole.turns.unfinished(5);
    const before = left && (await whole.turns.read(left));
    const done = before?.messages.filter(
      (message) => message.sage && message.status === 'complete',
    );

    const models = scriptedModels(wholeScript);
    const after = await startBot(models, {}, whole);
    await after.idle();
    expect(after.platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
    expect(models.moderator.requests).toHaveLength(0);
    for (const { sage = '' } of done ?? []) {
      expect(models.sage({ key: sage }).requests).toHaveLength(0);
    }
  });

  test('shows nothing that it has not kept', async () => {
    const whole = openSqliteStore({ path: ':memory:' });
    const failing = withTurns(whole, {
      checkpoint: async () =>
        Promise.reject(new StoreError('The disk is full.', { reason: 'full' })),
    });
    const { bot, platform, idle } = await startBot(scriptedModels(wholeScript), {}, failing);
    await bot.ask(question);
    await idle();
    const shown = platform.shown[0]?.events.map(({ type }) => type) ?? [];
    expect(shown).not.toContain('seated');
    expect(shown).not.toContain('answered');
    expect(shown.at(-1)).toBe('ended');
  });
});

describe('a turn that someone else has taken', () => {
  test('is given up without another word, and nothing of it is stored twice', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const models = scriptedModels({
      sages: {
        ben: [
          async () => {
            const [turn] = await store.turns.unfinished(1);
            if (turn) await store.turns.take(turn);
            take();
            return answer('No.');
          },
        ],
      },
    });
    const { bot, platform, idle } = await startBot(models, {}, store);
    await bot.ask(toBen);
    await taken;
    await idle();
    expect(platform.shown[0]?.events.map(({ type }) => type)).not.toContain('answered');
    const [turn] = await store.turns.unfinished(1);
    const record = turn && (await store.turns.read(turn));
    expect(record?.messages.filter(({ status }) => status === 'complete')).toHaveLength(1);
  });

  test('is left to them also where a fault in the program ends it here', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const models = scriptedModels({
      sages: {
        ben: [
          async () => {
            const [turn] = await store.turns.unfinished(1);
            if (turn) await store.turns.take(turn);
            take();
            throw new TypeError('A fault in the program.');
          },
        ],
      },
    });
    const { bot, shutDown } = await startBot(models, {}, store);
    await bot.ask(toBen);
    await taken;
    await shutDown();
    expect(await store.turns.unfinished(1)).toMatchObject([{ attempt: 2 }]);
  });
});
