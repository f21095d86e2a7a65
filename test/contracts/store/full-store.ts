import type { RememberedMessage } from '../../../src/store/memory-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { dayMs, startOfTime } from './case.ts';
import { open, readAll, shard } from './memory-samples.ts';
import {
  answer,
  endedTurn,
  imported,
  newTurn,
  otherThreadId,
  question,
  runningTurn,
  threadId,
  turnKey,
  usage,
} from './samples.ts';

const secretThreadId = 'terminal:home:se{cr}et%:thread';
const threads = [threadId, otherThreadId, secretThreadId, 'terminal:home:other:t', ''];
const scopes = ['channel:1', 'workspace:1', 'rate:terminal:home:ada', 'odd: {scope}'];
const spendScopes = ['user:terminal:home:ada', 'all:terminal:home'];
const turnIds = ['one', 'two', 'three', 'four', 'five', 'secret'];

/** Puts into a store something of everything that there is. */
export async function fill(store: Store): Promise<void> {
  await store.messages.append([
    imported('q', 'human', { createdAt: startOfTime - 5, author: 'Bob' }),
    imported('a', 'ai', { createdAt: startOfTime - 4, sage: 'taleb', platformMessageId: '7' }),
    imported('of elsewhere', 'human', { turnId: 'elsewhere', parentId: 'q', isPrivate: false }),
    imported('adopted', 'human'),
  ]);
  await endedTurn(store, newTurn('one', { askedBy: 'ada' }), ['taleb', 'naval']);
  const { attempt } = await runningTurn(
    store,
    newTurn('two', { question: question('two', { id: 'adopted', isPrivate: false }) }),
  );
  await store.turns.checkpoint({
    turnId: 'two',
    threadId,
    attempt,
    messages: [answer('two', 'taleb'), answer('two', 'naval', { status: 'pending' })],
    steps: [
      { kind: 'seated', key: '', data: { seats: ['taleb', 'naval'], ünï: [null, 0.1] } },
      { kind: 'reviewed', key: 'a ] key', data: {} },
    ],
    usage: [
      usage('two', 'call-1', { sageName: 'taleb', costUsd: 0.1 }),
      usage('two', 'call-2', { createdAt: startOfTime - dayMs, costUsd: 0.2 }),
    ],
  });
  await store.turns.remark(turnKey('one'), {
    kind: 'feedback',
    key: 'ada',
    data: { isGood: true },
  });
  await store.turns.begin(newTurn('three', { createdAt: startOfTime - 1 }));
  // Taken by several, and stopped.
  await runningTurn(store, newTurn('four', { threadId: otherThreadId }));
  await endedTurn(store, newTurn('four', { threadId: otherThreadId }), []);
  await runningTurn(store, newTurn('five', { threadId: '', createdAt: startOfTime + 1 }));
  await remembering(store);
  await store.settings.write('channel:1', { depth: 'quick', sages: [{ key: 'x' }] }, by);
  await store.settings.write('odd: {scope}', { 'a name': false }, by);
  await store.settings.write(
    'rate:terminal:home:ada',
    { soon: 1 },
    { ...by, expiresAt: startOfTime + 5000 },
  );
  const later = startOfTime + 90 * dayMs;
  await endedTurn(store, newTurn('forgotten', { threadId: secretThreadId, askedBy: 'ada' }));
  await store.messages.append([imported('of no use', 'human', { threadId: secretThreadId })]);
  const gone = { threadId: secretThreadId, turnIds: ['forgotten'], messageIds: ['of no use'] };
  await store.forget(gone);
  await store.settings.write('rate:terminal:home:ada', { later: '2' }, { ...by, expiresAt: later });
  await store.claim('sweeping', 60_000);
  await store.claim('for long', 90 * dayMs);
  await store.spend(spendScopes, 0.3);
  await store.spend(['user:terminal:home:ada'], 0.7);
}

const by = { setBy: 'ada', setAt: 1000 } as const;

