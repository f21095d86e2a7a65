import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openRedisStore } from '../../src/store/redis.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { fill } from '../contracts/store/full-store.ts';
import { endedTurn, newTurn, threadId } from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { runCouncil, startCouncil } from './council-process.ts';
import { temporaryProject } from './temporary-project.ts';

let server: RedisServer;
let url: string;

beforeAll(async () => {
  server = await startRedisServer();
  await server.command('ACL', 'SETUSER', 'bot', 'on', '>top-secret', '~*', '+@all');
  url = `redis://bot:top-secret@127.0.0.1:${server.port}`;
});
afterAll(() => server?.remove());
beforeEach(() => server.command('FLUSHALL'));

/** A project whose store, a file, holds something of everything. */
async function project() {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const path = join(folder, 'data/council.db');
  const store = openSqliteStore({ path });
  await fill(store);
  await store.close();
  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runCouncil({ folder, args: ['store', ...args], environment });
  return { folder, path, run };
}

describe('the task `store`', () => {
  test('copies a file to a server and back, tells how far it is, and shows no password', async () => {
    const { run, folder, path } = await project();
    const there = await run(['copy', '--from', 'sqlite', '--to', 'redis'], { REDIS_URL: url });
    expect(there).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ {2}message: 18 \([0-9a-f]{12}\)\n/),
    });
    expect(there.stdout).toMatch(
      /^redis:\/\/127\.0\.0\.1:\d+ has the same records as data\/council\.db/,
    );
    expect(there.stderr).toMatch(/copying: 100 %, \d+ records\nreading the source again: .*\n/);
    const back = await run(['copy', '--from', url, '--to', 'sqlite:data/back.db']);
    expect(back).toMatchObject({ code: 0 });
    for (const text of [there, back].flatMap(({ stdout, stderr }) => [stdout, stderr])) {
      expect(text).not.toContain('secret');
    }
    const [first, again] = [path, join(folder, 'data/back.db')].map((file) =>
      openSqliteStore({ path: file }),
    );
    const said = await first?.messages.page(threadId, { limit: 500 });
    expect(said?.length).toBeGreaterThan(9);
    expect(await again?.messages.page(threadId, { limit: 500 })).toEqual(said);
    await Promise.all([first?.close(), again?.close()]);
  });

  test('copies the keys of the API, and brings none back that was withdrawn', async () => {
    const { run, path } = await project();
    const [stays, goes] = [{ name: 'stays' }, { name: 'goes' }];
    const onServer = async () => {
      const store = await openRedisStore({ url });
      const [keys] = await store.settings.read(['web:keys']);
      await store.close();
      return Object.entries(keys ?? {}).map(([id, { value }]) => [id, value]);
    };
    writeFileSync(`${path}-keys`, JSON.stringify({ one: stays, two: goes }));
    const there = await run(['copy', '--from', 'sqlite', '--to', url]);
    expect(there.stdout).toContain('  API key: 2\n');
    expect(Object.fromEntries(await onServer())).toEqual({ one: stays, two: goes });

    const back = `${path.slice(0, -'council.db'.length)}back.db`;
    expect(await run(['copy', '--from', url, '--to', `sqlite:${back}`])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(`${back}-keys`, 'utf8'))).toEqual({ one: stays, two: goes });
    writeFileSync(`${back}-keys`, JSON.stringify({ one: stays }));
    await server.command('FLUSHALL');
    await run(['copy', '--from', `sqlite:${back}`, '--to', url]);
    expect(await onServer()).toEqual([['one', stays]]);
  });

  test('refuses a store that is not empty, one that is not there, and itself', async () => {
    const { run } = await project();
    const store = await openRedisStore({ url });
    await endedTurn(store, newTurn('another'));
    await store.close();
    const full = await run(['copy', '--from', 'sqlite', '--to', url]);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/ is not empty\. Use/) });
    expect(full.stderr).not.toContain('secret');
    expect(await run(['copy', '--from', 'sqlite:none.db', '--to', 'sqlite:x.db'])).toMatchObject({
      code: 1,
      stderr: 'There is no file none.db.\n',
    });
    expect(await run(['copy', '--from', 'sqlite', '--to', 'sqlite'])).toMatchObject({ code: 1 });
    expect(await run(['check', '--store', 'redis'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^REDIS_URL is not set/),
    });
  });

  test('makes a copy whole whose process was killed; a bot does not start on half of it', async () => {
    const { run, folder, path } = await project();
    const store = openSqliteStore({ path });
    for (let at = 0; at < 1000; at += 1) {
      await endedTurn(store, newTurn(`many-${at}`, { threadId: `p:w:c:t${at % 7}` }));
    }
    await store.close();
    const args = ['store', 'copy', '--from', 'sqlite', '--to', url];
    const copying = startCouncil({ folder, args, input: '' });
    await expect.poll(() => copying.stderr, { interval: 1 }).toMatch(/copying/);
    copying.kill('SIGKILL');
    await copying.ended;
    const bot = await runCouncil({ folder, args: ['receipt'], environment: { REDIS_URL: url } });
    expect(bot).toMatchObject({ code: 1, stderr: expect.stringMatching(/is an unfinished copy/) });
    expect(await run(args.slice(1))).toMatchObject({ code: 0 });
    expect(await run(['check', '--store', url])).toMatchObject({ code: 0 });
  });

  test('checks that a store can be read, by the same sums wherever it is, and names what can’t be', async () => {
    const { run, path } = await project();
    await run(['copy', '--from', 'sqlite', '--to', url]);
    const there = await run(['check'], { REDIS_URL: url });
    const here = await run(['check', '--store', 'sqlite']);
    const sums = (text: string) => text.replace(/^.* can be read completely:$/m, '');
    expect(here).toMatchObject({ code: 0, stdout: expect.stringContaining('message: 18 (') });
    expect(sums(there.stdout)).toBe(sums(here.stdout));
    await server.command('HSET', 'council:{terminal:home}:turn:one', 'request', 'broken');
    const broken = await run(['check'], { REDIS_URL: url });
    expect(broken).toMatchObject({ code: 78, stderr: expect.stringContaining('turn one is') });
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 4096, 8192));
    const damaged = await run(['check', '--store', 'sqlite']);
    expect(damaged).toMatchObject({ code: 78, stderr: expect.stringContaining('is damaged') });
  });
});
