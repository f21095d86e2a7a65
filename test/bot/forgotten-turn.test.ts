import { describe, expect, test } from 'vitest';
import { forgettingOf } from '../../src/bot/running/presented-turn.ts';
import { type Log, silentLog } from '../../src/domain/log.ts';
import type { TurnRequest } from '../../src/domain/turn.ts';
import { createInlineStopRequests } from '../../src/queue/inline/inline-coordination.ts';
import { answer, scriptedModels, seating } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { fileSettings, question, startBot, type TestBot } from './bot-fixture.ts';
import { forget } from './forgetting.ts';

const toBen = { ...question, question: 'Ben Sage: why?', isPrivate: false };
const limits = {
  maxQuestionChars: 200,
  maxQueuedTurnsPerUser: 1,
  maxQueuedTurnsPerThread: 8,
  overheardPerThreadPerHour: 30,
};

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
  const { events = [], turn } = platform.shown[0] ?? {};
  expect(events.filter(({ type }) => type === 'answered' || type === 'ended')).toEqual([]);
  expect(new Set(platform.retracted)).toEqual(new Set([turn?.request.turnId]));
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
  test('ends at once, has what shows it emptied, and leaves nothing', async () => {
    const complaints: unknown[] = [];
    const models = scriptedModels({ sages: { ben: [hang, answer('Because.')] } });
    const started = await startBot(models, { limits, log: strictLog(complaints) });
    await started.bot.ask(toBen);
    await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
    const subject = { kind: 'thread', threadId: question.threadId } as const;
    const { signal } = new AbortController();
    expect(await started.memory.forgetting.forget(subject, signal)).toMatchObject({ turns: 1 });
    expect(models.sage({ key: 'ben' }).requests[0]?.signal.aborted).toBe(true);
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

  test('has what shows it emptied where its end was being shown already', async () => {
    const stops = createInlineStopRequests();
    const models = scriptedModels({ sages: { ben: [answer('Because.')] } });
    const { bot, platform, idle } = await startBot(models, { stops });
    const turnId = () => platform.shown[0]?.turn.request.turnId ?? '';
    platform.onEnd = () => stops.request(forgettingOf(turnId()));
    await bot.ask(toBen);
    await idle();
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({ type: 'ended' });
    expect(platform.retracted).toEqual([turnId()]);
  });

  test('is paid for all the same', async () => {
    const { promise: said, resolve: say } = Promise.withResolvers<string>();
    const models = scriptedModels({
      moderator: [seating(['ada', 'ben'])],
      sages: { ada: [answer('Yes.')], ben: [() => said] },
      reviews: { ada: [hang], ben: [hang] },
    });
    const started = await startBot(models, { budgets: { userUsdPerDay: 100 } });
    const { bot, store, platform, idle } = started;
    await bot.ask(question);
    const answers = () => platform.shown[0]?.events.filter(({ type }) => type === 'answered');
    await expect.poll(answers).toHaveLength(1);
    const spent = async () => (await store.spent(['user:any:any:test:u1'], 0))[0] ?? 0;
    const before = await spent();
    await forget(store, { kind: 'thread', threadId: question.threadId });
    say(answer('Too late.'));
    await idle();
    expect(await spent()).toBeGreaterThan(before);
  });
});

/** A bot with more than a hundred turns in one thread, each a question of its own. */
async function longThread(asked: Partial<TurnRequest> = {}) {
  const settings = { ...fileSettings, forgetDeleted: true };
  const { bot, store } = await startBot(scriptedModels({}), { settings });
  const { threadId } = question;
  for (let at = 0; at <= 101; at += 1) {
    const turnId = `turn-${at}`;
    const own = { turnId, eventId: `command-${at}`, askedAt: 1000 + at };
    await store.turns.begin({
      turnId,
      threadId,
      eventId: `test:w:command-${at}`,
      createdAt: 1000 + at,
      request: { ...question, ...own, ...(at === 1 && asked) },
      question: {
        id: turnId,
        threadId,
        turnId,
        role: 'human',
        type: 'user_query',
        status: 'complete',
        content: { text: 'Why?' },
        createdAt: 1000 + at,
      },
    });
  }
  return { bot, store, threadId };
}

test('the first of more than a hundred questions is forgotten with the post that began its thread', async () => {
  const { bot, store, threadId } = await longThread();
  const eventId = threadId.split(':').at(-1) ?? '';
  await bot.deleted({ kind: 'posts', posts: [{ eventId, threadId, postedAt: 1000 }] });
  expect(await store.turns.read({ turnId: 'turn-0', threadId })).toBeUndefined();
  expect(await store.turns.read({ turnId: 'turn-1', threadId })).toBeDefined();
});

test('a question is forgotten with what it was edited to, however much was asked since', async () => {
  const { bot, store, threadId } = await longThread({ editOf: 'command-0' });
  const posts = [{ eventId: 'command-0', threadId, postedAt: 1000 }];
  await bot.deleted({ kind: 'posts', posts });
  expect(await store.turns.read({ turnId: 'turn-0', threadId })).toBeUndefined();
  expect(await store.turns.read({ turnId: 'turn-1', threadId })).toBeUndefined();
  expect(await store.turns.read({ turnId: 'turn-2', threadId })).toBeDefined();
});
