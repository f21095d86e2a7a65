import { describe, expect, test } from 'vitest';
import { KeptQuestions } from '../../src/bot/asking/kept-questions.ts';
import type { ForgetSubject } from '../../src/memory/forgetting/notes.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { imported } from '../contracts/store/samples.ts';
import { turnsBetween } from '../turns-between.ts';
import { askedTurn, forget, forgetting } from './forgetting.ts';
import { beside, everything, fill, here, left, overEach, without } from './forgetting-world.ts';
import { liveShards, pace, sharding } from './sharding.ts';

const subjects: readonly {
  readonly subject: ForgetSubject;
  readonly gone: readonly string[];
  readonly questions: number;
  readonly answers: number;
}[] = [
  {
    subject: { kind: 'turn', threadId: here, turnId: 'uma 1' },
    gone: ['uma 1'],
    questions: 1,
    answers: 2,
  },
  {
    subject: { kind: 'message', threadId: here, messageId: 'ben 2:taleb' },
    gone: ['ben 2'],
    questions: 1,
    answers: 2,
  },
  {
    subject: { kind: 'message', threadId: here, messageId: 'a' },
    gone: ['a'],
    questions: 0,
    answers: 1,
  },
  {
    subject: { kind: 'message', threadId: here, messageId: 'q' },
    gone: ['q', 'a'],
    questions: 1,
    answers: 1,
  },
  {
    subject: { kind: 'person', workspace: 'test:w', personId: 'uma' },
    gone: ['uma 1', 'uma 3', 'uma 4', 'uma 5'],
    questions: 4,
    answers: 8,
  },
  {
    subject: { kind: 'thread', threadId: here },
    gone: ['uma 1', 'ben 2', 'uma 3', 'q', 'a'],
    questions: 4,
    answers: 7,
  },
  {
    subject: { kind: 'channel', channel: 'test:w:c' },
    gone: ['uma 1', 'ben 2', 'uma 3', 'uma 4', 'q', 'a'],
    questions: 5,
    answers: 9,
  },
  {
    subject: { kind: 'workspace', workspace: 'test:w' },
    gone: everything.filter((id) => id !== 'uma 7'),
    questions: 7,
    answers: 13,
  },
];

describe.each(overEach())('forgetting over %s', (_, withStore) => {
  test.each(subjects)('forgets $subject, and nothing else', ({ subject, gone, ...counts }) =>
    withStore(async (store) => {
      await fill(store);
      const preview = await forgetting(store).preview(subject);
      expect(preview).toMatchObject({ ...counts, heardIn: 0 });
      expect((await left(store)).said).toEqual(everything);
      const report = await forget(store, subject);
      expect(report.messages).toBe(counts.questions + counts.answers);
      const after = await left(store);
      expect(after.said).toEqual(without(...gone));
      expect(after.due).toEqual([{}]);
      const recent = ['uma 1', 'uma 3', 'uma 4', 'uma 5'].filter((id) => !gone.includes(id));
      expect(after.recent).toEqual(recent);
      expect(await forgetting(store).preview(subject)).toEqual({
        questions: 0,
        answers: 0,
        summaries: 0,
        threads: 0,
        heardIn: 0,
      });
    }),
  );

  test('forgets a thread with more questions and messages of one moment than a page holds', () =>
    withStore(async (store) => {
      const asked = { threadId: beside, personId: 'uma', text: 'At once.' };
      for (let turn = 0; turn < 130; turn += 1) await askedTurn(store, `uma ${turn}`, asked);
      const ids = Array.from({ length: 2100 }, (_, at) => `m${at}`);
      await store.messages.append(ids.map((id) => imported(id, 'human', { threadId: beside })));
      const subject = { kind: 'thread', threadId: beside } as const;
      const preview = await forgetting(store).preview(subject);
      expect(preview).toMatchObject({ questions: 2230, answers: 260 });
      expect(await forget(store, subject)).toMatchObject({ turns: 130, messages: 2490 });
      expect(await store.messages.page(beside, { limit: 1 })).toEqual([]);
    }));

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

  test('takes along which of its channels have another id now when a whole workspace goes', () =>
    withStore(async (store) => {
      await fill(store);
      const scopes = ['channel-ids:test:w', 'channel-ids:test:w2'];
      const by = { setBy: 'bot', setAt: 1 };
      for (const scope of scopes) await store.settings.write(scope, { C2: 'C1' }, by);
      await forget(store, { kind: 'workspace', workspace: 'test:w' });
      const [gone = {}, kept = {}] = await store.settings.read(scopes);
      expect([Object.keys(gone), Object.keys(kept)]).toEqual([[], ['C2']]);
    }));

  test("takes a person's drafts along, and no one else's", () =>
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
        questions: 3,
        answers: 5,
        summaries: 1,
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
          threadId: here,
          turnId: `kept by ${id}`,
          eventId: id,
          question: `Why, ${id}?`,
          author: { id, name: id },
          askedAt: startOfTime,
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
});

test('others are served while a person’s questions are looked for in many short threads', async () => {
  const store = openSqliteStore({ path: ':memory:', now: () => startOfTime });
  for (let at = 0; at < 40; at += 1) {
    await askedTurn(store, `turn ${at}`, {
      threadId: `test:w:c:${at}`,
      personId: 'ben',
      text: 'Why?',
    });
  }
  const uma = { kind: 'person', workspace: 'test:w', personId: 'uma' } as const;
  expect(await turnsBetween(() => forgetting(store).preview(uma))).toBeGreaterThanOrEqual(40);
  await store.close();
});
