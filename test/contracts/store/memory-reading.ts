import { expect } from 'vitest';
import { mostRemembered } from '../../../src/store/store.ts';
import { dayMs, handClock, type StoreCase, startOfTime } from './case.ts';
import { idsIn, open, readAll, shard } from './memory-samples.ts';
import { answer, endedTurn, imported, newTurn, runningTurn, threadId } from './samples.ts';

export const memoryReadingCases: readonly StoreCase[] = [
  {
    name: 'remembers what is complete, in the order in which it was completed',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const pending = answer('one', 'taleb', { status: 'pending' });
      const write = (message: typeof pending) =>
        store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages: [message] });
      await write(pending);
      await store.messages.append([imported('later', 'ai')]);
      const before = await readAll(store, 'thread');
      expect(before.isAnew).toBe(true);
      expect(idsIn(before)).toEqual(['question-of-one', 'later']);
      const said = { type: 'sage_output', answer: 'Wait.', summary: 'Wait.' };
      await write(answer('one', 'taleb', { content: said }));
      const { version: since } = before;
      const after = await readAll(store, 'thread', { since });
      expect(after.isAnew).toBe(false);
      expect(after.messages).toMatchObject([
        { message: answer('one', 'taleb', { content: said }), agesFrom: startOfTime },
      ]);
      const [one, two, three] = (await readAll(store, 'thread')).messages.toSorted(
        (left, right) => left.position - right.position,
      );
      // They are of one moment: the answer was begun before the other was stored.
      expect([one, two, three].map((placed) => placed?.message.id)).toEqual([
        ...['question-of-one', 'taleb-in-one', 'later'],
      ]);
      expect(idsIn(await readAll(store))).toEqual(['question-of-one', 'later', 'taleb-in-one']);
    },
  },
  {
    name: 'gives what has changed once more, and nothing where nothing has',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const write = (text: string) => {
        const messages = [answer('one', 'taleb', { content: { text } })];
        return store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages });
      };
      await write('first');
      const { version: since } = await readAll(store);
      expect(idsIn(await readAll(store, 'channel', { since }))).toEqual([]);
      await write('second');
      const [changed] = (await readAll(store, 'channel', { since })).messages;
      expect(changed?.message.content).toEqual({ text: 'second' });
      expect(idsIn(await readAll(store))).toEqual(['question-of-one', 'taleb-in-one']);
    },
  },
  {
    name: 'gives a question with the verdict of its turn, until it is forgotten',
    async run(place) {
      const store = await place.open();
      const turn = newTurn('one');
      const { attempt, messages } = await runningTurn(store, turn);
      await store.turns.checkpoint({ ...turn, attempt, messages: [answer('one', 'taleb')] });
      const { version: since } = await readAll(store);
      const data = { kind: 'synthesis', verdict: 'Wait “a year”.' };
      const steps = [{ kind: 'verdict', key: '', data }];
      await store.turns.checkpoint({ ...turn, attempt, messages, steps });
      const changed = (await readAll(store, 'channel', { since })).messages;
      expect(changed).toEqual([expect.objectContaining({ message: turn.question, verdict: data })]);
      const all = (await readAll(store)).messages.map(({ message, verdict }) => ({
        id: message.id,
        verdict,
      }));
      expect(all).toEqual([
        { id: 'taleb-in-one', verdict: undefined },
        { id: 'question-of-one', verdict: data },
      ]);
      await store.forget({ threadId, turnIds: ['one'], messageIds: [] });
      expect((await readAll(store)).messages).toEqual([]);
    },
  },
  {
    name: 'reaches as far as the thread, the channel or the workspace',
    async run(place) {
      const store = await place.open();
      const threads = ['p:w:c:t', 'p:w:c:u', 'p:w:d:t', 'p:v:c:t', 'q:w:c:t', 'alone', 'p:w:c:t:x'];
      for (const thread of threads) {
        await store.messages.append([open(`in ${thread}`, { threadId: thread })]);
      }
      const reach = async (far: 'thread' | 'channel' | 'workspace', thread: string) =>
        idsIn(await readAll(store, far, { thread })).map((id) => id.slice(3));
      expect(await reach('thread', 'p:w:c:t')).toEqual(['p:w:c:t']);
      expect(await reach('channel', 'p:w:c:t')).toEqual(['p:w:c:t', 'p:w:c:u', 'p:w:c:t:x']);
      expect(await reach('workspace', 'p:w:c:new')).toEqual([
        ...['p:w:c:t', 'p:w:c:u', 'p:w:d:t', 'p:w:c:t:x'],
      ]);
      expect(await reach('workspace', 'alone')).toEqual(['alone']);
      expect(await reach('workspace', 'p:x:c:t')).toEqual([]);
    },
  },
  {
    name: 'keeps in its channel what is private, and what no one knows about',
    async run(place) {
      const store = await place.open();
      await store.messages.append([
        open('open', { threadId: 'p:w:open:t' }),
        open('secret', { threadId: 'p:w:secret:t', isPrivate: true }),
        imported('unknown', 'human', { threadId: 'p:w:unknown:t' }),
      ]);
      await endedTurn(store, newTurn('turn', { threadId: 'p:w:turn:t' }));
      const seen = async (channel: string) =>
        idsIn(await readAll(store, 'workspace', { thread: `p:w:${channel}:new` }));
      expect(await seen('elsewhere')).toEqual(['open']);
      expect(await seen('secret')).toEqual(['open', 'secret']);
      expect(await seen('unknown')).toEqual(['open', 'unknown']);
      expect(await seen('turn')).toEqual(['open', 'question-of-turn', 'taleb-in-turn']);
    },
  },
  {
    name: 'hides from the workspace what was said in a channel before it became private',
    async run(place) {
      const store = await place.open();
      const channel = 'p:w:c:t';
      await store.messages.append([
        open('before', { threadId: channel }),
        open('elsewhere', { threadId: 'p:w:d:t' }),
      ]);
      const thread = 'p:w:d:t';
      const { version: since } = await readAll(store, 'workspace', { thread });
      await store.messages.append([open('hidden', { threadId: channel, isPrivate: true })]);
      const after = await readAll(store, 'workspace', { thread, since });
      expect(after.isAnew).toBe(true);
      expect(idsIn(after)).toEqual(['elsewhere']);
      // An answer to what was asked while it was open.
      await store.messages.append([open('after', { threadId: channel })]);
      expect(idsIn(await readAll(store, 'workspace', { thread }))).toEqual(['elsewhere', 'after']);
      expect(idsIn(await readAll(store, 'channel', { thread: channel }))).toEqual([
        ...['before', 'hidden', 'after'],
      ]);
    },
  },
  {
    name: 'hides it, too, when more was said there since than is remembered of a channel',
    async run(place) {
      const store = await place.open();
      const channel = 'p:w:c:t';
      const since = Array.from({ length: mostRemembered }, (_, at) =>
        imported(`since-${at}`, 'human', { threadId: channel }),
      );
      await store.messages.append([open('before', { threadId: channel }), ...since]);
      const thread = 'p:w:d:t';
      expect(idsIn(await readAll(store, 'workspace', { thread }))).toEqual(['before']);
      await store.messages.append([open('hidden', { threadId: channel, isPrivate: true })]);
      expect(idsIn(await readAll(store, 'workspace', { thread }))).toEqual([]);
    },
  },
  {
    name: 'keeps private the answer to a question from before its channel became private',
    async run(place) {
      const store = await place.open();
      const turn = newTurn('one', { threadId: 'p:w:c:t' });
      const question = { ...turn.question, isPrivate: false };
      const { attempt } = await runningTurn(store, { ...turn, question });
      await store.messages.append([open('x', { threadId: 'p:w:c:u', isPrivate: true })]);
      const messages = [answer('one', 'taleb', { threadId: turn.threadId, isPrivate: false })];
      await store.turns.checkpoint({ ...turn, attempt, messages });
      expect(idsIn(await readAll(store, 'workspace', { thread: 'p:w:d:t' }))).toEqual([]);
      const [asked] = (await store.turns.read(turn))?.messages ?? [];
      expect(asked?.isPrivate).toBe(false);
    },
  },
  {
    name: 'leaves a channel private when what was open there before is brought in later',
    async run(place) {
      const store = await place.open();
      const channel = 'p:w:c:t';
      const inIt = { threadId: channel, createdAt: startOfTime + 5 };
      await store.messages.append([
        open('hidden', { ...inIt, isPrivate: true, createdAt: startOfTime + 9 }),
        open('earlier', inIt),
      ]);
      const asked = newTurn('one', inIt);
      await store.turns.begin({ ...asked, question: { ...asked.question, isPrivate: false } });
      const seen = async () => idsIn(await readAll(store, 'workspace', { thread: 'p:w:d:t' }));
      expect(await seen()).toEqual([]);
      await store.messages.append([open('later', { ...inIt, createdAt: startOfTime + 9 })]);
      expect(await seen()).toEqual(['later']);
    },
  },
  {
    name: 'gives as many as are wanted at once, and the rest after',
    async run(place) {
      const store = await place.open();
      await store.messages.append(['a', 'b', 'c'].map((id) => open(id)));
      const scope = { threadId, reach: 'workspace' } as const;
      const first = await store.memories.read(scope, { limit: 2 });
      expect([idsIn(first), first.hasMore]).toEqual([['a', 'b'], true]);
      const second = await store.memories.read(scope, { since: first.version, limit: 2 });
      expect([idsIn(second), second.hasMore, second.isAnew]).toEqual([['c'], false, false]);
    },
  },
  {
    name: 'starts anew for a version that it did not give',
    async run(place) {
      const store = await place.open();
      await store.messages.append([open('a')]);
      for (const since of ['', 'nonsense', 'other 7 7']) {
        const read = await readAll(store, 'channel', { since });
        expect([idsIn(read), read.isAnew], since).toEqual([['a'], true]);
      }
    },
  },
  {
    name: 'remembers the newest of a scope, as many as are remembered',
    async run(place) {
      const store = await place.open();
      const ids = Array.from({ length: mostRemembered + 3 }, (_, index) => `${index}`);
      for (let at = 0; at < ids.length; at += 500) {
        await store.messages.append(ids.slice(at, at + 500).map((id) => open(id)));
      }
      for (const reach of ['thread', 'channel', 'workspace'] as const) {
        expect(idsIn(await readAll(store, reach)), reach).toEqual(ids.slice(3));
      }
    },
  },
  {
    name: 'remembers as many shards, however many they have superseded',
    async run(place) {
      const store = await place.open();
      const ids = Array.from({ length: 0.6 * mostRemembered }, (_, index) => `${index}`);
      const inPortions = async (work: (some: readonly string[]) => Promise<unknown>) => {
        for (let at = 0; at < ids.length; at += 400) await work(ids.slice(at, at + 400));
      };
      await inPortions((some) => store.messages.append(some.map((id) => open(id))));
      for (const version of ['first', 'second']) {
        await inPortions((some) =>
          Promise.all(
            some.map((id) => {
              const changes = { sourceIds: [id], isPrivate: false };
              return store.memories.keepShard(shard(`${version} ${id}`, changes));
            }),
          ),
        );
      }
      for (const reach of ['thread', 'channel', 'workspace'] as const) {
        const { shards } = await readAll(store, reach);
        const live = shards.filter(({ supersededAt }) => supersededAt === undefined);
        expect(live.length, reach).toBe(ids.length);
      }
    },
  },
  {
    name: 'hides what has expired from what is remembered, and tells since when it is kept',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays: 2 });
      await store.messages.append([open('old')]);
      const turn = newTurn('one');
      const { attempt } = await runningTurn(store, turn);
      // It ages from its turn's time.
      const messages = [answer('one', 'taleb', { createdAt: startOfTime + 2 * dayMs })];
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages });
      await store.messages.append([open('new', { createdAt: startOfTime + 2 * dayMs })]);
      const { version: since } = await readAll(store);
      clock.advance(2 * dayMs + 1);
      expect(idsIn(await readAll(store))).toEqual(['new']);
      const { keptSince, isAnew } = await readAll(store, 'channel', { since });
      expect([keptSince, isAnew]).toEqual([startOfTime + 1, false]);
      while ((await store.sweep(100)) > 0);
      expect(idsIn(await readAll(store))).toEqual(['new']);
    },
  },
];
