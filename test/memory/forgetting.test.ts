import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, Shard, Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { readAll } from '../contracts/store/memory-samples.ts';
import { answer, imported, newTurn, question } from '../contracts/store/samples.ts';
import { storeFixtures } from '../store/store-fixtures.ts';

const threads = ['p:w:c:1', 'p:w:c:2', 'p:w:d:1', 'p:w2:c:1'] as const;
const reaches = ['thread', 'channel', 'workspace'] as const;

/** By turns: what is said in a thread, and what is made of what was said there so far. */
type Step =
  | {
      readonly kind: 'turn';
      readonly thread: number;
      readonly sages: number;
      readonly hasEnded: boolean;
    }
  | { readonly kind: 'import'; readonly thread: number; readonly role: Message['role'] }
  | {
      readonly kind: 'shard';
      readonly thread: number;
      readonly picks: readonly number[];
      readonly supersedes: readonly number[];
    };

const thread = fc.nat(threads.length - 1);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('turn'),
      thread,
      sages: fc.nat(2),
      hasEnded: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('import'),
      thread,
      role: fc.constantFrom('human' as const, 'ai' as const),
    }),
    fc.record({
      kind: fc.constant('shard'),
      thread,
      picks: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
      supersedes: fc.array(fc.nat(3), { maxLength: 2 }),
    }),
  ),
  { minLength: 4, maxLength: 24 },
);

/** What there is in a store, as someone knows who has put it there. */
interface Known {
  readonly messages: Message[];
  readonly turns: Map<string, string>;
  readonly shards: Shard[];
}

async function take(store: Store, all: readonly Step[]): Promise<Known> {
  const known: Known = { messages: [], turns: new Map(), shards: [] };
  for (const [at, step] of all.entries()) {
    const threadId = threads[step.thread] ?? threads[0];
    const createdAt = startOfTime + at;
    const common = { threadId, createdAt, isPrivate: at % 5 === 0 };
    if (step.kind === 'import') {
      const message = imported(`import ${at}`, step.role, common);
      await store.messages.append([message]);
      known.messages.push(message);
    } else if (step.kind === 'turn') {
      await takeTurn(store, known, `turn ${at}`, step, common);
    } else {
      await takeShard(store, known, `shard ${at}`, step, common);
    }
  }
  return known;
}

async function takeTurn(
  store: Store,
  known: Known,
  turnId: string,
  { sages, hasEnded }: Extract<Step, { kind: 'turn' }>,
  common: Pick<Message, 'threadId' | 'createdAt' | 'isPrivate'>,
): Promise<void> {
  const { threadId, createdAt } = common;
  const asked = question(turnId, common);
  await store.turns.begin(newTurn(turnId, { threadId, createdAt, question: asked }));
  const attempt = (await store.turns.take({ turnId, threadId }))?.attempt ?? 0;
  const messages = ['taleb', 'seneca'].slice(0, sages).map((sage) => answer(turnId, sage, common));
  const end = { outcome: 'answered', endedAt: createdAt };
  await store.turns.checkpoint({ turnId, threadId, attempt, messages, ...(hasEnded && { end }) });
  known.turns.set(turnId, threadId);
  known.messages.push(asked, ...messages);
}

async function takeShard(
  store: Store,
  known: Known,
  id: string,
  { picks, supersedes }: Extract<Step, { kind: 'shard' }>,
  { threadId, createdAt }: Pick<Message, 'threadId' | 'createdAt'>,
): Promise<void> {
  const here = known.messages.filter((one) => one.threadId === threadId);
  const sourceIds = [...new Set(picks.flatMap((pick) => here[pick % here.length]?.id ?? []))];
  if (sourceIds.length === 0) return;
  const before = known.shards.filter((one) => one.threadId === threadId);
  const old = supersedes.flatMap((pick) => before[pick % before.length]?.id ?? []);
  const made: Shard = {
    id,
    threadId,
    sourceIds,
    createdAt,
    text: `In short: ${id}`,
    isPrivate: false,
    agesFrom: startOfTime,
  };
  await store.memories.keepShard(made, old);
  const vector = { model: 'p:m', dimensions: 1, values: Int8Array.of(1) };
  const key = { kind: 'shard', threadId, id } as const;
  await store.memories.keepVectors([{ key, vector }]);
  known.shards.push(made);
}

