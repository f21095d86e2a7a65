import { expect, test } from 'vitest';
import { type PartHealth, startHealthServer } from '../../../src/app/operator/health.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { SetupError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import { hostileRequests, sendBytes } from '../../fakes/hostile-requests.ts';

const well: PartHealth = { name: 'discord', isAlive: true, isReady: true, text: 'connected' };

function serving(check: () => readonly PartHealth[]) {
  return startHealthServer({ port: 0, host: '127.0.0.1', check, log: silentLog });
}

async function asked(part: PartHealth, path: string) {
  await using server = await serving(() => [part]);
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return [response.status, await response.text()];
}

test('a part that listens makes the process alive and ready', async () => {
  expect(await asked(well, '/healthz')).toEqual([200, 'ok discord: connected\n']);
  expect(await asked(well, '/readyz')).toEqual([200, 'ok discord: connected\n']);
});

test('a part that waits leaves the process alive, and not ready', async () => {
  const waiting = { ...well, isReady: false, text: 'waiting' };
  expect(await asked(waiting, '/healthz')).toEqual([200, 'ok discord: waiting\n']);
  expect(await asked(waiting, '/readyz')).toEqual([503, 'not ok discord: waiting\n']);
});

test('a part that waits in vain asks for a restart', async () => {
  const [status] = await asked({ ...well, isAlive: false, isReady: false }, '/healthz');
  expect(status).toBe(503);
});

test('an address that is taken is a mistake for the operator, with the settings to change', async () => {
  await using taken = await serving(() => [well]);
  const { port } = taken;
  const second = startHealthServer({ port, host: '127.0.0.1', check: () => [], log: silentLog });
  await expect(second).rejects.toThrow(SetupError);
  await expect(second).rejects.toThrow(/port \d+ \(.*EADDRINUSE.*\)\. Set another health\.port/);
});

test('any other address says which there are', async () => {
  expect(await asked(well, '/')).toEqual([404, 'There is /healthz and /readyz.\n']);
});

test('who asks for the head alone gets no body, and who sends something is refused', async () => {
  await using server = await serving(() => [well]);
  const address = `http://127.0.0.1:${server.port}/healthz`;
  const head = await fetch(address, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await fetch(address, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(405);
});

test.each(Object.entries(hostileRequests))('%s is survived', async (_, bytes) => {
  await using server = await serving(() => [well]);
  await sendBytes(server.port, bytes);
  expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
});

test('a part that can not be looked at fails its request alone', async () => {
  let isBroken = true;
  await using server = await serving(() => {
    if (isBroken) throw new Error('broken');
    return [well];
  });
  const address = `http://127.0.0.1:${server.port}/healthz`;
  await expect(fetch(address)).rejects.toThrow();
  isBroken = false;
  expect((await fetch(address)).status).toBe(200);
});
