import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeptQuestions } from '../../src/bot/asking/kept-questions.ts';
import type { ForgetSubject } from '../../src/memory/forgetting/forget.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { handClock, startOfTime } from '../contracts/store/case.ts';
import { imported } from '../contracts/store/samples.ts';
import type { StorePlace } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { redisPlace } from '../store/redis-place.ts';
import { sqlitePlace } from '../store/sqlite-place.ts';
import { Death, immortal, mortal } from './death.ts';
import { askedTurn, forget, forgetting } from './forgetting.ts';
import { liveShards, pace, sharding } from './sharding.ts';

const { signal } = new AbortController();
const here = 'test:w:c:1';
const beside = 'test:w:c:2';
const other = 'test:w:d:1';
const away = 'test:w2:c:1';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.remove());

const places: Readonly<Record<string, () => Promise<StorePlace>>> = {
  SQLite: sqlitePlace,
  Redis: () => redisPlace(server),
};

/** Two people in two threads of a channel, in another channel, and in another workspace. */
async function fill(store: Store): Promise<void> {
  const said = [
    ...[['uma 1', here, 'uma'] as const, ['ben 2', here, 'ben'] as const],
    ...[['uma 3', here, 'uma'] as const, ['uma 4', beside, 'uma'] as const],
    ...[['uma 5', other, 'uma'] as const, ['ben 6', other, 'ben'] as const],
    ...[['uma 7', away, 'uma'] as const],
  ];
  for (const [turnId, threadId, personId] of said) {
    const createdAt = startOfTime + Number(turnId.at(-1));
    await askedTurn(store, turnId, { threadId, personId, createdAt, text: `Said in ${turnId}.` });
  }
  await store.messages.append([
    ...[imported('q', 'human', { threadId: here }), imported('a', 'ai', { threadId: here })],
  ]);
  const by = { setBy: 'ada', setAt: 1 };
  await store.settings.write('channel:test:w:c', { depth: 'quick' }, by);
  await store.settings.write('channel:test:w2:c', { depth: 'quick' }, by);
  await store.settings.write('workspace:test:w', { depth: 'deep' }, by);
  // Of a channel where nobody has asked.
  await store.settings.write('channel:test:w:silent', { 'sage:x': { name: 'X' } }, by);
  await store.settings.write('channels:workspace:test:w', { 'channel:test:w:silent': true }, by);
  await store.settings.write('drafts:test:w:c', { uma: 'a draft', ben: 'another' }, by);
}

/** What is left, by turn id, and of which scopes. */
async function left(store: Store) {
  const threads = [here, beside, other, away];
  const pages = await Promise.all(threads.map((one) => store.messages.page(one, { limit: 500 })));
  const scopes = [
    ...['channel:test:w:c', 'channel:test:w2:c', 'channel:test:w:silent', 'workspace:test:w'],
    ...['drafts:test:w:c', 'recent:test:w:uma', 'recent:test:w:ben', 'recent:test:w2:uma'],
  ];
  const settings = await store.settings.read(scopes);
  return {
    said: [...new Set(pages.flat().map(({ id, turnId }) => turnId ?? id))].toSorted(),
    settings: scopes.filter((_, at) => Object.keys(settings[at] ?? {}).length > 0),
    recent: Object.keys(settings[5] ?? {}).toSorted(),
    drafts: Object.keys(settings[4] ?? {}).toSorted(),
    due: await store.settings.read(['forgetting:due']),
  };
}

const everything = ['a', 'ben 2', 'ben 6', 'q', 'uma 1', 'uma 3', 'uma 4', 'uma 5', 'uma 7'];
const without = (...gone: readonly string[]) => everything.filter((id) => !gone.includes(id));

const subjects: readonly {
  readonly subject: ForgetSubject;
  readonly gone: readonly string[];
  readonly questions: number;
  readonly answers: number;
}[] = [
  {
    subject: { kind: 'turn', threadId: here, turnId: 'uma 1' },
    ...{ gone: ['uma 1'], questions: 1, answers: 2 },
  },
  {
    subject: { kind: 'message', threadId: here, messageId: 'ben 2:taleb' },
    ...{ gone: ['ben 2'], questions: 1, answers: 2 },
  },
  {
    subject: { kind: 'message', threadId: here, messageId: 'a' },
    ...{ gone: ['a'], questions: 0, answers: 1 },
  },
  {
    subject: { kind: 'message', threadId: here, messageId: 'q' },
    ...{ gone: ['q', 'a'], questions: 1, answers: 1 },
  },
  {
    subject: { kind: 'person', workspace: 'test:w', personId: 'uma' },
    ...{ gone: ['uma 1', 'uma 3', 'uma 4', 'uma 5'], questions: 4, answers: 8 },
  },
  {
    subject: { kind: 'thread', threadId: here },
    ...{ gone: ['uma 1', 'ben 2', 'uma 3', 'q', 'a'], questions: 4, answers: 7 },
  },
  {
    subject: { kind: 'channel', channel: 'test:w:c' },
    ...{ gone: ['uma 1', 'ben 2', 'uma 3', 'uma 4', 'q', 'a'], questions: 5, answers: 9 },
  },
  {
    subject: { kind: 'workspace', workspace: 'test:w' },
    ...{ gone: everything.filter((id) => id !== 'uma 7'), questions: 7, answers: 13 },
  },
];

