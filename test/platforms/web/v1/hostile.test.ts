import { expect, test } from 'vitest';
import { type Log, silentLog } from '../../../../src/domain/log.ts';
import { openWeb, raw } from '../web-world.ts';
import { hostilePrograms } from './hostile-programs.ts';

const atOnce = 20;

test('what no program should send is answered in words, and the next one is answered', {
  timeout: 60_000,
}, async () => {
  const faults: unknown[] = [];
  const log: Log = { ...silentLog, error: (facts) => void faults.push(facts) };
  const world = await openWeb(
    [],
    { log },
    {
      sideTask: async () => ({ status: 'refused', reason: 'No.' }),
    },
  );
  const requests = hostilePrograms(1500);
  const wrong: unknown[] = [];
  const send = async () => {
    for (const { path, ...request } of requests) {
      const { status = 0, body } = await raw(world.port, path, request);
      const isOwn = status < 500 || /council_failed|broke off/.test(body);
      if (!isOwn || /\bat .*:\d+:\d+|node:internal|\.ts:\d/.test(body)) {
        wrong.push({
          path,
          status,
          body: body.slice(0, 300),
          sent: String(request.body).slice(0, 300),
        });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  expect(wrong).toEqual([]);
  expect(faults).toEqual([]);
  // Some are well-formed by chance, and get as far as the bot.
  expect(world.asked.length).toBeGreaterThan(100);
  expect((await raw(world.port, '/v1/models')).status).toBe(200);
});
