import { expect } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import type { StoreCase } from './case.ts';
import { idsIn, open, readAll, shard } from './memory-samples.ts';
import { answer, idsOf, newTurn, question, runningTurn, turnIdsOf, usage } from './samples.ts';

/** Whatever a platform, or someone who crafts one, may call a thing. */
const oddIds: readonly string[] = [
  ...['{', '}', '}:{', '{}', '%', '%7b', '%257b', '%25', 'a b', ' ', '"', "it's", '\\', '`'],
  ...['line\nbreak', '\r\n', 'nul\0', '\0', '*', '[a]?', '(', '-', '+', '0', '-1', '1e400', 'nan'],
  ...[
    's:["verdict","x"]',
    'u:',
    'm:',
    'turn:one',
    'constructor',
    '__proto__',
    'ünï🦉',
    '\u{10ffff}',
  ],
  'long'.repeat(2500),
];

/** A thread of a workspace and a channel of its own. */
function threadOf(id: string): string {
  const name = id.replaceAll(':', '.');
  return `p:${name}:${name}:${id}`;
}

async function use(store: Store, id: string, threadId: string): Promise<void> {
  const turn = {
    ...newTurn(`turn ${id}`, { threadId, eventId: `event ${id}`, askedBy: id }),
    question: question(`turn ${id}`, { id: `question ${id}`, threadId, isPrivate: false }),
  };
  const { attempt } = await runningTurn(store, turn);
  const { turnId } = turn;
  const messages = [answer(turnId, id, { id: `answer ${id}`, threadId, isPrivate: false })];
  const steps = [{ kind: id, key: id, data: { [`in ${id}`]: id } }];
  const calls = [usage(turnId, id, { threadId, user: id })];
  await store.turns.checkpoint({ turnId, threadId, attempt, messages, steps, usage: calls });
  await store.messages.append([
    open(id, { threadId }),
    open(`of a turn ${id}`, { threadId, turnId: `elsewhere ${id}` }),
  ]);
  const sourceIds = [id, `answer ${id}`];
  expect(await store.memories.keepShard(shard('short', { threadId, sourceIds }))).toBe(true);
}

export const oddIdCases: readonly StoreCase[] = [
  {
    name: 'gives back what is there, whatever it is called, and forgets that alone',
    async run(place) {
      const store = await place.open();
      for (const id of oddIds) await use(store, id, threadOf(id));
      for (const id of oddIds) {
        const threadId = threadOf(id);
        const turnId = `turn ${id}`;
        const record = await store.turns.read({ eventId: `event ${id}`, threadId });
        expect(record).toMatchObject({ turnId, threadId, askedBy: id, usage: [{ id, user: id }] });
        expect(record?.steps).toEqual([{ kind: id, key: id, data: { [`in ${id}`]: id } }]);
        const page = await store.messages.page(threadId, { limit: 9 });
        const ids = [`of a turn ${id}`, id, `answer ${id}`, `question ${id}`];
        expect(idsOf(page)).toEqual(ids);
        expect(page[0]?.turnId).toBe(`elsewhere ${id}`);
        for (const reach of ['thread', 'channel', 'workspace'] as const) {
          const read = await readAll(store, reach, { thread: threadId });
          expect(idsIn(read).slice(0, 4).toSorted(), reach).toEqual(ids.toSorted());
          expect(read.shards.map((one) => one.sourceIds)).toEqual([[id, `answer ${id}`]]);
        }
      }
      for (const id of oddIds) {
        const threadId = threadOf(id);
        const forgotten = await store.forget({
          threadId,
          turnIds: [`turn ${id}`],
          messageIds: [id],
        });
        expect(forgotten, id).toEqual({ turns: 1, messages: 3, shards: 1 });
        expect(idsOf(await store.messages.page(threadId, { limit: 9 }))).toEqual([
          `of a turn ${id}`,
        ]);
      }
      expect(turnIdsOf(await store.turns.unfinished(99))).toEqual([]);
    },
  },
  {
    name: 'keeps settings, spending and claims apart, whatever they are called',
    async run(place) {
      const store = await place.open();
      const by = { setBy: 'ada', setAt: 1 };
      const scopes = oddIds.map((id) => `user:p:${id}:${id}`);
      for (const [at, id] of oddIds.entries()) {
        await store.settings.write(scopes[at] ?? '', { [id || 'none']: id }, by);
        await store.spend([scopes[at] ?? ''], at + 0.5);
        expect(await store.claim(id, 1000)).toBe(true);
      }
      const settings = await store.settings.read(scopes);
      expect(settings.map((one) => Object.entries(one))).toEqual(
        oddIds.map((id) => [[id, { value: id, ...by }]]),
      );
      expect(await store.spent(scopes, 0)).toEqual(oddIds.map((_, at) => at + 0.5));
      for (const id of oddIds) expect(await store.claim(id, 1000)).toBe(false);
    },
  },
];
