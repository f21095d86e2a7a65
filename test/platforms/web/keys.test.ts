import { expect, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { keysIn } from './keys-in.ts';

const wished = {
  name: 'Open WebUI',
  workspace: 'main',
  scopes: ['ask', 'read'],
  limits: { usdPerDay: 2 },
  requestsPerMinute: 60,
} as const;

function openKeys() {
  const store = openSqliteStore({ path: ':memory:' });
  const keys = keysIn(store.settings);
  return { store, keys, make: () => keys.make({ ...wished, scopes: [...wished.scopes] }, 5) };
}

test('a key is found by its secret, with its workspace, what it may, and its limits', async () => {
  const { keys, make } = openKeys();
  expect(await keys.any()).toBe(false);
  const { id, secret } = await make();
  expect(secret).toMatch(/^ck_live_[\w-]{43}$/);
  const caller = await keys.find(secret);
  expect(caller).toEqual({
    workspace: 'main',
    keyId: id,
    requestsPerMinute: 60,
    scopes: new Set(['ask', 'read']),
    person: {
      id: `key:${id}`,
      name: 'Open WebUI',
      limits: { usdPerDay: 2 },
      isManager: false,
      isServerManager: false,
    },
  });
  expect(await keys.named(id)).toEqual(caller);
  expect(await keys.any()).toBe(true);
  expect(await keys.find(secret.slice(0, -1))).toBeUndefined();
  expect(await keys.find(id)).toBeUndefined();
});

test('of a secret nothing is kept or listed', async () => {
  const { store, keys, make } = openKeys();
  const { id, secret } = await make();
  const [kept] = await store.settings.read(['web:keys']);
  expect(JSON.stringify(kept)).not.toContain(secret.slice('ck_live_'.length));
  expect(await keys.list()).toEqual([{ id, ...wished, madeAt: 5 }]);
});

test('a withdrawn key lets no one in, and another one still does', async () => {
  const { keys, make } = openKeys();
  const [one, other] = [await make(), await make()];
  expect(await keys.withdraw(one.id)).toBe(true);
  expect(await keys.withdraw(one.id)).toBe(false);
  expect(await keys.find(one.secret)).toBeUndefined();
  expect(await keys.named(one.id)).toBeUndefined();
  expect(await keys.find(other.secret)).toMatchObject({ keyId: other.id });
});

test('there are no more than 200', async () => {
  const { keys, make } = openKeys();
  for (let count = 0; count < 200; count += 1) await make();
  await expect(make()).rejects.toThrow('There are 200 keys');
  expect(await keys.list()).toHaveLength(200);
});
