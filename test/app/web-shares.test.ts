import { expect, test } from 'vitest';
import { webShares } from '../../src/app/web-records.ts';
import type { Store } from '../../src/store/store.ts';
import { newTurn } from '../contracts/store/samples.ts';
import { openStore } from '../memory/export/exports.ts';
import { askedTurn } from '../platforms/web/web-world.ts';

async function startShares(store = openStore()) {
  const { threadId, past } = askedTurn('t1');
  const { author, ...rest } = past.request;
  const request = { ...rest, author: { ...author } };
  await store.turns.begin(newTurn('t1', { threadId, eventId: 'web:local:t1', request }));
  return { shares: webShares(store, Date.now), turn: { turnId: 't1', threadId } };
}

test('a link that was made twice at once is withdrawn like any other', async () => {
  const { shares, turn } = await startShares();
  const made = await Promise.all([shares.make(turn), shares.make(turn)]);
  const current = await shares.of(turn);
  expect((await shares.find(current ?? ''))?.turnId).toBe('t1');
  await shares.withdraw(turn);
  for (const secret of made) expect(await shares.find(secret)).toBeUndefined();
});

test('a link that is made twice at once is one link, and works', async () => {
  const { shares, turn } = await startShares();
  const [made, again] = await Promise.all([shares.make(turn), shares.make(turn)]);
  expect(again).toBe(made);
  expect((await shares.find(made))?.turnId).toBe('t1');
  await shares.withdraw(turn);
  const [later] = await Promise.all([shares.make(turn), shares.make(turn)]);
  expect(later).not.toBe(made);
  expect(await shares.find(made)).toBeUndefined();
  expect((await shares.find(later))?.turnId).toBe('t1');
});

test('a link works that is made after a withdrawal was interrupted', async () => {
  const store = openStore();
  const { shares, turn } = await startShares(store);
  const made = await shares.make(turn);
  const { write } = store.settings;
  const failing: Store['settings'] = {
    ...store.settings,
    write: async (scope, ...rest) => {
      if (scope === `link:share:${made}`) throw new Error('The process ends here.');
      return write(scope, ...rest);
    },
  };
  const dying = webShares({ ...store, settings: failing }, Date.now);
  await expect(dying.withdraw(turn)).rejects.toThrow('ends here');
  expect(await shares.find(made)).toBeUndefined();
  expect((await shares.find(await shares.make(turn)))?.turnId).toBe('t1');
});
