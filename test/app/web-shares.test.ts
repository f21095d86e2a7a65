import { expect, onTestFinished, test } from 'vitest';
import { webSessionSecret, webShares } from '../../src/app/web-records.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { newTurn } from '../contracts/store/samples.ts';
import { openStore } from '../memory/export/exports.ts';
import { askedTurn } from '../platforms/web/web-world.ts';

test('a link that was made twice at once is withdrawn like any other', async () => {
  const store = openStore();
  const { threadId, past } = askedTurn('t1');
  const { author, ...rest } = past.request;
  const request = { ...rest, author: { ...author } };
  await store.turns.begin(newTurn('t1', { threadId, eventId: 'web:local:t1', request }));
  const shares = webShares(store, Date.now);
  const turn = { turnId: 't1', threadId };
  const made = await Promise.all([shares.make(turn), shares.make(turn)]);
  const current = await shares.of(turn);
  expect((await shares.find(current ?? ''))?.turnId).toBe('t1');
  await shares.withdraw(turn);
  for (const secret of made) expect(await shares.find(secret)).toBeUndefined();
});

test('processes that start at once sign sessions with the same secret', async () => {
  const { settings } = openStore();
  const stored = Promise.withResolvers<void>();
  const slower: Store['settings'] = {
    ...settings,
    write: async (...change) => {
      await stored.promise;
      return settings.write(...change);
    },
  };
  const other = webSessionSecret(slower, Date.now);
  const secret = await webSessionSecret(settings, Date.now);
  stored.resolve();
  expect(await other).toBe(secret);
  expect(await webSessionSecret(settings, Date.now)).toBe(secret);
});

test('a link is kept no longer than its turn', async () => {
  let now = Date.now();
  const store = openSqliteStore({ path: ':memory:', retentionDays: 30, now: () => now });
  onTestFinished(() => store.close());
  const shares = webShares(store, () => now, 30);
  const secret = await shares.make({ turnId: 't1', threadId: 'web:local:room:t1' });
  const scopes = [`link:share:${secret}`, 'shared:web:local'];
  expect((await store.settings.read(scopes)).map((kept) => Object.keys(kept))).toEqual([
    ['turn'],
    ['t1'],
  ]);
  now += 30 * 86_400_000;
  expect(await store.settings.read(scopes)).toEqual([{}, {}]);
});
