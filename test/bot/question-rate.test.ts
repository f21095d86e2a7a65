import { describe, expect, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { momentMark } from '../../src/domain/words.ts';
import { type Platform, UnshowableError } from '../../src/platforms/platform.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { CollectingPlatform, question, startBot } from './bot-fixture.ts';
import { channelManager, command } from './commanding.ts';

const hourMs = 3_600_000;
const noon = Date.UTC(2026, 10, 21, 12);
const toBen = { ...question, sages: ['ben'] };

function event(number: number) {
  return { ...toBen, eventId: `event-${number}` };
}

/** A bot with a clock, in whose channel `c` one person may ask twice an hour. */
async function startLimited(limit = 2, platforms?: readonly Platform[]) {
  const clock = { now: noon };
  const models = scriptedModels({ sages: { ben: Array(20).fill(answer('No.')) } });
  const started = await startBot(models, {
    now: () => clock.now,
    ...(platforms && { platforms }),
  });
  const change = `set questionsPerUserPerHour ${limit}`;
  await command(started.bot, 'config', { change }, channelManager);
  return { ...started, models, clock };
}

describe('questions an hour', () => {
  test('are counted for each person and channel, and refused with when the next is free', async () => {
    const { bot, clock, idle } = await startLimited();
    await bot.ask(event(1));
    clock.now += 10 * 60_000;
    await bot.ask(event(2));
    clock.now += 5 * 60_000;
    expect(await bot.ask(event(3))).toEqual({
      status: 'refused',
      reason: `You have reached the limit of 2 questions an hour in this channel. The next is free in 45 minutes, at ${momentMark(noon + hourMs)}.`,
      retryAfterMs: 45 * 60_000,
    });
    const others = [
      { ...event(4), author: { id: 'u2', name: 'Una' } },
      { ...event(5), threadId: 'test:w:d:t' },
      { ...event(6), threadId: 'test:v:c:t' },
    ];
    for (const other of others) expect(await bot.ask(other)).toMatchObject({ status: 'accepted' });
    await idle();
  });

  test('are a line of the log where they are refused, as where a budget refuses', async () => {
    const lines: unknown[] = [];
    const info = (facts: object, sentence: string) => void lines.push([sentence, facts]);
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const { bot, idle } = await startBot(models, { log: { ...silentLog, info } });
    await command(bot, 'config', { change: 'set questionsPerUserPerHour 1' }, channelManager);
    await bot.ask(event(1));
    const asked = await bot.ask(event(2));
    const reason = asked.status === 'refused' ? asked.reason : '';
    const facts = { threadId: toBen.threadId, userId: toBen.author.id, reason };
    expect(lines).toContainEqual(['this question exceeds a budget or limit', facts]);
    await idle();
  });

  test('are free again one after another, each an hour after it was asked', async () => {
    const { bot, clock, idle } = await startLimited();
    await bot.ask(event(1));
    clock.now += hourMs / 2;
    await bot.ask(event(2));
    clock.now = noon + hourMs;
    expect(await bot.ask(event(3))).toMatchObject({ status: 'accepted' });
    expect(await bot.ask(event(4))).toMatchObject({
      reason: expect.stringContaining(`in 30 minutes, at ${momentMark(noon + 1.5 * hourMs)}`),
    });
    await idle();
  });

  test('can not be passed by many at once', async () => {
    const { bot, idle } = await startLimited(3);
    const burst = [1, 2, 3, 4, 5].map((number) =>
      bot.ask({ ...event(number), threadId: `test:w:c:${number}` }),
    );
    const taken = (await Promise.all(burst)).filter(({ status }) => status === 'accepted');
    expect(taken).toHaveLength(3);
    await idle();
  });

  test('are remembered over a restart, and what has expired is let go', async () => {
    const { bot, store, clock, idle, shutDown } = await startLimited();
    await bot.ask(event(1));
    await bot.ask(event(2));
    await idle();
    await shutDown();
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const after = await startBot(models, { now: () => clock.now }, store);
    expect(await after.bot.ask(event(3))).toMatchObject({ status: 'refused' });
    clock.now += hourMs;
    expect(await after.bot.ask(event(4))).toMatchObject({ status: 'accepted' });
    await after.idle();
    const [kept = {}] = await store.settings.read(['rate:test:w:c:u1']);
    expect(Object.keys(kept)).toHaveLength(1);
  });

  test('can not be passed by many at once after a restart', async () => {
    const { bot, store, clock, idle, shutDown } = await startLimited(3);
    for (const number of [1, 2]) await bot.ask(event(number));
    await idle();
    await shutDown();
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const after = await startBot(models, { now: () => clock.now }, store);
    const burst = [3, 4, 5].map((number) =>
      after.bot.ask({ ...event(number), threadId: `test:w:c:${number}` }),
    );
    const taken = (await Promise.all(burst)).filter(({ status }) => status === 'accepted');
    expect(taken).toHaveLength(1);
    await after.idle();
  });

  test('count a question once that is resumed after its process died before it was stored', async () => {
    const { bot, store, clock } = await startLimited(1);
    const shown = Promise.withResolvers<string>();
    void bot.ask(event(1), ({ turnId }) => {
      shown.resolve(turnId);
      return new Promise(() => undefined);
    });
    const turnId = await shown.promise;
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const after = await startBot(models, { now: () => clock.now }, store);
    expect(await after.bot.ask({ ...event(1), turnId })).toMatchObject({ status: 'accepted' });
    expect(await after.bot.ask(event(2))).toMatchObject({ status: 'refused' });
    await after.idle();
  });

  test('leave nothing to the store an hour later, though no one asks again', async () => {
    const { bot, store, clock, idle } = await startLimited();
    await bot.ask(event(1));
    await bot.ask(event(2));
    await idle();
    clock.now += hourMs;
    expect(await store.sweep(100)).toBe(2);
  });

  test('are not used up by what was refused or delivered twice', async () => {
    const { bot, idle } = await startLimited();
    await bot.ask(event(1));
    expect(await bot.ask(event(1))).toMatchObject({ status: 'accepted', isNew: false });
    expect(await bot.ask({ ...event(2), sages: ['zoe'] })).toMatchObject({ status: 'refused' });
    expect(await bot.ask(event(3))).toMatchObject({ status: 'accepted', isNew: true });
    expect(await bot.ask(event(4))).toMatchObject({ status: 'refused' });
    await idle();
  });

  test('are not used up where no thread can be opened', async () => {
    class Closed extends CollectingPlatform {
      override async present(): Promise<void> {
        throw new UnshowableError('There are no threads here.');
      }
    }
    const { bot, idle } = await startLimited(1, [new Closed()]);
    const unopened = await bot.ask(event(1), async () => ({ whyNot: 'There are no threads.' }));
    expect(unopened).toMatchObject({ status: 'refused' });
    for (const number of [2, 3]) {
      expect(await bot.ask(event(number))).toMatchObject({ status: 'accepted' });
      await idle();
    }
  });

  test('do not refuse what was accepted when it is delivered again', async () => {
    const { bot, idle } = await startLimited(1);
    const asked = await bot.ask(event(1));
    await idle();
    const again = await bot.ask(event(1));
    expect(again).toMatchObject({ ...asked, isNew: false });
    expect(await bot.ask(event(2))).toMatchObject({ status: 'refused' });
  });

  test('say of a lowered limit when as many as need to have expired', async () => {
    const { bot, clock, idle } = await startLimited(3);
    for (const number of [1, 2, 3]) {
      await bot.ask(event(number));
      clock.now += 60_000;
    }
    const change = 'set questionsPerUserPerHour 1';
    await command(bot, 'config', { change }, channelManager);
    expect(await bot.ask(event(4))).toMatchObject({
      reason: expect.stringContaining(`at ${momentMark(noon + hourMs + 120_000)}`),
    });
    await idle();
  });
});
