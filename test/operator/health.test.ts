import { expect, test } from 'vitest';
import { type PartHealth, startHealthServer } from '../../src/operator/health.ts';

const well: PartHealth = { name: 'discord', isAlive: true, isReady: true, text: 'connected' };

async function asked(part: PartHealth, path: string) {
  await using server = await startHealthServer({ port: 0, host: '127.0.0.1', look: () => [part] });
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

test('any other address says which there are', async () => {
  expect(await asked(well, '/')).toEqual([404, 'There is /healthz and /readyz.\n']);
});
