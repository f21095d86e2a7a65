import { describe, expect, test } from 'vitest';
import { PendingForgetting, visibleStore } from '../../src/memory/forgetting/visible-store.ts';
import { openConnection } from '../../src/store/sqlite/connection.ts';
import { sqliteStore } from '../../src/store/sqlite.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { handClock, startOfTime } from '../contracts/store/case.ts';
import { Death, immortal, mortal } from './death.ts';
import { askedTurn, forget, forgetting } from './forgetting.ts';
import {
  away,
  beside,
  everything,
  fill,
  here,
  left,
  other,
  overEach,
  without,
} from './forgetting-world.ts';

const { signal } = new AbortController();

describe.each(overEach())('forgetting over %s', (_, withStore) => {
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

  test('deletes all that has expired before the file is cleared, once for all that was forgotten', () =>
    withStore(async (store) => {
      await fill(store);
      const done: (number | 'scrub')[] = [];
      const swept = [500, 500, 20];
      const process = forgetting({
        ...store,
        sweep: async () => {
          const count = swept.shift() ?? 0;
          done.push(count);
          return count;
        },
        scrub: async () => void done.push('scrub'),
      });
      for (const turnId of ['uma 1', 'ben 2']) {
        await process.forget({ kind: 'turn', threadId: here, turnId }, signal);
      }
      expect(done).toEqual([]);
      await process.resume(signal);
      expect(done).toEqual([500, 500, 20, 'scrub']);
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
        isMember: async (workspace) => {
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

  test('is left to a process that serves the platform, where that is needed', () =>
    withStore(async (store) => {
      await fill(store);
      const takenBack = {
        kind: 'turn',
        threadId: here,
        turnId: 'uma 1',
        isTakenBack: true,
      } as const;
      const ended = forgetting(store, { retract: () => Promise.reject(new Error('Ended.')) });
      await expect(ended.forget(takenBack, signal)).rejects.toThrow('Ended.');
      await ended.forgetLater('test:two', startOfTime);
      const before = await left(store);
      const asked: string[] = [];
      const elsewhere = forgetting(store, {
        serves: () => false,
        isMember: async (workspace) => asked.push(workspace) === 0,
      });
      await elsewhere.resume(signal);
      expect(await left(store)).toEqual(before);
      expect(asked).toEqual([]);
      const retracted: string[] = [];
      const there = forgetting(store, {
        serves: (workspace) => workspace.startsWith('test:'),
        isMember: async (workspace) => asked.push(workspace) === 0,
        retract: async ({ turnId }) => void retracted.push(turnId),
      });
      await there.resume(signal);
      expect(retracted).toEqual(['uma 1']);
      expect(asked).toEqual(['test:two']);
      const after = await left(store);
      expect(after.said).toEqual(without('uma 1'));
      expect(after.due).toEqual([{}]);
    }));

  test('forgets a workspace once, and not what is said there after the bot is back', () =>
    withStore(async (store) => {
      await fill(store);
      await forgetting(store).forgetLater('test:w', startOfTime);
      const asked = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<boolean>();
      const slow = forgetting(store, {
        isMember: () => {
          asked.resolve();
          return gone.promise;
        },
      });
      const resumed = slow.resume(signal);
      await asked.promise;
      await forgetting(store).resume(signal);
      expect((await left(store)).said).toEqual(['uma 7']);
      await askedTurn(store, 'uma 8', { threadId: here, personId: 'uma', text: 'Back again.' });
      gone.resolve(false);
      await resumed;
      expect((await left(store)).said).toEqual(['uma 7', 'uma 8']);
    }));

  test('goes on with a workspace that it began to forget, though the bot is back', () =>
    withStore(async (store) => {
      await fill(store);
      await forgetting(store).forgetLater('test:w', startOfTime);
      const broken: Store = {
        ...store,
        forget: () => Promise.reject(new Error('Ended.')),
      };
      const ended = forgetting(broken, { isMember: async () => false });
      await expect(ended.resume(signal)).rejects.toThrow('Ended.');
      await forgetting(store, { isMember: async () => true }).resume(signal);
      expect((await left(store)).said).toEqual(['uma 7']);
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
        // Nothing has gone in part that no one would go on with.
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
    // About 60 stores are filled, and each is scrubbed on disk.
  }, 120_000);
});

test.each([
  [{ kind: 'turn', threadId: here, turnId: 'uma 1' }, 'uma 4'],
  [{ kind: 'person', workspace: 'test:w', personId: 'uma' }, undefined],
] as const)(
  'a damaged record that keeps %o from being forgotten hides nothing elsewhere',
  async (subject, left) => {
    const connection = openConnection({ path: ':memory:' });
    const damage = connection.prepare("UPDATE messages SET content = '{' WHERE turn_id = 'uma 1'");
    const store = sqliteStore(connection);
    await fill(store);
    damage.run();
    const visible = visibleStore(store, new PendingForgetting(store));
    const now = () => startOfTime + 10;
    await expect(forgetting(visible, { now }).forget(subject, signal)).rejects.toThrow(
      /is damaged/,
    );
    const read = async (turnId: string, threadId: string) =>
      (await visible.turns.read({ turnId, threadId }))?.turnId;
    expect(await read('uma 3', here)).toBeUndefined();
    expect(await read('uma 4', beside)).toBe(left);
    expect(await read('uma 7', away)).toBe('uma 7');
    await store.close();
  },
);
