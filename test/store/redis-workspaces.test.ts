import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Commands, clockOf, storeScripts } from '../../src/store/redis/commands.ts';
import { connect } from '../../src/store/redis/connection.ts';
import { storeOver } from '../../src/store/redis/store-over.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { dayMs, startOfTime } from '../contracts/store/case.ts';
import { imported, newTurn } from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());

type Actor = 'sweep' | 'store';

/** Lets the calls of two through in an order, one at a time, and all of them when it is used up. */
function gate(order: readonly Actor[]) {
  const left = [...order];
  const held = new Map<Actor, () => void>();
  const ended = new Set<Actor>();
  function pass(): void {
    while (left[0] !== undefined && ended.has(left[0])) left.shift();
    const next = left[0] === undefined ? [...held.keys()] : [left[0]];
    for (const who of next) {
      held.get(who)?.();
      held.delete(who);
    }
  }
  return {
    through: (who: Actor, commands: Commands): Commands => ({
      ...commands,
      run: async (...call) => {
        await new Promise<void>((resolve) => {
          held.set(who, resolve);
          pass();
        });
        try {
          return await commands.run(...call);
        } finally {
          left.shift();
          pass();
        }
      },
    }),
    end: (who: Actor) => {
      ended.add(who);
      pass();
    },
  };
}

/** Every order of so many calls of the one and the other. */
function* orders(sweeps: number, stores: number): Generator<readonly Actor[]> {
  if (sweeps + stores === 0) yield [];
  if (sweeps > 0) for (const rest of orders(sweeps - 1, stores)) yield ['sweep', ...rest];
  if (stores > 0) for (const rest of orders(sweeps, stores - 1)) yield ['store', ...rest];
}

const now = startOfTime + 10 * dayMs;

const delist = storeScripts('upkeep')('delist');

for (const { name, isListedLately } of [
  { name: 'a process that has stored something in it lately', isListedLately: true },
  { name: 'a process that has not', isListedLately: false },
]) {
  test(`loses no workspace that ${name} stores something in while the sweep takes it out`, async () => {
    let time = now;
    const clock = clockOf({ retentionDays: 1, now: () => time });
    const connection = await connect({ url: server.url });
    const other = storeOver(connection, clock);
    const old = newTurn('old', { createdAt: startOfTime });
    let taken = 0;
    const counted: Commands = {
      ...connection,
      run: async (script, ...rest) => {
        const reply = await connection.run(script, ...rest);
        if (script.sha1 === delist.sha1 && reply === 1) taken += 1;
        return reply;
      },
    };
    for (const order of orders(4, 2)) {
      await server.command('FLUSHALL');
      const { through, end } = gate(order);
      let gated = connection as Commands;
      const storing = storeOver({ ...connection, run: (...call) => gated.run(...call) }, clock);
      time = isListedLately ? now : startOfTime;
      await storing.turns.begin(old);
      time = now;
      gated = through('store', connection);
      const sweeping = storeOver(through('sweep', counted), clock);
      await Promise.all([
        sweeping.sweep(100).finally(() => end('sweep')),
        storing.turns.begin(newTurn('new', { createdAt: now })).finally(() => end('store')),
      ]);
      const said = order.join(' ');
      const unfinished = async () => (await other.turns.unfinished(9)).map(({ turnId }) => turnId);
      expect(await unfinished(), said).toEqual(['new']);
      expect(await other.sweep(100), said).toBe(0);
      expect(await unfinished(), said).toEqual(['new']);
    }
    // Else nothing was at stake.
    if (isListedLately) expect(taken).toBe(0);
    else expect(taken).toBeGreaterThan(2);
    await connection.close();
  });
}

test('finds a workspace again that was empty for a while, from every process', async () => {
  await server.command('FLUSHALL');
  let time = startOfTime;
  const options = { url: server.url, retentionDays: 1, now: () => time };
  const [one, other] = [await openRedisStore(options), await openRedisStore(options)];
  for (const store of [one, other]) {
    await store.messages.append([imported('q', 'human', { createdAt: time })]);
    time += 2 * dayMs;
    expect(await other.sweep(100)).toBe(1);
    expect(await server.command('EXISTS', 'council:{workspaces}:list')).toBe(0);
  }
  for (const [at, store] of [one, other].entries()) {
    await store.turns.begin(newTurn(`turn-${at}`, { createdAt: time }));
  }
  expect(await one.turns.unfinished(9)).toHaveLength(2);
  await one.close();
  await other.close();
});

test('keeps a workspace for as long as it says in every process, and lets go of it where all else stays', async () => {
  await server.command('FLUSHALL');
  let time = startOfTime;
  const options = { url: server.url, now: () => time };
  const [one, other] = [await openRedisStore(options), await openRedisStore(options)];
  const threadId = 'p:w:c:t';
  const read = () => other.messages.page(threadId, { limit: 9 });
  for (const workspace of ['w', 'v']) {
    await one.messages.append([imported('q', 'human', { threadId: `p:${workspace}:c:t` })]);
  }
  time += 2 * dayMs;
  expect(await read()).toHaveLength(1);
  const setting = { retentionDays: 1 };
  await one.settings.write('workspace:p:w', setting, { setBy: 'sue', setAt: time });
  expect(await read()).toEqual([]);
  expect(await other.sweep(100)).toBe(1);
  const listed = await server.command('ZRANGE', 'council:{workspaces}:list', '0', '-1');
  expect(listed).toEqual(['council:{p:v}:']);
  const keys = z.array(z.string()).parse(await server.command('KEYS', 'council:{p:w}:*'));
  expect(keys).toEqual(['council:{p:w}:settings:workspace:p:w']);
  await one.close();
  await other.close();
});

test('goes through more workspaces than it is told of at once', async () => {
  await server.command('FLUSHALL');
  let time = startOfTime;
  const store = await openRedisStore({ url: server.url, retentionDays: 1, now: () => time });
  const threads = Array.from({ length: 250 }, (_, at) => `test:${at}:c:t`);
  await Promise.all(
    threads.map((thread, at) =>
      store.turns.begin(
        newTurn(`turn-${at}`, { threadId: thread, createdAt: startOfTime + ((at * 97) % 250) }),
      ),
    ),
  );
  const times = (await store.turns.unfinished(120)).map(({ createdAt }) => createdAt - startOfTime);
  expect(times).toEqual(Array.from({ length: 120 }, (_, at) => at));
  time += 2 * dayMs;
  expect(await store.sweep(100)).toBe(100);
  expect(await store.sweep(1000)).toBe(150);
  expect(await store.sweep(1000)).toBe(0);
  const keys = z.array(z.string()).parse(await server.command('KEYS', '*:turn:*'));
  expect(keys).toEqual([]);
  await store.close();
});
