import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Caller, WebEnv } from '../../../src/platforms/web/caller.ts';
import { localCaller } from '../../../src/platforms/web/caller.ts';
import { RetryLaterError, requestLimits } from '../../../src/platforms/web/refusals.ts';
import { keyed } from './web-world.ts';

const minuteMs = 60_000;

/** What callers are told, one after another, at a time that stands still. */
function limited() {
  const clock = { now: 5 };
  const app = new Hono<WebEnv>();
  let caller: Caller = localCaller;
  app.use(async (context, next) => {
    context.set('caller', caller);
    await next();
  });
  app.use(requestLimits(() => clock.now));
  app.get('/', (context) => context.text('in'));
  app.onError((error, context) =>
    context.text(error instanceof RetryLaterError ? `${error.retryAfterMs}` : 'a fault'),
  );
  const call = async (by: Caller) => {
    caller = by;
    return (await app.request('/')).text();
  };
  return { clock, call };
}

test('a key may make so many requests a minute, and is told when the next one may pass', async () => {
  const { clock, call } = limited();
  const key = { ...keyed('k1', 'acme', 'read'), requestsPerMinute: 2 };
  expect([await call(key), await call(key)]).toEqual(['in', 'in']);
  clock.now += minuteMs - 1;
  expect(await call(key)).toBe('1');
  clock.now += 2;
  expect(await call(key)).toBe('in');
});

test('one key takes nothing from another, and the person at this machine has no limit', async () => {
  const { call } = limited();
  const [one, other] = ['k1', 'k2'].map((id) => ({
    ...keyed(id, 'acme', 'read'),
    requestsPerMinute: 1,
  }));
  if (!one || !other) throw new Error('There are two.');
  expect([await call(one), await call(one), await call(other)]).toEqual(['in', '60000', 'in']);
  expect([await call(localCaller), await call(localCaller)]).toEqual(['in', 'in']);
});
