/** What turns have heard of people goes with its author, its message, its workspace and its time. */

import { setImmediate as breathe } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keptAfterDepartureMs } from '../../src/bot/leaving/leaving.ts';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { dayOf } from '../../src/domain/words.ts';
import { noteHeard, removeHeard } from '../../src/memory/forgetting/heard.ts';
import { ForgetNotes, type ForgetSubject } from '../../src/memory/forgetting/notes.ts';
import { PendingForgetting, visibleStore } from '../../src/memory/forgetting/visible-store.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store, TurnRecord } from '../../src/store/store.ts';
import { newTurn, runningTurn } from '../contracts/store/samples.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { fileSettings, forgettingIn, place, question, startBot } from './bot-fixture.ts';

const { signal } = new AbortController();
const dayMs = 86_400_000;
const { threadId } = place;
const said = (id: string, userId: string, text: string) => ({
  id,
  text,
  at: 1000,
  author: { id: userId, name: userId },
});
const salary = 'The salary is 40k.';
const doubt = 'I doubt it.';
const heard = {
  ...({ place: 'test:w:c', of: 'thread', leftOut: 0 } as const),
  messages: [said('1', 'u7', salary), said('2', 'u8', doubt)],
};
const toBen = { ...question, question: 'Ben: which one?' };
/** Notes of which turns have heard whom, and what was said that day. */
const scopes = ['heard-of:test:w:u7', 'heard-of:test:w:u8', `heard:test:w:c:${dayOf(1000)}`];

/** A turn that has heard two people. */
async function heardTurn({ retentionDays }: { readonly retentionDays?: number } = {}) {
  let time = Date.now();
  const now = () => time;
  const store = openSqliteStore({
    path: ':memory:',
    now,
    ...(retentionDays !== undefined && { retentionDays }),
  });
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const settings = { ...fileSettings, ...(retentionDays !== undefined && { retentionDays }) };
  const bot = await startBot(models, { now, settings }, store);
  bot.platform.hear = async () => heard;
  await bot.bot.ask({ ...toBen, hears: 'thread', askedAt: now() });
  await bot.idle();
  const advance = (milliseconds: number) => {
    time += milliseconds;
  };
  return { ...bot, now, advance };
}

function textsOf(record: TurnRecord | undefined) {
  return record && readPastTurn(record).heard?.messages.map(({ text }) => text);
}

async function turnIn({ turns }: Store) {
  const [turn] = await turns.list(threadId, { limit: 1 });
  return turn && (await turns.read(turn));
}

/** How many turns each of the scopes notes. */
async function noted({ settings }: Store) {
  return (await settings.read(scopes)).map((scope) => Object.keys(scope).length);
}

const post = { kind: 'post', place: 'test:w:c', postId: '1', postedAt: 1000 } as const;

test.each<[string, ForgetSubject]>([
  ['in a message', post],
  ['as a person', { kind: 'person', workspace: 'test:w', personId: 'u7' }],
])('what was said %s is hidden as soon as it is to be forgotten', async (_how, subject) => {
  const { store, shutDown } = await heardTurn();
  const visible = visibleStore(store, new PendingForgetting(store));
  expect(textsOf(await turnIn(visible))).toEqual([salary, doubt]);
  // As a process leaves it that dies right after it has noted it.
  await new ForgetNotes(visible.settings, Date.now).add('note', subject);
  expect(textsOf(await turnIn(visible))).toEqual([doubt]);
  expect(textsOf(await turnIn(store))).toEqual([salary, doubt]);
  await shutDown();
});

test('a turn that is taken up meanwhile is given nothing of what is to be forgotten', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  const visible = visibleStore(store, new PendingForgetting(store));
  const author = { id: 'u1', name: 'Uma' };
  const key = { turnId: 'turn', threadId };
  await store.turns.begin({
    ...key,
    eventId: 'event',
    askedBy: 'u1',
    createdAt: Date.now(),
    request: { ...key, question: 'Why?', author, eventId: 'event', askedAt: 1000 },
    question: {
      id: 'turn:question',
      ...key,
      author: 'Uma',
      createdAt: Date.now(),
      ...({ role: 'human', type: 'user_query', status: 'complete' } as const),
      content: { type: 'user_query', text: 'Why?' },
    },
    steps: [{ kind: 'heard', key: '', data: heard }],
  });
  await new ForgetNotes(visible.settings, Date.now).add('note', post);
  expect(textsOf(await visible.turns.take(key))).toEqual([doubt]);
});

test('a question whose thread is not open yet loses what is deleted of it, and its thread hears the rest', async () => {
  const { bot, shutDown, store } = await startBot(scriptedModels({}));
  const { promise: opening, resolve: opens } = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<undefined>();
  const asking = bot.ask(
    { ...toBen, threadId: 'test:w:c:event-2', eventId: 'event-2', heard },
    async () => {
      opens();
      return waiting.promise;
    },
  );
  await opening;
  const kept = async () => JSON.stringify(await store.settings.read(['opening:test']));
  expect(await kept()).toContain(salary);
  const deleted = { eventId: '1', threadId: 'test:w:c:1', postedAt: 1000 };
  await bot.deleted({ kind: 'posts', posts: [deleted] });
  expect(await kept()).not.toContain(salary);
  expect(await kept()).toContain(doubt);
  waiting.resolve(undefined);
  await asking;
  await shutDown();
});

