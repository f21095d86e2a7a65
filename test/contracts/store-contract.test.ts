import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Message, type Store, SupersededError } from '../../src/store/store.ts';
import { sqliteFixture } from '../store/sqlite-fixture.ts';
import type { StoreCase, StoreSettings } from './store/case.ts';
import { readAll } from './store/memory-samples.ts';
import { otherThreadId, threadId } from './store/samples.ts';
import { runStoreCase, type StoreFixture, storeCases } from './store.ts';

/** A store that breaks one promise of the contract. */
interface Fake {
  readonly name: string;
  readonly fake: (store: Store) => Store;
  /** The case, of perhaps several, that must notice. */
  readonly noticedBy: string;
}

const fakes: readonly Fake[] = [
  {
    name: 'gives every claim to everybody',
    fake: (store) => ({ ...store, claim: async () => true }),
    noticedBy: 'gives a claim to one of many',
  },
  {
    name: 'ignores the fence of a checkpoint',
    fake: (store) =>
      withCheckpoint(store, async (checkpoint) => {
        try {
          await store.turns.checkpoint(checkpoint);
        } catch (error) {
          if (!(error instanceof SupersededError)) throw error;
          const attempt = (await store.turns.read(checkpoint))?.attempt ?? 0;
          await store.turns.checkpoint({ ...checkpoint, attempt });
        }
      }),
    noticedBy: 'refuses a checkpoint of an attempt that was superseded and stores nothing of it',
  },
  {
    name: 'stores a checkpoint piece by piece',
    fake: (store) =>
      withCheckpoint(store, async ({ steps = [], ...rest }) => {
        const { turnId, threadId, attempt } = rest;
        await store.turns.checkpoint({ turnId, threadId, attempt, steps });
        await store.turns.checkpoint(rest);
      }),
    noticedBy: 'stores all of a checkpoint or nothing',
  },
  {
    name: 'keeps a call each time that it is stored',
    fake: (store) =>
      withCheckpoint(store, ({ usage = [], ...rest }) =>
        store.turns.checkpoint({
          ...rest,
          usage: usage.map((event) => ({ ...event, id: randomUUID() })),
        }),
      ),
    noticedBy: 'keeps a call that is stored twice once, and one whose cost no one knows',
  },
  {
    name: 'loses the messages of a checkpoint',
    fake: (store) =>
      withCheckpoint(store, ({ messages: _, ...rest }) => store.turns.checkpoint(rest)),
    noticedBy: 'completes a pending message under its id, at the place that it had',
  },
  {
    name: 'makes a turn of an event each time that it is delivered',
    fake: (store) => ({
      ...store,
      turns: {
        ...store.turns,
        begin: (turn) => store.turns.begin({ ...turn, eventId: randomUUID() }),
      },
    }),
    noticedBy: 'makes one turn of an event that is delivered twice',
  },
  {
    name: 'recalls answers that are still pending',
    fake: (store) => ({
      ...store,
      messages: {
        ...store.messages,
        recent: async (thread, options) => {
          const page = await store.messages.page(thread, { limit: 500 });
          const recent = await store.messages.recent(thread, options);
          return recent.map((one) => ({
            ...one,
            answers: page
              .filter(({ role, turnId }) => role === 'ai' && turnId === one.turnId)
              .reverse(),
          }));
        },
      },
    }),
    noticedBy: 'leaves out answers that are still pending',
  },
  {
    name: 'gives steps of a place of however long ago',
    fake: (store) => ({
      ...store,
      turns: {
        ...store.turns,
        steps: (place, options) => store.turns.steps(place, { ...options, since: 0 }),
      },
    }),
    noticedBy: 'gives no steps of turns that are older than wanted, have expired or were forgotten',
  },
  {
    name: "shows one thread's messages in another",
    fake: (store) =>
      withPage(store, async (_, options) => [
        ...(await store.messages.page(threadId, options)),
        ...(await store.messages.page(otherThreadId, options)),
      ]),
    noticedBy: 'keeps messages of two threads apart, even under one id',
  },
  {
    name: 'orders messages of one moment by their id',
    fake: (store) =>
      withPage(store, async (thread, options) =>
        (await store.messages.page(thread, options)).toSorted(
          (one, other) => other.createdAt - one.createdAt || one.id.localeCompare(other.id),
        ),
      ),
    noticedBy: 'pages through a thread, newest first, ties by when they were stored',
  },
  {
    name: 'replaces all settings of a scope at each write',
    fake: (store) => ({
      ...store,
      settings: {
        ...store.settings,
        write: async (scope, changes, by) => {
          const [known = {}] = await store.settings.read([scope]);
          const cleared = Object.fromEntries(Object.keys(known).map((name) => [name, null]));
          return store.settings.write(scope, { ...cleared, ...changes }, by);
        },
      },
    }),
    noticedBy: 'sets the named settings and leaves the others',
  },
  {
    name: 'counts no settings',
    fake: (store) => ({
      ...store,
      settings: {
        ...store.settings,
        write: (scope, changes, by) => store.settings.write(scope, changes, by),
      },
    }),
    noticedBy: 'sets nothing where more settings would be named alike than the caller allows',
  },
  {
    name: 'keeps every setting for good',
    fake: (store) => ({
      ...store,
      settings: {
        ...store.settings,
        write: (scope, changes, { setBy, setAt }) =>
          store.settings.write(scope, changes, { setBy, setAt }),
      },
    }),
    noticedBy: 'forgets a setting that was written to expire, and keeps those beside it',
  },
  {
    name: 'shows the workspace what is private',
    fake: (store) =>
      withMemories(store, {
        read: async (scope, options) => {
          const read = await store.memories.read(scope, options);
          if (scope.reach !== 'workspace') return read;
          const secret = await store.memories.read(
            { threadId: 'p:w:secret:t', reach: 'channel' },
            { limit: 500 },
          );
          return { ...read, messages: [...read.messages, ...secret.messages] };
        },
      }),
    noticedBy: 'keeps in its channel what is private, and what no one knows about',
  },
  {
    name: 'gives what is remembered anew at every read',
    fake: (store) =>
      withMemories(store, { read: (scope, { limit }) => store.memories.read(scope, { limit }) }),
    noticedBy: 'remembers what is complete, in the order in which it was completed',
  },
  {
    name: 'compares vectors of whatever model',
    fake: (store) =>
      withMemories(store, { vectors: (_, keys) => store.memories.vectors('p:m 1', keys) }),
    noticedBy: 'keeps vectors of messages and shards, each for the model that made it',
  },
  {
    name: 'forgets nothing',
    fake: (store) => ({ ...store, forget: async () => ({ turns: 0, messages: 0, shards: 0 }) }),
    noticedBy: 'forgets a turn with everything that belongs to it, and nothing else',
  },
  {
    name: 'forgets of a turn what is named alone',
    fake: (store) => ({
      ...store,
      forget: (request) => store.forget({ ...request, messageIds: request.messageIds.slice(2) }),
    }),
    noticedBy: 'forgets the whole turn of a message, and an imported message alone',
  },
  {
    name: 'brings back what was forgotten when its event is delivered again',
    fake: (store) => ({
      ...store,
      turns: {
        ...store.turns,
        begin: async (turn) => {
          const begun = await store.turns.begin(turn);
          const isThere = (await store.turns.read({ ...turn, ...begun })) !== undefined;
          return isThere ? begun : store.turns.begin({ ...turn, eventId: randomUUID() });
        },
      },
    }),
    noticedBy: 'makes no other turn of an event whose turn was forgotten, for a day',
  },
  {
    name: 'keeps shards of what was forgotten',
    fake: (store) => ({
      ...store,
      forget: async (request) => {
        const { shards } = await readAll(store);
        const forgotten = await store.forget(request);
        for (const shard of shards) {
          const { messages } = await readAll(store);
          const sourceIds = messages
            .map(({ message }) => message.id)
            .filter((id) => shard.sourceIds.includes(id));
          await store.memories.keepShard({ ...shard, sourceIds });
        }
        return forgotten;
      },
    }),
    noticedBy: 'forgets every shard made of what is forgotten, and takes its mark off the rest',
  },
  {
    name: "lists every channel's threads for each",
    fake: (store) => ({
      ...store,
      messages: {
        ...store.messages,
        threads: (place, options) => store.messages.threads(place.split(':', 2).join(':'), options),
      },
    }),
    noticedBy: 'lists the threads of a channel and of a workspace, and no others',
  },
  {
    name: 'keeps things for as long in every workspace',
    fake: (store) => ({
      ...store,
      settings: {
        ...store.settings,
        write: (scope, { retentionDays: _, ...changes }, by) =>
          store.settings.write(scope, changes, by),
      },
    }),
    noticedBy:
      'hides from every reading what is older than its workspace keeps, and nothing elsewhere',
  },
  {
    name: 'shows a turn that has expired in its workspace alone',
    fake: (store) => ({
      ...store,
      turns: {
        ...store.turns,
        list: async (thread, options) => {
          const read = () => store.turns.list(thread, options);
          const scope = `workspace:${thread.split(':', 2).join(':')}`;
          const [{ retentionDays } = {}] = await store.settings.read([scope]);
          if (retentionDays === undefined) return read();
          const { value, ...by } = retentionDays;
          await store.settings.write(scope, { retentionDays: null }, by);
          const shown = await read();
          await store.settings.write(scope, { retentionDays: value }, by);
          return shown;
        },
      },
    }),
    noticedBy:
      'hides from every reading what is older than its workspace keeps, and nothing elsewhere',
  },
  {
    name: 'sweeps nothing',
    fake: (store) => ({ ...store, sweep: async () => 0 }),
    noticedBy: 'sweeps what has expired in batches, turn groups whole, and nothing else',
  },
];