async function remembering(store: Store): Promise<void> {
  const secret = (id: string) => open(id, { threadId: secretThreadId });
  await store.messages.append([open('s1'), open('s2'), secret('before'), secret('also before')]);
  await store.memories.keepShard(shard('old', { sourceIds: ['s1'], mark: 'incomplete' }));
  await store.memories.keepShard(shard('short', { sourceIds: ['s1', 's2'] }), ['old']);
  await endedTurn(
    store,
    newTurn('secret', {
      threadId: secretThreadId,
      question: question('secret', { threadId: secretThreadId, isPrivate: true }),
    }),
  );
  const made = shard('whispered', {
    threadId: secretThreadId,
    sourceIds: ['before'],
    isPrivate: true,
    agesFrom: startOfTime - 7,
  });
  await store.memories.keepShard(made);
  await store.memories.keepVectors([
    { key: { kind: 'message', threadId, id: 's1' }, vector: vector('p:m 1', [1, -128, 127]) },
    { key: { kind: 'shard', threadId, id: 'short' }, vector: vector('p:m 1', [0, 5]) },
    {
      key: { kind: 'message', threadId: secretThreadId, id: 'before' },
      vector: vector('p:m', [9]),
    },
  ]);
}

function vector(model: string, values: readonly number[]) {
  return { model, dimensions: values.length, values: Int8Array.from(values) };
}

/** What every verb that reads gives, of all that {@link fill} has put there. */
export async function everythingIn(store: Store): Promise<object> {
  const keys = ['s1', 'short', 'before'].flatMap((id) =>
    threads.flatMap((thread) =>
      (['message', 'shard'] as const).map((kind) => ({ kind, threadId: thread, id })),
    ),
  );
  return {
    turns: await Promise.all(turnIds.map((turnId) => store.turns.read(turnKey(turnId)))),
    byEvent: await Promise.all(
      turnIds.map((turnId) =>
        store.turns.read({ eventId: `terminal:home:event-of-${turnId}`, threadId }),
      ),
    ),
    again: await store.turns.begin({ ...newTurn('again'), eventId: newTurn('forgotten').eventId }),
    unfinished: await store.turns.unfinished(100),
    threads: await Promise.all(threads.map((thread) => ofThread(store, thread))),
    settings: await store.settings.read(scopes),
    spent: [
      await store.spent(spendScopes, startOfTime),
      await store.spent(spendScopes, startOfTime - dayMs),
    ],
    places: await Promise.all(
      ['terminal:home', 'terminal:home:se{cr}et%'].map((place) =>
        store.messages.threads(place, { limit: 100 }),
      ),
    ),
    vectors: await Promise.all(
      keys.flatMap((key) => ['p:m 1', 'p:m'].map((model) => store.memories.vectors(model, [key]))),
    ),
    // What is claimed can't be read, only tried.
    claims: [await store.claim('sweeping', 1), await store.claim('for long', 1)],
  };
}

async function ofThread(store: Store, thread: string): Promise<object> {
  const memories = await Promise.all(
    (['thread', 'channel', 'workspace'] as const).map(async (reach) => {
      const { messages, shards } = await readAll(store, reach, { thread });
      return { reach, messages: placedInThread(messages), shards };
    }),
  );
  return {
    thread,
    list: await store.turns.list(thread, { limit: 100 }),
    page: await store.messages.page(thread, { limit: 500 }),
    recent: await store.messages.recent(thread, { limit: 50 }),
    memories,
  };
}

/** With positions that count within a thread and a moment: they tell those apart, and nothing else. */
function placedInThread(messages: readonly RememberedMessage[]): readonly RememberedMessage[] {
  return messages.map((one) => {
    const { threadId: thread, createdAt } = one.message;
    const before = messages.filter(
      ({ message, position }) =>
        message.threadId === thread && message.createdAt === createdAt && position < one.position,
    );
    return { ...one, position: before.length };
  });
}
