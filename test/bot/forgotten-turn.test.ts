import { describe, expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/domain/log.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { question, startBot, type TestBot } from './bot-fixture.ts';
import { forget } from './forgetting.ts';

const toBen = { ...question, question: 'Ben Sage: why?', isPrivate: false };
const limits = { maxQuestionChars: 200, maxQueuedTurnsPerUser: 1, maxQueuedTurnsPerThread: 8 };

/** Warnings and errors are what an operator would look into. */
function strictLog(complaints: unknown[]): Log {
  const complain = (...said: readonly unknown[]) => void complaints.push(said);
  const log: Log = { ...silentLog, warn: complain, error: complain, child: () => log };
  return log;
}

async function expectGone({ bot, store, platform, idle }: TestBot): Promise<void> {
  await idle();
  expect(await store.messages.page(question.threadId, { limit: 9 })).toEqual([]);
  expect(await store.turns.unfinished(9)).toEqual([]);
  const ends = platform.shown[0]?.events.filter(({ type }) => type === 'ended');
  expect(ends).toHaveLength(1);
  expect(ends?.[0]).toMatchObject({ end: { outcome: 'stopped' } });
  // Its event makes no other turn, and its place is free for another question.
  expect(await bot.ask(toBen)).toMatchObject({ status: 'accepted', isNew: false });
  await idle();
  expect(platform.shown).toHaveLength(1);
  const next = await bot.ask({ ...toBen, eventId: 'event-2' });
  expect(next).toMatchObject({ status: 'accepted', isNew: true });
  await idle();
  expect(platform.shown[1]?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
}

describe('a turn that is forgotten while it runs', () => {
  test('is stopped, shown to have ended, and leaves nothing', async () => {
    const complaints: unknown[] = [];
    const models = scriptedModels({ sages: { ben: [hang, answer('Because.')] } });
    const started = await startBot(models, { limits, log: strictLog(complaints) });
    await started.bot.ask(toBen);
    await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
    const stop = async (turnId: string) => void (await started.bot.stop(turnId, question));
    const subject = { kind: 'thread', threadId: question.threadId } as const;
    const report = await forget(started.store, subject, { stop });
    expect(report.turns).toBe(1);
    await expectGone(started);
    expect(complaints).toEqual([]);
  });

  test('gives up at its next step where no request to stop has reached it', async () => {
    const complaints: unknown[] = [];
    const { promise: said, resolve: say } = Promise.withResolvers<string>();
    const models = scriptedModels({ sages: { ben: [() => said, answer('Because.')] } });
    const started = await startBot(models, { limits, log: strictLog(complaints) });
    await started.bot.ask(toBen);
    await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
    const subject = { kind: 'person', workspace: 'test:w', personId: 'u1' } as const;
    await forget(started.store, subject);
    say(answer('Too late.'));
    await expectGone(started);
    expect(complaints).toEqual([]);
  });
});
