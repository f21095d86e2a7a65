import { expect } from 'vitest';
import {
  type Json,
  type MemoryKey,
  type Store,
  SupersededError,
} from '../../../src/store/store.ts';
import { dayMs, handClock, hourMs, type StoreCase, startOfTime } from './case.ts';
import { idsIn, readAll, shard } from './memory-samples.ts';
import { endedTurn, idsOf, imported, newTurn, runningTurn, turnIdsOf } from './samples.ts';

const short = 'p:short:c:t';
const usual = 'p:usual:c:t';
const by = { setBy: 'sue', setAt: startOfTime };

/** Keeps what is said in the workspace of {@link short} for so many days. */
function keepFor(store: Store, value: Json, expiresAt?: number): Promise<boolean> {
  const until = expiresAt === undefined ? by : { ...by, expiresAt };
  return store.settings.write('workspace:p:short', { retentionDays: value }, until);
}

const vector = { model: 'p:m', dimensions: 1, values: Int8Array.of(1) };

function keysIn(threadId: string): readonly MemoryKey[] {
  return [
    { kind: 'message', threadId, id: `question-of-ended of ${threadId}` },
    { kind: 'message', threadId, id: 'q' },
    { kind: 'shard', threadId, id: 's' },
  ];
}

/** Something of everything that expires, in both workspaces. */
async function fill(store: Store, createdAt = startOfTime): Promise<void> {
  for (const threadId of [short, usual]) {
    const named = (name: string) => newTurn(`${name} of ${threadId}`, { threadId, createdAt });
    await endedTurn(store, named('ended'));
    await runningTurn(store, named('running'));
    await store.messages.append([
      imported('q', 'human', { threadId, createdAt, isPrivate: false }),
      imported('a', 'ai', { threadId, createdAt, isPrivate: false }),
    ]);
    const made = shard('s', { threadId, sourceIds: ['q', 'a'], agesFrom: createdAt });
    await store.memories.keepShard(made);
    await store.memories.keepVectors(keysIn(threadId).map((key) => ({ key, vector })));
  }
}

/** By the verb, what it gives of a thread. Each is empty when all of it has expired. */
const readings: Readonly<
  Record<string, (store: Store, threadId: string) => Promise<readonly unknown[]>>
> = {
  'turns.read by turn': async (store, threadId) => {
    const read = await store.turns.read({ turnId: `ended of ${threadId}`, threadId });
    return read === undefined ? [] : [read];
  },
  'turns.read by event': async (store, threadId) => {
    const { eventId } = newTurn(`ended of ${threadId}`);
    const read = await store.turns.read({ eventId, threadId });
    return read === undefined ? [] : [read];
  },
  'turns.list': (store, threadId) => store.turns.list(threadId, { limit: 9 }),
  'turns.unfinished': async (store, threadId) =>
    (await store.turns.unfinished(9)).filter((turn) => turn.threadId === threadId),
  'messages.page': (store, threadId) => store.messages.page(threadId, { limit: 9 }),
  'messages.recent': (store, threadId) => store.messages.recent(threadId, { limit: 9 }),
  'messages.threads of a workspace': async (store, threadId) =>
    (await store.messages.threads(threadId.split(':', 2).join(':'), { limit: 9 })).threadIds,
  'messages.threads of a channel': async (store, threadId) =>
    (await store.messages.threads(threadId.split(':', 3).join(':'), { limit: 9 })).threadIds,
  'memories.read of a thread': async (store, thread) =>
    idsIn(await readAll(store, 'thread', { thread })),
  'memories.read of a channel': async (store, thread) =>
    idsIn(await readAll(store, 'channel', { thread })),
  'memories.read of a workspace': async (store, thread) =>
    idsIn(await readAll(store, 'workspace', { thread })),
  ...Object.fromEntries(
    ['of a question', 'of what was imported', 'of a shard'].map((what, at) => [
      `memories.vectors ${what}`,
      async (store: Store, threadId: string) => {
        const read = await store.memories.vectors(vector.model, keysIn(threadId).slice(at, at + 1));
        return read.filter((one) => one !== undefined);
      },
    ]),
  ),
};

/** Names of the verbs that give nothing of a thread. */
async function silentIn(store: Store, threadId: string): Promise<readonly string[]> {
  const given = await Promise.all(
    Object.entries(readings).map(async ([verb, read]) => ({
      verb,
      isEmpty: (await read(store, threadId)).length === 0,
    })),
  );
  return given.filter(({ isEmpty }) => isEmpty).map(({ verb }) => verb);
}

async function sweepAll(store: Store): Promise<number> {
  let swept = 0;
  for (let more = -1; more !== 0; swept += more) more = await store.sweep(3);
  return swept;
}

