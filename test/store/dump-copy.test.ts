import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dump, DumpRecord } from '../../src/store/copy.ts';
import { type CopyOptions, copyStore, digest, isUnfinishedCopy } from '../../src/store/copy.ts';
import { mostRemembered } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { everythingIn, fill } from '../contracts/store/full-store.ts';
import { idsIn, open, readAll } from '../contracts/store/memory-samples.ts';
import { endedTurn, imported, newTurn, threadId, turnKey } from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startUpstashServer, type UpstashServer } from '../fakes/upstash/server.ts';
import { type DumpFixture, redisDump, sqliteDump, upstashDump } from './dump-fixtures.ts';

let server: RedisServer;
let endpoint: UpstashServer;

beforeAll(async () => {
  server = await startRedisServer();
  endpoint = await startUpstashServer(server.url);
});
afterAll(async () => {
  await endpoint?.close();
  await server?.remove();
});

const options: CopyOptions = {
  from: 'here',
  to: 'there',
  signal: new AbortController().signal,
  onProgress: () => undefined,
  now: () => startOfTime,
};

const places: Readonly<Record<string, (database: number) => Promise<DumpFixture>>> = {
  SQLite: sqliteDump,
  Redis: (database) => redisDump(server, database),
  Upstash: () => upstashDump(server, endpoint),
};

describe.each([
  ['SQLite', 'Redis'],
  ['Redis', 'SQLite'],
  ['SQLite', 'SQLite'],
  ['Redis', 'Redis'],
  ['SQLite', 'Upstash'],
  ['Upstash', 'SQLite'],
])('a copy from %s to %s', (from, to) => {
  test('gives what the source gives, whatever is asked, and lets it go on there', async () => {
    await using source = await place(from, 1);
    await using target = await place(to, 2);
    await fill(source.dump.store);
    const digest = await copyStore(source.dump, target.dump, options);
    expect(await everythingIn(target.dump.store)).toEqual(await everythingIn(source.dump.store));
    expect(digest).toMatchObject({ turn: { count: 6 }, shard: { count: 2 }, claim: { count: 1 } });
    await goOn(target.dump);
  });

  test('takes along what its workspace does not show any more', async () => {
    await using source = await place(from, 1);
    await using target = await place(to, 2);
    const { store } = source.dump;
    const turn = newTurn('old', { createdAt: 1 });
    await endedTurn(store, turn);
    await store.messages.append([imported('old', 'human', { createdAt: 1 })]);
    const by = { setBy: 'sue', setAt: 1 };
    const scope = 'workspace:terminal:home';
    await store.settings.write(scope, { retentionDays: 1 }, by);
    expect(await store.turns.read(turn)).toBeUndefined();
    await copyStore(source.dump, target.dump, options);
    const copied = target.dump.store;
    expect(await copied.turns.read(turn)).toBeUndefined();
    await copied.settings.write(scope, { retentionDays: null }, by);
    expect(await copied.turns.read(turn)).toMatchObject({ outcome: 'answered' });
    expect(await copied.messages.page(threadId, { limit: 9 })).toHaveLength(3);
  });

  test('keeps a channel private, also from what was open there before and is brought in later', async () => {
    await using source = await place(from, 1);
    await using target = await place(to, 2);
    const inIt = { threadId: 'p:w:c:t', createdAt: startOfTime + 5 };
    await source.dump.store.messages.append([
      open('hidden', { ...inIt, isPrivate: true, createdAt: startOfTime + 9 }),
    ]);
    await copyStore(source.dump, target.dump, options);
    const copied = target.dump.store;
    await copied.messages.append([open('earlier', inIt)]);
    expect(idsIn(await readAll(copied, 'workspace', { thread: 'p:w:d:t' }))).toEqual([]);
  });

  test('is the same, too, with a name that was cut in the midst of an emoji', async () => {
    await using source = await place(from, 1);
    await using target = await place(to, 2);
    const author = 'Ada 🦉'.slice(0, -1);
    await source.dump.store.messages.append([imported('cut', 'human', { author })]);
    const digest = await copyStore(source.dump, target.dump, options);
    expect(digest.message.count).toBe(1);
  });
});

/** Reads and writes few records at once, and breaks off in the midst of a portion, as often as told. */
function breaking(dump: Dump, at: number): Dump {
  let portions = 0;
  return {
    ...dump,
    read: () => dump.read(3),
    write: async (records) => {
      portions += 1;
      if (portions < at) return dump.write(records);
      await dump.write(records.slice(0, 1));
      throw new Error('The machine went down.');
    },
  };
}