/** All that can be read, everywhere. */
async function everything(store: Store, { messages, turns, shards }: Known) {
  const keys = [
    ...messages.map(({ threadId, id }) => ({ kind: 'message', threadId, id }) as const),
    ...shards.map(({ threadId, id }) => ({ kind: 'shard', threadId, id }) as const),
  ];
  const vectors = keys.length === 0 ? [] : await store.memories.vectors('p:m', keys);
  return {
    turns: await Promise.all(
      [...turns].map(([turnId, threadId]) => store.turns.read({ turnId, threadId })),
    ),
    vectors: keys.flatMap((key, at) => (vectors[at] ? [key] : [])),
    threads: await Promise.all(
      threads.map(async (threadId) => ({
        page: await store.messages.page(threadId, { limit: 500 }),
        list: await store.turns.list(threadId, { limit: 100 }),
        recent: await store.messages.recent(threadId, { limit: 50 }),
        remembered: await Promise.all(
          reaches.map(async (reach) => {
            const read = await readAll(store, reach, { thread: threadId });
            return { messages: read.messages, shards: read.shards };
          }),
        ),
      })),
    ),
  };
}
type Everything = Awaited<ReturnType<typeof everything>>;

/** What is left of it, in the words of the promise. */
function without(all: Everything, known: Known, isGone: (message: Message) => boolean): Everything {
  const named = (threadId: string, id: string) => `${threadId} ${id}`;
  const gone = new Set(known.messages.filter(isGone).map((one) => named(one.threadId, one.id)));
  const shards = new Map(
    all.threads
      .flatMap(({ remembered }) => remembered.flatMap((one) => one.shards))
      .map((shard) => [named(shard.threadId, shard.id), shard]),
  );
  const sourcesOf = ({ threadId, sourceIds }: Shard) => sourceIds.map((id) => named(threadId, id));
  const lost = new Set(
    [...shards].flatMap(([name, shard]) =>
      sourcesOf(shard).some((id) => gone.has(id)) ? [name] : [],
    ),
  );
  const isKept = (one: Pick<Message, 'threadId' | 'id'>) => !gone.has(named(one.threadId, one.id));
  const isTurnKept = ({ turnId }: { readonly turnId?: string }) =>
    !known.messages.some((one) => one.turnId === turnId && turnId !== undefined && isGone(one));
  return {
    turns: all.turns.map((turn) => (turn && isTurnKept(turn) ? turn : undefined)),
    vectors: all.vectors.filter(({ kind, threadId, id }) =>
      kind === 'message' ? isKept({ threadId, id }) : !lost.has(named(threadId, id)),
    ),
    threads: all.threads.map(({ page, list, remembered }, at) => ({
      page: page.filter(isKept),
      list: list.filter(isTurnKept),
      // Imported answers go to the question before them, whichever that is then: see below.
      recent: all.threads[at]?.recent ?? [],
      remembered: remembered.map((one) => ({
        messages: one.messages
          .filter(({ message }) => isKept(message))
          .map(({ shardId, ...rest }) => {
            const isMarked =
              shardId !== undefined && !lost.has(named(rest.message.threadId, shardId));
            return { ...rest, ...(isMarked && { shardId }) };
          }),
        shards: one.shards.filter(({ threadId, id }) => !lost.has(named(threadId, id))),
      })),
    })),
  };
}

function withoutRecent(all: Everything) {
  return { ...all, threads: all.threads.map(({ recent: _, ...rest }) => rest) };
}

async function check(store: Store, all: readonly Step[], pick: number): Promise<void> {
  const known = await take(store, all);
  const chosen = known.messages[pick % known.messages.length];
  if (!chosen) return;
  const { threadId, turnId, id } = chosen;
  const isGone = (message: Message) =>
    turnId === undefined
      ? message.id === id && message.threadId === threadId
      : message.turnId === turnId;
  const before = await everything(store, known);
  const turnIds = turnId !== undefined && pick % 2 === 0 ? [turnId] : [];
  const messageIds = turnIds.length === 0 ? [id] : [];
  const forgotten = await store.forget({ threadId, turnIds, messageIds });
  expect(forgotten.messages).toBe(known.messages.filter(isGone).length);
  const after = await everything(store, known);
  expect(withoutRecent(after)).toEqual(withoutRecent(without(before, known, isGone)));
  // What is recalled of a thread where nothing has gone is as it was, and nothing gone is recalled.
  for (const [at, one] of threads.entries()) {
    const recalled = after.threads[at]?.recent ?? [];
    if (one !== threadId) expect(recalled).toEqual(before.threads[at]?.recent);
    const said = recalled.flatMap(({ question: asked, answers }) => [asked, ...answers]);
    expect(said.filter(isGone)).toEqual([]);
  }
}

const fixtures = storeFixtures();

describe.each(Object.entries(fixtures))('over %s', (_, open) => {
  test('after anything is forgotten, everything else reads as before', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(1000), async (all, pick) => {
        const fixture = await open();
        try {
          await check(await fixture.open(), all, pick);
        } finally {
          await fixture.remove();
        }
      }),
      { numRuns: 40 },
    );
  });
});
