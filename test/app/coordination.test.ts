import { expect, onTestFinished, test, vi } from 'vitest';
import { openApplication } from '../../src/app/application.ts';
import { coordinate } from '../../src/app/coordination.ts';
import { chooseModels } from '../../src/app/open-models.ts';
import { openStore } from '../../src/app/store.ts';
import { queueCheck } from '../../src/app/tasks/doctor.ts';
import { type Log, silentLog } from '../../src/domain/log.ts';
import type { QueuedTurn, TurnRunner } from '../../src/queue/queue.ts';
import type { Config } from '../../src/settings/load.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type SettingsStore, StoreError } from '../../src/store/store.ts';
import { running } from '../contracts/queue-runner.ts';
import { PlainPlatform } from '../fakes/plain-platform.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { load } from '../settings/config-folder.ts';

const { signal } = new AbortController();
const atUpstash = {
  UPSTASH_REDIS_REST_URL: 'https://one.upstash.io',
  UPSTASH_REDIS_REST_TOKEN: 'secret',
};

function logTo(warnings: string[]): Log {
  return { ...silentLog, warn: (_facts, sentence) => void warnings.push(sentence) };
}

/** Shares the work as a bot does, and gives the warnings that were logged. */
async function warningsOf(config: Config): Promise<readonly string[]> {
  const warnings: string[] = [];
  const log = logTo(warnings);
  const { queue, close } = await coordinate(config, async () => [], log);
  await queue.stop(0);
  await close();
  return warnings;
}

test('a bot whose database can wake no one says at its start that it works alone', async () => {
  const config = load({}, atUpstash);
  expect(await warningsOf(config)).toEqual([
    expect.stringMatching(/^this process works alone: .*a second process .* so don't start one$/),
  ]);
  expect(await queueCheck(config).run(signal)).toMatch(
    /^in this process alone: Upstash can't notify other processes over HTTP/,
  );
});

test('a bot over a file says nothing of it, and doctor does', async () => {
  const config = load({}, {});
  expect(await warningsOf(config)).toEqual([]);
  expect(await queueCheck(config).run(signal)).toBe(
    'in this process alone: only one process can use a file',
  );
});

test('a worker is refused where there is no one to share with', () => {
  const start = () => load({}, { ...atUpstash, COUNCIL_ROLE: 'worker' });
  expect(start).toThrow(
    /a worker shares its work with other processes through Redis. Set REDIS_URL/,
  );
  expect(start).not.toThrow('secret');
});

test('doctor tries all that is shared on a server, and names the rights that are missing', async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.remove());
  const config = load({}, { REDIS_URL: server.url });
  expect(await queueCheck(config).run(signal)).toBe(
    'shared by all processes; 0 turns in it, 0 failed for good',
  );
  const rights = '~council:* +@read +@write +@scripting +@connection +info';
  await server.command('ACL', 'SETUSER', 'council', 'on', '>secret', ...rights.split(' '));
  const REDIS_URL = server.url.replace('//', '//council:secret@');
  await expect(queueCheck(load({}, { REDIS_URL })).run(signal)).rejects.toThrow(
    /can't share work through .*NOPERM.*docs\/redis\.md lists the rights/,
  );
});

test('a process of a fleet that has no model leaves turns and summaries to the others', async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.remove());
  const config = load({}, { REDIS_URL: server.url });
  const read: string[] = [];
  const open = async () => {
    const store = await openStore(config, silentLog);
    const { settings } = store;
    const noting: SettingsStore = {
      read: (scopes) => {
        read.push(...scopes);
        return settings.read(scopes);
      },
      write: (...changes) => settings.write(...changes),
    };
    return { ...store, settings: noting };
  };
  const application = await openApplication({
    config,
    log: silentLog,
    role: 'all',
    open,
    chosenModels: await chooseModels(config, signal),
    platforms: async () => [new PlainPlatform(new Map())],
  });
  onTestFinished(() => application[Symbol.asyncDispose]());
  await application.bot.start();
  const turn = { turnId: 'one', threadId: 'plain:here:room:main' };
  await application.queue.add(turn);
  const other = await coordinate(config, async () => [], silentLog);
  onTestFinished(async () => {
    await other.queue.stop(0);
    await other.close();
  });
  const { promise: taken, resolve } = Promise.withResolvers<QueuedTurn>();
  const run: TurnRunner = async (queued) => {
    resolve(queued);
    return 'ended';
  };
  await other.queue.start({ ...running(run), platforms: ['plain'] });
  expect(await taken).toEqual(turn);
  expect(read).not.toContain('shards:due');
});

test.each([
  ['for as long as it lasts when it can’t be reached', 'unreachable', 100],
  ['ten times when it is full, because each may have paid for calls', 'full', 10],
] as const)(
  'a bot that works alone tries a turn again that its store broke off, %s',
  async (_how, reason, runs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { queue } = await coordinate(load({}, {}), async () => [], logTo([]));
    onTestFinished(() => queue.stop(0));
    let tried = 0;
    await queue.start(
      running(async () => {
        tried += 1;
        if (tried < 100) throw new StoreError('The store fails.', { reason });
        return 'ended';
      }),
    );
    await queue.add({ turnId: 'one', threadId: 'p:local:main' });
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(tried).toBe(runs);
    expect(await queue.waiting('p:local:main')).toBe(0);
  },
);

test('a bot that works alone is not ready while its store can’t be written, and says why', async () => {
  const config = load({}, {});
  let isFull = true;
  const claim = async () => {
    if (isFull) throw new StoreError('There is no space left.', { reason: 'full' });
    return true;
  };
  const application = await openApplication({
    config,
    log: silentLog,
    needsNoModel: true,
    deleteEveryMs: 1,
    open: async () => ({ ...openSqliteStore({ path: ':memory:' }), claim }),
    chosenModels: await chooseModels(config, signal),
    platforms: async () => [new PlainPlatform(new Map())],
  });
  expect(application.queueHealth()).toEqual({ isReady: true, text: 'in this process' });
  const health = () => application.queueHealth();
  await expect.poll(health).toEqual({ isReady: false, text: 'There is no space left.' });
  isFull = false;
  await expect.poll(health).toEqual({ isReady: true, text: 'in this process' });
  await application[Symbol.asyncDispose]();
});

test.each([
  ['says how many records had expired', 30, 1],
  ['says nothing of the few that always expire', 5, 0],
])('the log %s', async (_what, expired, lines) => {
  const store = openSqliteStore({ path: ':memory:' });
  for (let claim = 0; claim < expired; claim += 1) await store.claim(`claim ${claim}`, 0);
  const swept: number[] = [];
  const sweep = async (limit: number) => {
    const count = await store.sweep(limit);
    swept.push(count);
    return count;
  };
  const facts: unknown[] = [];
  const info: Log['info'] = (fact, sentence) => {
    if (sentence === 'expired records were deleted') facts.push(fact);
  };
  const config = load({}, {});
  const application = await openApplication({
    config,
    log: { ...silentLog, info },
    needsNoModel: true,
    deleteEveryMs: 1,
    open: async () => ({ ...store, sweep }),
    chosenModels: await chooseModels(config, signal),
    platforms: async () => [new PlainPlatform(new Map())],
  });
  await expect.poll(() => swept.length).toBeGreaterThan(1);
  await application[Symbol.asyncDispose]();
  expect(swept[0]).toBeGreaterThanOrEqual(expired);
  expect(facts).toEqual(swept.slice(0, lines).map((count) => ({ count })));
});