describe.each(Object.entries(places))('forgetting over %s', (_, open) => {
  async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
    const place = await open();
    try {
      await work(await place.open());
    } finally {
      await place.remove();
    }
  }

  test.each(subjects)('forgets $subject, and nothing else', ({ subject, gone, ...counts }) =>
    withStore(async (store) => {
      await fill(store);
      const preview = await forgetting(store).preview(subject);
      expect(preview).toMatchObject({ ...counts, heardIn: 0, isPart: false });
      expect((await left(store)).said).toEqual(everything);
      const report = await forget(store, subject);
      expect(report.messages).toBe(counts.questions + counts.answers);
      const after = await left(store);
      expect(after.said).toEqual(without(...gone));
      expect(after.due).toEqual([{}]);
      const recent = ['uma 1', 'uma 3', 'uma 4', 'uma 5'].filter((id) => !gone.includes(id));
      expect(after.recent).toEqual(recent);
      expect(await forgetting(store).preview(subject)).toEqual({
        ...{ questions: 0, answers: 0, summaries: 0, threads: 0, heardIn: 0, isPart: false },
      });
    }),
  );

  test('leaves what a channel is set to when all that was said there goes', () =>
    withStore(async (store) => {
      await fill(store);
      const before = (await left(store)).settings;
      await forget(store, { kind: 'channel', channel: 'test:w:c' });
      expect((await left(store)).settings).toEqual(before);
    }));

  test('takes along what its channels are set to when a whole workspace goes', () =>
    withStore(async (store) => {
      await fill(store);
      await forget(store, { kind: 'workspace', workspace: 'test:w' });
      const after = (await left(store)).settings;
      expect(after).toEqual(['channel:test:w2:c', 'recent:test:w2:uma']);
    }));

  test("takes a person's drafts along, and nobody else's", () =>
    withStore(async (store) => {
      await fill(store);
      const subject = { kind: 'person', workspace: 'test:w', personId: 'uma' } as const;
      await forget(store, subject);
      expect((await left(store)).drafts).toEqual(['ben']);
    }));

  test('keeps of a shard what it was made of else, and a new one is made of that', () =>
    withStore(async (store) => {
      let now = startOfTime;
      const { work, runAll } = sharding(store, { now: () => now });
      for (const [at, personId] of ['uma', 'ben', 'uma'].entries()) {
        const turn = { turnId: `${personId} ${at}`, threadId: here };
        await work.begun(turn);
        const text = `Said by ${personId}, ${at}.`;
        const createdAt = startOfTime + at;
        await askedTurn(store, turn.turnId, { threadId: here, personId, text, createdAt });
      }
      now += pace.everyMs;
      await runAll();
      const before = await liveShards(store, here);
      expect(before.some(({ text }) => text.includes('uma') && text.includes('ben'))).toBe(true);
      const subject = { kind: 'person', workspace: 'test:w', personId: 'uma' } as const;
      expect((await forget(store, subject)).shards).toBe(before.length);
      expect(await liveShards(store, here)).toEqual([]);
      now += pace.everyMs;
      await runAll();
      const after = await liveShards(store, here);
      expect(after.flatMap(({ sourceIds }) => sourceIds).toSorted()).toEqual(
        ['question', 'seneca', 'taleb'].map((id) => `ben 1:${id}`),
      );
      expect(JSON.stringify(after)).not.toContain('uma');
    }));

  test('forgets what a shard was made of with it', () =>
    withStore(async (store) => {
      await fill(store);
      const shard = { id: 'short', threadId: here, text: 'In short.', isPrivate: false };
      const sourceIds = ['uma 1:question', 'ben 2:taleb', 'q'];
      const made = { ...shard, sourceIds, createdAt: startOfTime, agesFrom: startOfTime };
      await store.memories.keepShard(made);
      const subject = { kind: 'shard', threadId: here, shardId: 'short' } as const;
      expect(await forgetting(store).preview(subject)).toMatchObject({
        ...{ questions: 3, answers: 5, summaries: 1 },
      });
      const report = await forget(store, subject);
      expect(report).toEqual({ turns: 2, messages: 8, shards: 1, threads: 1 });
      expect((await left(store)).said).toEqual(without('uma 1', 'ben 2', 'q', 'a'));
    }));

  test('finds what a person asked where no header says who it was', () =>
    withStore(async (store) => {
      await fill(store);
      const { turns } = store;
      const older: Store = {
        ...store,
        turns: {
          ...turns,
          list: async (...asked) =>
            (await turns.list(...asked)).map(({ askedBy: _asker, ...header }) => header),
        },
      };
      const subject = { kind: 'person', workspace: 'test:w', personId: 'ben' } as const;
      expect(await forget(older, subject)).toMatchObject({ turns: 2 });
    }));

  test('lets go of questions that were taken and whose thread is not open yet', () =>
    withStore(async (store) => {
      const kept = new KeptQuestions({ store, now: () => startOfTime, abandonedAfterMs: 1 });
      for (const id of ['uma', 'ben']) {
        await kept.keep({
          ...{ threadId: here, turnId: `kept by ${id}`, eventId: id, question: `Why, ${id}?` },
          ...{ author: { id, name: id }, askedAt: startOfTime },
        });
      }
      const subject = { kind: 'person', workspace: 'test:w', personId: 'uma' } as const;
      await forget(store, subject);
      expect((await kept.abandoned('test')).map(({ author }) => author.id)).toEqual(['ben']);
    }));

  test('takes the answers of what was imported along with its question, and no others', () =>
    withStore(async (store) => {
      const asked = (id: string, by: string, turnId?: string) => ({
        ...imported(id, 'human', { threadId: here }),
        ...(turnId !== undefined && { turnId }),
        content: { type: 'user_query', text: id, askedBy: by },
      });
      const said = (id: string, turnId?: string) => ({
        ...imported(id, 'ai', { threadId: here }),
        ...(turnId !== undefined && { turnId }),
      });
      await store.messages.append(
        [
          ...[asked('first', 'uma'), said('first 1'), said('first 2'), asked('second', 'ben')],
          ...[said('second 1'), asked('third', 'uma', 'gone'), said('fourth 1', 'other')],
          ...[said('third 1', 'gone'), said('second 2')],
        ].map((message, at) => ({ ...message, createdAt: startOfTime + at })),
      );
      const ids = async () =>
        (await store.messages.page(here, { limit: 9 })).map(({ id }) => id).toSorted();
      await forget(store, { kind: 'message', threadId: here, messageId: 'first' });
      expect(await ids()).toEqual([
        'fourth 1',
        'second',
        'second 1',
        'second 2',
        'third',
        'third 1',
      ]);
      await forget(store, { kind: 'person', workspace: 'test:w', personId: 'uma' });
      expect(await ids()).toEqual(['fourth 1', 'second', 'second 1', 'second 2']);
    }));

  test('keeps one note for all that was forgotten, however much it was', () =>
    withStore(async (store) => {
      await fill(store);
      const process = forgetting(store);
      for (const turnId of ['uma 1', 'ben 2', 'uma 3']) {
        await process.forget({ kind: 'turn', threadId: here, turnId }, signal);
      }
      const [kept = {}] = await store.settings.read(['forgetting:due']);
      expect(Object.keys(kept)).toHaveLength(1);
    }));

  test('clears the file once for all that was forgotten, and not again at once', () =>
    withStore(async (store) => {
      await fill(store);
      const clock = handClock();
      let scrubs = 0;
      const slow: Store = {
        ...store,
        scrub: async () => {
          scrubs += 1;
          clock.advance(1000);
          await store.scrub();
        },
      };
      const process = forgetting(slow, { now: clock.now });
      const turn = (turnId: string) => ({ kind: 'turn', threadId: here, turnId }) as const;
      for (const turnId of ['uma 1', 'ben 2']) await process.forget(turn(turnId), signal);
      expect(scrubs).toBe(0);
      await process.resume(signal);
      expect(scrubs).toBe(1);
      await process.forget(turn('uma 3'), signal);
      await process.resume(signal);
      expect(scrubs).toBe(1);
      clock.advance(20_000);
      await process.resume(signal);
      await process.resume(signal);
      expect(scrubs).toBe(2);
      expect((await left(store)).due).toEqual([{}]);
      // A shutdown does not wait.
      await process.forget(turn('uma 1'), signal);
      await process.scrub(signal);
      expect(scrubs).toBe(3);
    }));

  test('clears the file after the next start when the process is to end meanwhile', () =>
    withStore(async (store) => {
      await fill(store);
      const begun = Promise.withResolvers<void>();
      const endless: Store = {
        ...store,
        scrub: () => {
          begun.resolve();
          return new Promise(() => undefined);
        },
      };
      const process = forgetting(endless);
      await process.forget({ kind: 'turn', threadId: here, turnId: 'uma 1' }, signal);
      const shutdown = new AbortController();
      const resumed = process.resume(shutdown.signal);
      await begun.promise;
      shutdown.abort(new Error('Shutting down.'));
      await expect(resumed).rejects.toThrow('Shutting down.');
      await expect(process.scrub(shutdown.signal)).rejects.toThrow('Shutting down.');
      expect(Object.values((await left(store)).due[0] ?? {})).toHaveLength(1);
      await forgetting(store).resume(signal);
      expect((await left(store)).due).toEqual([{}]);
    }));

  test('tries again a while after the file could not be cleared', () =>
    withStore(async (store) => {
      await fill(store);
      const clock = handClock();
      let scrubs = 0;
      const cramped: Store = {
        ...store,
        scrub: async () => {
          scrubs += 1;
          if (scrubs === 1) throw new StoreError('No room.', { reason: 'full' });
          await store.scrub();
        },
      };
      const process = forgetting(cramped, { now: clock.now });
      await process.forget({ kind: 'turn', threadId: here, turnId: 'uma 1' }, signal);
      await expect(process.resume(signal)).rejects.toThrow('No room.');
      await process.resume(signal);
      expect(scrubs).toBe(1);
      clock.advance(600_000);
      await process.resume(signal);
      expect(scrubs).toBe(2);
      expect((await left(store)).due).toEqual([{}]);
    }));

  test('tells of everything that could not be forgotten, and clears the file of the rest', () =>
    withStore(async (store) => {
      await fill(store);
      const causes = ['test:one is away', 'test:two is away'];
      const process = forgetting(store, {
        membership: async (workspace) => {
          throw new Error(`${workspace} is away`);
        },
      });
      await process.forget({ kind: 'turn', threadId: here, turnId: 'uma 1' }, signal);
      for (const workspace of ['test:one', 'test:two']) {
        await process.forgetLater(workspace, startOfTime);
      }
      const failure = await process.resume(signal).catch((error: unknown) => error);
      if (!(failure instanceof AggregateError)) throw new Error(`It threw ${failure}.`);
      expect(failure.errors.map(({ message }) => message).toSorted()).toEqual(causes);
      for (const cause of causes) expect(failure.message).toContain(cause);
      const [due] = (await left(store)).due;
      expect(Object.keys(due ?? {}).toSorted()).toEqual([
        ...['departure:test:one', 'departure:test:two'],
      ]);
    }));

  test('goes on after the death of a process, whatever step it dies at', async () => {
    const subject = { kind: 'person', workspace: 'test:w', personId: 'uma' } as const;
    const rest = without('uma 1', 'uma 3', 'uma 4', 'uma 5');
    const run = (death: Death) =>
      withStore(async (store) => {
        await fill(store);
        await forget(mortal(store, death), subject).catch((error: unknown) => {
          if (!death.isDead) throw error;
        });
        const [due] = (await left(store)).due;
        const isNoted = Object.keys(due ?? {}).length === 1;
        const { said } = await left(store);
        // Nothing has gone in part that nobody would go on with.
        if (!isNoted) expect([everything, rest]).toContainEqual(said);
        await forgetting(store).resume(signal);
        const after = await left(store);
        expect(after.said).toEqual(isNoted ? rest : said);
        expect(after.due).toEqual([{}]);
        if (after.said.length === everything.length) return;
        expect(after.recent).toEqual([]);
        const [shardsDue = {}] = await store.settings.read(['shards:due']);
        const noted = Object.keys(shardsDue).toSorted();
        expect(noted).toEqual([here, beside, other].map((threadId) => `forgotten:${threadId}`));
      });
    const whole = immortal();
    await run(whole);
    expect(whole.steps).toBeGreaterThan(20);
    for (let at = 1; at <= whole.steps; at += 1) {
      for (const when of ['before', 'after'] as const) await run(new Death(at, when));
    }
  });
});
