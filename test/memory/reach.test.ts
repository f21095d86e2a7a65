import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelOf, workspaceOf } from '../../src/domain/thread-id.ts';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { MemoryScope, Store } from '../../src/store/store.ts';
import { imported } from '../contracts/store/samples.ts';
import type { StoreFixture } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { redisFixture } from '../store/redis-fixture.ts';
import { sqliteFixture } from '../store/sqlite-fixture.ts';

interface Said {
  readonly threadId: string;
  /** Absent: the platform did not tell. */
  readonly isPrivate: boolean | undefined;
}

const reaches = ['thread', 'channel', 'workspace'] as const;
const threads = ['discord', 'slack'].flatMap((platform) =>
  ['1', '@me'].flatMap((workspace) =>
    ['a', 'b'].flatMap((channel) =>
      ['x', 'y'].map((thread) => [platform, workspace, channel, thread].join(':')),
    ),
  ),
);
const said: fc.Arbitrary<Said> = fc.record({
  threadId: fc.constantFrom(...threads),
  isPrivate: fc.constantFrom(true, false, false, undefined),
});

/** What may be recalled from a thread, said in the words of the promise. */
function allowed(all: readonly Said[], { threadId, reach }: MemoryScope): readonly string[] {
  return all.flatMap((one, at) => {
    const isHere = channelOf(one.threadId) === channelOf(threadId);
    const hasBecomePrivate = all
      .slice(at + 1)
      .some(
        (later) =>
          later.isPrivate === true && channelOf(later.threadId) === channelOf(one.threadId),
      );
    const isOpen = one.isPrivate === false && !hasBecomePrivate;
    const isInWorkspace = workspaceOf(one.threadId) === workspaceOf(threadId);
    const isReached = {
      thread: one.threadId === threadId,
      channel: isHere,
      workspace: isInWorkspace && (isHere || isOpen),
    }[reach];
    return isReached ? [`${at}`] : [];
  });
}

async function recalled(
  recollection: Recollection,
  scope: MemoryScope,
): Promise<readonly string[]> {
  const search = await recollection.open({ scope, text: 'harbour', language: 'auto' });
  return search(100, () => false).map(({ id }) => id);
}

/** Says one thing after the other, and asks everywhere in between as a running process does. */
async function check(store: Store, all: readonly Said[]): Promise<void> {
  const onTrouble = (error: unknown) => {
    throw error;
  };
  const running = new Recollection({ store: store.memories, onTrouble });
  for (const [at, one] of all.entries()) {
    const { threadId, isPrivate } = one;
    const told = { content: { text: 'The harbour.' }, threadId, createdAt: at };
    await store.messages.append([
      imported(`${at}`, 'human', { ...told, ...(isPrivate !== undefined && { isPrivate }) }),
    ]);
    const thread = threads[at % threads.length] ?? '';
    for (const reach of reaches) await recalled(running, { threadId: thread, reach });
  }
  for (const threadId of threads) {
    for (const reach of reaches) {
      const scope = { threadId, reach };
      const found = await recalled(running, scope);
      expect(found.toSorted(), JSON.stringify(scope)).toEqual([...allowed(all, scope)].sort());
      const started = new Recollection({ store: store.memories, onTrouble });
      expect(await recalled(started, scope)).toEqual(found);
    }
  }
}

async function checkIn(makeFixture: () => Promise<StoreFixture>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 16 }), async (all) => {
      const fixture = await makeFixture();
      try {
        await check(await fixture.open(), all);
      } finally {
        await fixture.remove();
      }
    }),
    { numRuns },
  );
}

describe('what is recalled is all that may be, and nothing of another workspace, private channel or direct message', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server?.remove());

  test('in SQLite', () => checkIn(sqliteFixture, 40));
  test('in Redis', () => checkIn(() => redisFixture(server), 25));
});

test('a quiet channel keeps its memory, however much is said elsewhere in its workspace', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  const say = (id: string, threadId: string, createdAt: number) =>
    imported(id, 'human', {
      content: { text: `The harbour ${id}.` },
      threadId,
      createdAt,
      isPrivate: false,
    });
  await store.messages.append([say('quiet', 'slack:1:quiet:x', 1)]);
  const busy = Array.from({ length: 2100 }, (_, at) => say(`${at}`, 'slack:1:busy:x', 2 + at));
  await store.messages.append(busy);
  const onTrouble = (error: unknown) => {
    throw error;
  };
  const recollection = new Recollection({ store: store.memories, onTrouble });
  const scope = { threadId: 'slack:1:quiet:y', reach: 'workspace' } as const;
  const known = async () => (await recollection.all({ scope })).map(({ id }) => id);
  expect(await known()).toEqual(['quiet', ...busy.slice(100).map(({ id }) => id)]);
  const nearest = async (text: string) =>
    (await recollection.open({ scope, text, language: 'auto' }))(1, () => false)[0]?.id;
  expect(await nearest('quiet?')).toBe('quiet');
  expect(await nearest('2050?')).toBe('2050');
  const forgotten = { threadId: 'slack:1:busy:x', turnIds: [], messageIds: ['2000'] };
  await store.forget(forgotten);
  await store.messages.append([say('late', 'slack:1:quiet:x', 5000)]);
  expect((await known()).slice(0, 3)).toEqual(['quiet', 'late', '100']);
  expect(await known()).not.toContain('2000');
  for (const id of ['quiet', 'late', '2050', '100']) expect(await nearest(`${id}?`)).toBe(id);
  await store.close();
});
