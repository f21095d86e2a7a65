import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import { ShardNotes } from '../../src/memory/shards/notes.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import type { Line } from '../fakes/scripted-model.ts';
import { inlineLock, question, startBot, type TestBot } from './bot-fixture.ts';
import { forgetting } from './forgetting.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());

type Shown = () => TestBot['platform']['shown'];

const steps: ReadonlySet<string> = new Set(['seated', 'answered', 'reviewed']);

/** The whole turn, twice, in which no one is done before the step before is stored and shown. */
function oneAfterAnother(shown: Shown): Script {
  const after =
    (count: number, line: Line): Line =>
    async (request) => {
      const isSaid = () =>
        (shown().at(-1)?.events ?? []).filter(({ type }) => steps.has(type)).length >= count;
      while (!isSaid()) await nextTick();
      return typeof line === 'function' ? line(request) : line;
    };
  const inTurn = (first: number, lines: Script['sages'] = {}) =>
    Object.fromEntries(
      Object.entries(lines).map(([key, own], place) => {
        const mine = own.map((line) => after(first + place, line));
        return [key, [...mine, ...mine]];
      }),
    );
  const { moderator = [], sages, reviews, chair = [] } = wholeScript;
  const concluded = chair.map((line) => after(9, line));
  return {
    moderator: [...moderator, ...moderator],
    sages: inTurn(1, sages),
    reviews: inTurn(5, reviews),
    chair: [...concluded, ...concluded],
  };
}

test('takes 15 round trips of the store for all that a question of four sages is, from the asking to its end', async () => {
  const store = await openRedisStore({ url: server.url });
  const notes = new ShardNotes(store.settings, Date.now);
  const onTrouble = (error: unknown) => {
    throw error;
  };
  const council: { bot?: TestBot } = {};
  const models = scriptedModels(oneAfterAnother(() => council.bot?.platform.shown ?? []));
  const started = await startBot(
    models,
    {
      budgets: { userUsdPerDay: 100 },
      priceOf: () => 1,
      // So that no time passes in which what was spent is written once more.
      now: () => startOfTime,
      memory: {
        limits: { interactions: 3, chairTurns: 3, memories: 10, budgetTokens: 4000 },
        recollection: new Recollection({ store: store.memories, onTrouble }),
        shards: { begun: (turn) => notes.add(turn), ended: async () => undefined },
        lock: inlineLock(),
        forgetting: forgetting(store),
      },
    },
    store,
  );
  council.bot = started;
  const { bot, idle, platform, shutDown } = started;
  // Teaches the server the scripts, and the process its scope.
  await bot.ask(question);
  await idle();

  const admin = await server.connect();
  const readsOf = async () => {
    const stats = z.string().parse(await admin.command('INFO', 'stats'));
    return Number(/total_reads_processed:(\d+)/.exec(stats)?.[1]);
  };
  const scriptsOf = async () => {
    const stats = z.string().parse(await server.command('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
  };
  const scripts = await scriptsOf();
  const reads = await readsOf();
  await bot.ask({ ...question, eventId: 'event-2' });
  await idle();
  // Asking: settings with what was spent; the question. Before the moderator: the turn with its
  // settings; the context. Then every finished step: seats, 4 answers, 4 reviews, verdict, end. What
  // the chair would say alone goes along with one of them. The look at the figures is one more.
  expect((await readsOf()) - reads - 1).toBe(4 + 11);
  // What is asked for in one step is one round trip and several scripts. What was spent is written with
  // the first step and with the end, in the workspace and in the purses that span all.
  expect((await scriptsOf()) - scripts).toBe(22 + 4);
  expect(platform.shown.at(-1)?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  admin.close();
  await shutDown();
  await store.close();
});