test.each([
  ['with the question', { heard: true }],
  ['around the question', { heard: false }],
])(
  'what came %s stays forgotten that is deleted while its attachment is being read',
  async (_, { heard: cameAlong }) => {
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const { bot, platform, memory, store, idle, shutDown } = await startBot(models);
    const pay = { status: 'pointed', kind: 'file', name: 'pay.txt', address: 'file:1' } as const;
    const [first, second] = heard.messages;
    if (!first || !second) throw new Error('Two people were heard.');
    const withFile = { ...heard, messages: [{ ...first, sources: [pay] }, second] };
    platform.hear = async () => withFile;
    platform.openFile = async () => {
      await memory.forgetting.forget(post, signal);
      return { status: 'withheld', why: 'it is gone' };
    };
    const asked = { ...toBen, askedAt: Date.now() };
    await bot.ask(cameAlong ? { ...asked, heard: withFile } : { ...asked, hears: 'thread' });
    await idle();
    expect(textsOf(await turnIn(store))).toEqual([doubt]);
    const prompts = JSON.stringify(models.sage({ key: 'ben' }).requests);
    expect(prompts).toContain(doubt);
    expect(prompts).not.toContain(salary);
    await shutDown();
  },
);

test('what came with the question stays forgotten that is deleted while the rest is being read', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const { bot, platform, memory, store, idle, shutDown } = await startBot(models);
  platform.hear = async () => {
    await memory.forgetting.forget(post, signal);
    return { ...heard };
  };
  await bot.ask({ ...toBen, heard, hears: 'thread', askedAt: Date.now() });
  await idle();
  expect(textsOf(await turnIn(store))).toEqual([doubt]);
  expect(JSON.stringify(models.sage({ key: 'ben' }).requests)).not.toContain(salary);
  await shutDown();
});

test('what was heard of a person is removed from several turns side by side', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  let [open, most] = [0, 0];
  const read: Store['turns']['read'] = async (turn) => {
    open += 1;
    most = Math.max(most, open);
    return breathe(store.turns.read(turn)).finally(() => {
      open -= 1;
    });
  };
  for (let at = 0; at < 25; at += 1) {
    const turn = newTurn(`turn-${at}`, { threadId });
    const { attempt } = await runningTurn(store, turn);
    await noteHeard(store, turn, heard, { now: Date.now, retentionDays: 'unlimited' });
    const steps = [{ kind: 'heard', key: '', data: heard }];
    await store.turns.checkpoint({ turnId: turn.turnId, threadId, attempt, steps });
  }
  const subject = { kind: 'person', workspace: 'test:w', personId: 'u7' } as const;
  await removeHeard({ ...store, turns: { ...store.turns, read } }, subject, Date.now);
  for (let at = 0; at < 25; at += 1) {
    const record = await store.turns.read({ turnId: `turn-${at}`, threadId });
    expect(record?.steps[0]?.data).toEqual({ ...heard, messages: heard.messages.slice(1) });
  }
  expect(most).toBe(10);
  await store.close();
});

test('what notes who was heard goes with the turn', async () => {
  const { store, memory, shutDown } = await heardTurn();
  expect(await noted(store)).toEqual([1, 1, 1]);
  const turn = await turnIn(store);
  const subject = { kind: 'turn', threadId, turnId: turn?.turnId ?? '' } as const;
  await memory.forgetting.forget(subject, signal);
  expect(await noted(store)).toEqual([0, 0, 0]);
  await shutDown();
});

test('what notes who was heard is kept no longer than the turn', async () => {
  const { store, advance, shutDown } = await heardTurn({ retentionDays: 3 });
  advance(3 * dayMs - 1);
  expect(textsOf(await turnIn(store))).toEqual([salary, doubt]);
  expect(await noted(store)).toEqual([1, 1, 1]);
  advance(2);
  expect(await turnIn(store)).toBeUndefined();
  expect(await noted(store)).toEqual([0, 0, 0]);
  await shutDown();
});

test('a workspace that takes the bot out has nothing left of what was heard there after a day', async () => {
  const { store, bot, now, advance, shutDown } = await heardTurn();
  await bot.left({ platform: 'test', workspace: 'w' });
  expect(textsOf(await turnIn(store))).toEqual([salary, doubt]);
  advance(keptAfterDepartureMs + 1);
  await forgettingIn(store, { now }).resume(signal);
  expect(await turnIn(store)).toBeUndefined();
  expect(await noted(store)).toEqual([0, 0, 0]);
  await shutDown();
});