function withCheckpoint(store: Store, checkpoint: Store['turns']['checkpoint']): Store {
  return { ...store, turns: { ...store.turns, checkpoint } };
}

function withMemories(store: Store, memories: Partial<Store['memories']>): Store {
  return { ...store, memories: { ...store.memories, ...memories } };
}

function withPage(
  store: Store,
  page: (
    threadId: string,
    options: { readonly limit: number; readonly before?: number },
  ) => Promise<readonly Message[]>,
): Store {
  return { ...store, messages: { ...store.messages, page } };
}

/** A fake is tried by the one case that must notice it. That a whole store passes is in `sqlite.test.ts`. */
function caseNamed(name: string): StoreCase {
  const found = storeCases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`The contract has no case “${name}”.`);
  return found;
}

for (const { name, fake, noticedBy } of fakes) {
  test(`is failed by a store that ${name}`, async () => {
    const broken = async () => {
      const fixture = await sqliteFixture();
      return {
        ...fixture,
        open: async (settings?: StoreSettings) => fake(await fixture.open(settings)),
      };
    };
    await expect(runStoreCase(caseNamed(noticedBy), broken)).rejects.toThrow();
  });
}

test('is failed by a store that shows what has expired', async () => {
  const broken = async () => {
    const fixture = await sqliteFixture();
    return {
      ...fixture,
      open: ({ now }: StoreSettings = {}) => fixture.open(now === undefined ? {} : { now }),
    };
  };
  const noticedBy = caseNamed('hides what has expired from every read before it is swept');
  await expect(runStoreCase(noticedBy, broken)).rejects.toThrow();
});

test('is failed by a store that forgets what it had when it is opened again', async () => {
  const broken = async () => {
    const fixtures: StoreFixture[] = [];
    return {
      open: async (settings?: StoreSettings) => {
        const fixture = await sqliteFixture();
        fixtures.push(fixture);
        return fixture.open(settings);
      },
      remove: async () => {
        for (const fixture of fixtures) await fixture.remove();
      },
    };
  };
  const noticedBy = caseNamed('has everything when it is opened again');
  await expect(runStoreCase(noticedBy, broken)).rejects.toThrow();
});