export const retentionCases: readonly StoreCase[] = [
  {
    name: 'hides from every reading what is older than its workspace keeps, and nothing elsewhere',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays: 30 });
      await fill(store);
      await keepFor(store, 1);
      clock.advance(dayMs);
      expect(await silentIn(store, short)).toEqual([]);
      clock.advance(1);
      expect(await silentIn(store, short)).toEqual(Object.keys(readings));
      expect(await silentIn(store, usual)).toEqual([]);
    },
  },
  {
    name: 'writes nothing more to what has expired in its workspace',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await fill(store);
      await keepFor(store, 1);
      clock.advance(dayMs + 1);
      const turn = { turnId: `running of ${short}`, threadId: short };
      expect(await store.turns.take(turn)).toBeUndefined();
      expect(await store.turns.remark(turn, { kind: 'feedback', key: '', data: {} })).toBe(false);
      const written = store.turns.checkpoint({ ...turn, attempt: 1 });
      await expect(written).rejects.toThrow(SupersededError);
      const elsewhere = { turnId: `running of ${usual}`, threadId: usual };
      expect(await store.turns.take(elsewhere)).toBeDefined();
    },
  },
  {
    name: 'makes a new turn of an event whose turn has expired in its workspace',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await fill(store);
      await keepFor(store, 1);
      clock.advance(dayMs + 1);
      for (const [threadId, isNew] of [
        [short, true],
        [usual, false],
      ] as const) {
        const turnId = `ended of ${threadId}`;
        const again = newTurn(turnId, { threadId, createdAt: clock.now() });
        expect(await store.turns.begin(again)).toMatchObject({ turnId, isNew });
      }
      expect(turnIdsOf(await store.turns.list(short, { limit: 9 }))).toEqual([`ended of ${short}`]);
    },
  },
  {
    name: 'tells readers of a workspace what of it has expired',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await fill(store);
      const { version: since } = await readAll(store, 'workspace', { thread: short });
      await keepFor(store, 2);
      const next = { thread: short, since };
      const { keptSince, isAnew } = await readAll(store, 'workspace', next);
      expect([keptSince, isAnew]).toEqual([startOfTime - 2 * dayMs, false]);
    },
  },
  {
    name: "keeps nothing for longer than the store's own retention",
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays: 2 });
      await fill(store);
      await keepFor(store, 30);
      clock.advance(2 * dayMs + 1);
      expect(await silentIn(store, short)).toEqual(Object.keys(readings));
    },
  },
  {
    name: 'shows again what was not swept when a workspace keeps things for longer',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await fill(store);
      await keepFor(store, 1);
      clock.advance(2 * dayMs);
      expect(await store.messages.page(short, { limit: 9 })).toEqual([]);
      await keepFor(store, 3);
      expect(await silentIn(store, short)).toEqual([]);
      clock.advance(dayMs + 1);
      await sweepAll(store);
      await keepFor(store, null);
      expect(await silentIn(store, short)).toEqual(Object.keys(readings));
      expect(await silentIn(store, usual)).toEqual([]);
    },
  },
  {
    name: 'sweeps what has expired in its workspace, in batches, also where the store keeps all',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await fill(store);
      await keepFor(store, 1);
      clock.advance(dayMs + 1);
      const fresh = imported('fresh', 'human', { threadId: short, createdAt: clock.now() });
      await store.messages.append([fresh]);
      // Two turns, two messages, a shard.
      expect(await sweepAll(store)).toBe(5);
      await keepFor(store, null);
      expect(idsOf(await store.messages.page(short, { limit: 9 }))).toEqual(['fresh']);
      expect(turnIdsOf(await store.turns.list(short, { limit: 9 }))).toEqual([]);
      expect(idsIn(await readAll(store, 'workspace', { thread: short }))).toEqual(['fresh']);
      expect(await silentIn(store, usual)).toEqual([]);
    },
  },
  {
    name: 'is bounded by no value that is no number of days, nor by one that has expired',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await fill(store);
      for (const value of ['unlimited', 0, -1, false, [1], { days: 1 }, '1']) {
        await keepFor(store, value);
        clock.advance(hourMs);
        expect(await silentIn(store, short)).toEqual([]);
        expect(await sweepAll(store)).toBe(0);
      }
      clock.advance(dayMs);
      await keepFor(store, 1, clock.now() + hourMs);
      expect(await silentIn(store, short)).toEqual(Object.keys(readings));
      clock.advance(hourMs);
      expect(await silentIn(store, short)).toEqual([]);
    },
  },
  {
    name: 'knows a workspace by its whole name, whatever that is',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      const threads = ['p:{%7b', 'p:{%7', 'p:1', 'p:12', 'p:', 'q:{%7b'].map((w) => `${w}:c:t`);
      for (const threadId of threads) {
        await store.messages.append([imported('q', 'human', { threadId })]);
      }
      for (const workspace of ['p:{%7b', 'p:1']) {
        await store.settings.write(`workspace:${workspace}`, { retentionDays: 1 }, by);
      }
      await store.settings.write('channel:p:12:c', { retentionDays: 1 }, by);
      clock.advance(dayMs + 1);
      const pages = await Promise.all(
        threads.map((threadId) => store.messages.page(threadId, { limit: 9 })),
      );
      const left = threads.filter((_, at) => pages[at]?.length === 1);
      expect(left).toEqual(['p:{%7', 'p:12', 'p:', 'q:{%7b'].map((w) => `${w}:c:t`));
      expect(await sweepAll(store)).toBe(2);
    },
  },
];
