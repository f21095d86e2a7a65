import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Dump, DumpRecord } from '../../src/store/copy.ts';
import { openRedisDump } from '../../src/store/redis-dump.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { imported, newTurn, runningTurn, threadId } from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;
let dump: Dump;
let time = startOfTime;

beforeAll(async () => {
  server = await startRedisServer();
});
beforeEach(async () => {
  await server.command('FLUSHALL');
  await dump?.store.close();
  time = startOfTime;
  dump = await openRedisDump({ url: server.url, now: () => time });
});
afterAll(async () => {
  await dump?.store.close();
  await server?.remove();
});

/** Everything, portion by portion. */
async function* portionsOf(limit: number): AsyncGenerator<readonly DumpRecord[]> {
  for await (const { records } of dump.read(limit)) yield records;
}

test('passes over no claim while others expire', async () => {
  const { store } = dump;
  for (let at = 0; at < 6; at += 1) await store.claim(`passing-${at}`, 1000);
  for (let at = 0; at < 6; at += 1) await store.claim(`lasting-${at}`, 10_000);
  const found: string[] = [];
  for await (const records of portionsOf(4)) {
    found.push(...records.flatMap((one) => (one.kind === 'claim' ? [one.key] : [])));
    if (found.length > 0) time = startOfTime + 2000;
  }
  const lasting = Array.from({ length: 6 }, (_, at) => `lasting-${at}`);
  expect(found.filter((key) => key.startsWith('lasting')).toSorted()).toEqual(lasting);
});

test('gives each turn the event that made it, whatever else is called so', async () => {
  // Long enough for the server to keep the fields in an order of its own.
  const request = { question: 'What of it? '.repeat(100) };
  for (let at = 0; at < 20; at += 1) {
    const turn = newTurn(`turn-${at}`, { askedBy: 'event', request });
    const { attempt } = await runningTurn(dump.store, turn);
    const end = { outcome: 'event', endedAt: startOfTime };
    await dump.store.turns.checkpoint({ turnId: turn.turnId, threadId, attempt, end });
  }
  for await (const records of portionsOf(100)) {
    const turns = records.flatMap((one) => (one.kind === 'turn' ? [one.turn] : []));
    expect(turns.map(({ eventId }) => eventId)).toEqual(
      turns.map(({ turnId }) => newTurn(turnId).eventId),
    );
  }
});

test('reads no more at once than a request may bring, however long the texts are', async () => {
  const text = 'A long review. '.repeat(10_000);
  const { store } = dump;
  for (let at = 0; at < 10; at += 1) {
    const turnId = `turn-${at}`;
    const { attempt } = await runningTurn(store, newTurn(turnId));
    const steps = [{ kind: 'reviewed', key: '', data: { text } }];
    await store.turns.checkpoint({ turnId, threadId, attempt, steps });
    await store.messages.append([imported(`message-${at}`, 'ai', { content: { text } })]);
  }
  const found: DumpRecord[] = [];
  for await (const records of portionsOf(100)) {
    expect(JSON.stringify(records).length).toBeLessThan(1_000_000);
    found.push(...records);
  }
  const kinds = found.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'turn')).toHaveLength(10);
  expect(kinds.filter((kind) => kind === 'message')).toHaveLength(20);
});
