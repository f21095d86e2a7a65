/** The death of a process after each stored step of a deep turn, over each store. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPastTurn } from '../../src/council/past-turn.ts';
import type { ChatRequest } from '../../src/models/chat-model.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import type { StoreFixture } from '../contracts/store.ts';
import { deepScript } from '../council/deep-council.ts';
import { type ScriptedModels, scriptedModels } from '../council/scripted-council.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import type { Line } from '../fakes/scripted-model.ts';
import { startUpstashServer, type UpstashServer } from '../fakes/upstash/server.ts';
import { redisFixture } from '../store/redis-fixture.ts';
import { sqliteFixture } from '../store/sqlite-fixture.ts';
import { upstashFixture } from '../store/upstash-fixture.ts';
import { question, startBot } from './bot-fixture.ts';

let server: RedisServer;
let endpoint: UpstashServer;
beforeAll(async () => {
  server = await startRedisServer();
  endpoint = await startUpstashServer(server.url);
});
afterAll(async () => {
  await endpoint.close();
  await server.remove();
});

const fixtures: Readonly<Record<string, () => Promise<StoreFixture>>> = {
  SQLite: sqliteFixture,
  Redis: () => redisFixture(server),
  Upstash: () => upstashFixture(server, endpoint),
};

const keys = ['ada', 'ben', 'cleo', 'dan'];
/** Seating, answers, the chair's own, reviews, docket, rebuttals, second ballots, verdict. */
const steps = 1 + 4 + 1 + 4 + 1 + 4 + 4 + 1;

/** Says the same to each call of a stage, however often it is made. */
function patientModels(asked: (call: string) => void): ScriptedModels {
  const patient = (stages: readonly string[], lines: readonly Line[] = []): readonly Line[] =>
    Array<Line>(6).fill((request: ChatRequest) => {
      asked(`${request.stage} ${request.sage ?? ''}`.trim());
      const line = lines[stages.indexOf(request.stage)];
      if (line === undefined) throw new Error(`Nobody says anything to ${request.stage}.`);
      return typeof line === 'function' ? line(request) : line;
    });
  const bySage = (
    stages: readonly string[],
    scripts: Readonly<Record<string, readonly Line[]>> = {},
  ) => Object.fromEntries(keys.map((key) => [key, patient(stages, scripts[key])]));
  return scriptedModels({
    moderator: patient(['moderator'], deepScript.moderator),
    sages: bySage(['sage', 'rebuttal'], deepScript.sages),
    reviews: bySage(['review', 'second_ballot'], deepScript.reviews),
    ownAnswers: patient(['own_answer'], ['I would wait.']),
    chair: patient(['docket', 'verdict'], deepScript.chair),
  });
}

/** The same store until so many checkpoints are written; then its process is gone. */
function dyingAfter(store: Store, count: number): Store {
  let left = count;
  const ifAlive = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        return async (...args: readonly unknown[]) => {
          if (left === 0) throw new StoreError('The process is gone.', { reason: 'unreachable' });
          if (name === 'checkpoint') left -= 1;
          return Reflect.apply(found, target, args);
        };
      },
    });
  return { ...store, turns: ifAlive(store.turns), close: () => store.close() };
}

/** What is stored, in the words of the calls that were made for it. */
async function storedCalls(store: Store, turnId: string): Promise<readonly string[]> {
  const record = await store.turns.read({ turnId, threadId: question.threadId });
  if (!record) throw new Error('The turn is lost.');
  const { seated, ownAnswer, answers, reviews, round, verdict } = readPastTurn(record);
  return [
    ...(seated ? ['moderator'] : []),
    ...(ownAnswer ? ['own_answer'] : []),
    ...answers.map(({ sage }) => `sage ${sage}`),
    ...reviews.map(({ reviewer }) => `review ${reviewer}`),
    ...(round ? ['docket'] : []),
    ...(round?.rebuttals ?? []).map(({ sage }) => `rebuttal ${sage}`),
    ...(round?.recasts ?? []).map(({ reviewer }) => `second_ballot ${reviewer}`),
    ...(verdict ? ['verdict'] : []),
  ];
}

describe.each(Object.keys(fixtures))('a process on %s that dies in a deep turn', (name) => {
  test.each(Array.from({ length: steps }, (_, index) => index + 1))(
    'after %i stored steps loses nothing, and nothing stored is paid again',
    async (count) => {
      const fixture = await fixtures[name]?.();
      if (!fixture) throw new Error(`There is no store ${name}.`);
      try {
        const store = await fixture.open({ now: Date.now });
        let calls: string[] = [];
        const models = patientModels((call) => calls.push(call));
        const first = await startBot(models, {}, dyingAfter(store, count));
        const asked = await first.bot.ask({ ...question, depth: 'deep' });
        if (asked.status !== 'accepted') throw new Error('The question was refused.');
        await first.idle();
        await first.shutDown().catch(() => undefined);
        const kept = await storedCalls(store, asked.turnId);
        expect(kept).toHaveLength(count);

        calls = [];
        const second = await startBot(models, {}, store);
        await second.idle();
        expect(calls.filter((call) => kept.includes(call))).toEqual([]);
        const all = await storedCalls(store, asked.turnId);
        expect(all).toHaveLength(steps);
        expect(new Set(all).size).toBe(steps);
        expect(calls.toSorted()).toEqual(all.filter((call) => !kept.includes(call)).toSorted());
        expect(second.platform.shown.at(-1)?.events.at(-1)).toMatchObject({
          end: { outcome: 'answered' },
        });
        await second.shutDown();
      } finally {
        await fixture.remove();
      }
    },
  );
});