describe.each([['SQLite'], ['Redis']])('a copy to %s', (to) => {
  test('is made whole by the next run, wherever it broke off', async () => {
    await using source = await place('SQLite', 1);
    await using target = await place(to, 2);
    await fill(source.dump.store);
    const reader = breaking(source.dump, Number.POSITIVE_INFINITY);
    for (let at = 1; at < 6; at += 1) {
      const copying = copyStore(reader, breaking(target.dump, at), options);
      await expect(copying).rejects.toThrow('The machine went down.');
    }
    await copyStore(reader, target.dump, options);
    expect(await everythingIn(target.dump.store)).toEqual(await everythingIn(source.dump.store));
  });

  test('is made into an empty store, or into what broke off of it; into no other', async () => {
    await using source = await place('SQLite', 1);
    await using target = await place(to, 2);
    await fill(source.dump.store);
    await target.dump.store.settings.write('a', { b: 1 }, { setBy: 'ada', setAt: 1 });
    await expect(copyStore(source.dump, target.dump, options)).rejects.toThrow(
      /^there is not empty\. Use an empty store/,
    );
    await target.dump.store.settings.write('a', { b: null }, { setBy: 'ada', setAt: 1 });
    const broken = copyStore(source.dump, breaking(target.dump, 1), options);
    await expect(broken).rejects.toThrow('The machine went down.');
    const other = { ...options, from: 'elsewhere' };
    await expect(copyStore(source.dump, target.dump, other)).rejects.toThrow(
      /^there holds an unfinished copy of here/,
    );
    await using third = await place('SQLite', 3);
    await expect(copyStore(target.dump, third.dump, options)).rejects.toThrow(
      /is itself an unfinished copy/,
    );
    await copyStore(source.dump, target.dump, options);
    await expect(copyStore(source.dump, target.dump, options)).rejects.toThrow(/not empty/);
  });

  test('is not taken for whole when something is missing or otherwise', async () => {
    await using source = await place('SQLite', 1);
    await fill(source.dump.store);
    const wrongly: readonly [RegExp, (record: DumpRecord) => readonly DumpRecord[]][] = [
      [/message: 17 of 18/, (one) => (isMessage(one, 's1') ? [] : [one])],
      [
        /message: 18, not the same/,
        (one) => (isMessage(one, 's1') ? [{ ...one, rank: one.rank + 100 }] : [one]),
      ],
      [
        /spending: \d, not the same/,
        (one) => (one.kind === 'spending' ? [{ ...one, costUsd: 0 }] : [one]),
      ],
    ];
    for (const [message, change] of wrongly) {
      await using target = await place(to, 2);
      const lossy: Dump = {
        ...target.dump,
        write: (records) => target.dump.write(records.flatMap(change)),
      };
      const copying = copyStore(source.dump, lossy, options);
      // The order in a file is that of storing, whatever number a record brings.
      if (to === 'SQLite' && String(message).includes('18, not')) await copying;
      else await expect(copying).rejects.toThrow(message);
    }
  });

  test('holds of what is remembered as much as is of use', async () => {
    await using source = await place('SQLite', 1);
    await using target = await place(to, 2);
    const messages = Array.from({ length: mostRemembered + 50 }, (_, at) =>
      open(`m${at}`, { threadId: `terminal:home:c${at % 3}:t` }),
    );
    await source.dump.store.messages.append(messages);
    await copyStore(source.dump, target.dump, options);
    const thread = 'terminal:home:c0:t';
    for (const reach of ['channel', 'workspace'] as const) {
      const read = await readAll(target.dump.store, reach, { thread });
      expect(idsIn(read)).toEqual(idsIn(await readAll(source.dump.store, reach, { thread })));
    }
  });

  test('ends when it is asked to, and is made whole later', async () => {
    await using source = await place('SQLite', 1);
    await using target = await place(to, 2);
    await fill(source.dump.store);
    const ending = new AbortController();
    const onProgress = () => ending.abort(new Error('Ended by SIGINT.'));
    const stopped = { ...options, signal: ending.signal, onProgress };
    await expect(copyStore(source.dump, target.dump, stopped)).rejects.toThrow(/SIGINT/);
    await copyStore(source.dump, target.dump, options);
    expect(await isUnfinishedCopy(target.dump)).toBe(false);
  });
});

test('reading a file through ends when a signal comes meanwhile', async () => {
  await using source = await place('SQLite', 1);
  const { settings } = source.dump.store;
  const changes = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`note-${at}`, at]));
  await settings.write('channel:1', changes, { setBy: 'ada', setAt: startOfTime });
  const ending = new AbortController();
  setImmediate(() => ending.abort(new Error('Ended by SIGINT.')));
  const reading = digest(source.dump, 'reading', {
    signal: ending.signal,
    onProgress: () => undefined,
    keptUntil: Number.NEGATIVE_INFINITY,
  });
  await expect(reading).rejects.toThrow(/SIGINT/);
});

function isMessage(
  record: DumpRecord,
  id: string,
): record is Extract<DumpRecord, { kind: 'message' }> {
  return record.kind === 'message' && record.message.id === id;
}

async function place(name: string, database: number): Promise<DumpFixture> {
  const make = places[name];
  if (make === undefined) throw new Error(`There is no place ${name}.`);
  return make(database);
}

/** What comes after a copy is ordered behind what was copied. */
async function goOn({ store }: Dump): Promise<void> {
  expect(await store.turns.begin(newTurn('one'))).toMatchObject({ turnId: 'one', isNew: false });
  await store.turns.begin(newTurn('six'));
  const { threadId } = newTurn('six');
  expect((await store.turns.list(threadId, { limit: 1 }))[0]?.turnId).toBe('six');
  expect((await store.messages.page(threadId, { limit: 1 }))[0]?.id).toBe('question-of-six');
  const taken = await store.turns.take(turnKey('two'));
  expect(taken?.attempt).toBe(2);
  const steps = [{ kind: 'verdict', key: '', data: { verdict: 'Wait.' } }];
  const end = { outcome: 'answered', endedAt: startOfTime };
  await store.turns.checkpoint({ turnId: 'two', threadId, attempt: 2, steps, end });
  const { steps: kept = [] } = (await store.turns.read(turnKey('two'))) ?? {};
  expect(kept.map(({ kind }) => kind)).toEqual(['seated', 'reviewed', 'verdict']);
  const { messages } = await store.memories.read({ threadId, reach: 'thread' }, { limit: 500 });
  expect(messages.at(-1)?.message.id).toBe('question-of-six');
}
