import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { KeptQuestions } from '../../src/bot/asking/kept-questions.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { type AskedBy, askedTurn, endedTurn, forget, seatedTurn } from './forgetting.ts';
import { pace, sharding } from './sharding.ts';

/** No one else says it. */
const secret = 'Zauberspruch';
const vector = 'zauberhafter Vektor!';
const subject = { kind: 'person', workspace: 'test:w', personId: 'uma' } as const;
const now = () => startOfTime;
const turnCount = 240;
const threadCount = 6;

/** Grows and shrinks from turn to turn, so that rows do not stay where they were written. */
function textOf(turn: number, marker: string): string {
  return `${marker} of turn ${turn}. `.repeat(1 + ((turn * 37) % 23) * ((turn * 11) % 7));
}

/**
 * Some threads in which two people talk by turns, remembered in every way; one of them says the secret,
 * and some of hers is under way, kept for later, or superseded.
 */
async function fill(store: Store): Promise<void> {
  let time = startOfTime;
  const { work, runAll } = sharding(store, { now: () => time });
  const threadOf = (turn: number) => `test:w:c${turn % 2}:t${turn % threadCount}`;
  for (let turn = 0; turn < turnCount; turn += 1) {
    const isHers = turn % 4 === 1;
    const personId = isHers ? 'uma' : 'ben';
    const turnId = `${isHers ? 'secretly' : 'openly'} ${turn}`;
    const threadId = threadOf(turn);
    await work.begun({ turnId, threadId });
    const text = textOf(turn, isHers ? secret : 'Anything');
    const isRunning = isHers && turn > turnCount - 8;
    const createdAt = startOfTime + turn;
    await askedTurn(store, turnId, { threadId, personId, text, createdAt, isRunning });
    if (turn % 60 === 59) {
      time += pace.everyMs;
      await runAll();
    }
  }
  const threads = Array.from({ length: threadCount }, (_, at) => `test:w:c${at % 2}:t${at}`);
  for (const threadId of threads) {
    const { messages } = await store.memories.read({ threadId, reach: 'thread' }, { limit: 500 });
    const values = Int8Array.from(Buffer.from(vector));
    const hers = messages.filter(({ message }) => message.turnId?.startsWith('secretly'));
    await store.memories.keepVectors(
      hers.map(({ message: { id } }) => ({
        key: { kind: 'message', threadId, id },
        vector: { model: 'p:m', dimensions: values.length, values },
      })),
    );
  }
  const kept = new KeptQuestions({ store, now });
  await kept.keep({
    threadId: 'test:w:c1:new',
    turnId: 'secretly kept',
    eventId: 'e',
    question: secret,
    author: { id: 'uma', name: 'Uma' },
    askedAt: startOfTime,
  });
}

/** What must not be found: what was said, its ids, and its vectors, as text and as a server keeps them. */
const traces = [secret, 'secretly', vector, Buffer.from(vector).toString('base64')];

async function expectForgotten(store: Store, bytes: () => Promise<Buffer>): Promise<void> {
  await fill(store);
  const before = await bytes();
  for (const trace of traces.slice(0, 2)) expect(count(before, trace)).toBeGreaterThan(50);
  expect(traces.slice(2).some((trace) => count(before, trace) > 5)).toBe(true);
  const kept = await everythingOfBen(store);
  const report = await forget(store, subject);
  expect(report.turns).toBe(turnCount / 4);
  expect(report.shards).toBeGreaterThan(20);
  const after = await bytes();
  for (const trace of traces) expect(count(after, trace), trace).toBe(0);
  expect(count(after, 'Anything of turn')).toBeGreaterThan(50);
  expect(await everythingOfBen(store)).toEqual(kept);
}

function count(bytes: Buffer, trace: string): number {
  let found = 0;
  for (let at = bytes.indexOf(trace); at >= 0; at = bytes.indexOf(trace, at + 1)) found += 1;
  return found;
}

async function everythingOfBen(store: Store) {
  const turns = Array.from({ length: turnCount }, (_, turn) =>
    store.turns.read({ turnId: `openly ${turn}`, threadId: 'test:w:c0:t0' }),
  );
  return Promise.all(turns);
}

test('leaves no byte of what was forgotten in the file or its log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'council-bytes-'));
  const path = join(folder, 'council.db');
  const store = openSqliteStore({ path, now });
  try {
    await expectForgotten(store, async () =>
      Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file))),
    );
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});

test('leaves no byte of what was moved from page to page before it was forgotten', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'council-pages-'));
  const path = join(folder, 'council.db');
  const store = openSqliteStore({ path, now });
  try {
    // Many are answered at once, and grow while others have begun behind them.
    for (let round = 0; round < 60; round += 1) {
      const turns = Array.from({ length: 12 }, (_, at): readonly [string, AskedBy] => {
        const turn = 12 * round + at;
        const personId = turn % 4 === 1 ? 'uma' : 'ben';
        const said = `${personId === 'uma' ? secret : 'Anything'} in turn ${turn}. `;
        const text = said.repeat(1 + ((turn * 37) % 41));
        return [`turn ${turn}`, { threadId: `test:w:c:${at}`, personId, text }];
      });
      const attempts = new Map<string, number>();
      for (const [turnId, asked] of turns) {
        attempts.set(turnId, await seatedTurn(store, turnId, asked));
      }
      for (const [turnId, asked] of turns.toReversed()) {
        await endedTurn(store, turnId, attempts.get(turnId) ?? 0, asked);
      }
    }
    await forget(store, subject);
    expect(count(readFileSync(path), secret)).toBe(0);
    expect(count(readFileSync(path), 'Anything')).toBeGreaterThan(100);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});

test('leaves no byte of what was forgotten in a snapshot of the server, nor in any key', async () => {
  const server = await startRedisServer({ settings: { rdbcompression: 'no' } });
  const store = await openRedisStore({ url: server.url, now });
  try {
    const [, folder = ''] = z.array(z.string()).parse(await server.command('CONFIG', 'GET', 'dir'));
    await expectForgotten(store, async () => {
      await server.command('SAVE');
      return readFileSync(join(folder, 'dump.rdb'));
    });
    const keys = z.array(z.string()).parse(await server.command('KEYS', '*'));
    expect(keys.filter((key) => key.includes('secretly'))).toEqual([]);
  } finally {
    await store.close();
    await server.remove();
  }
});
