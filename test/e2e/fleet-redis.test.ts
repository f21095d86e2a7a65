import { expect, test, vi } from 'vitest';
import { freePort, type RedisServer } from '../fakes/redis-server.ts';
import { unfinishedTurns } from '../fakes/unfinished-turns.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { startFleetWorld } from './fleet-world.ts';

// Whole processes are started, and wait for a server that is away, on machines that may be busy.
vi.setConfig({ testTimeout: 180_000 });

const soon = { timeout: 90_000, interval: 100 };

interface Trouble {
  readonly name: string;
  /** With this user, whose password is `secret`; absent: without one. */
  readonly user?: string;
  readonly begin: (redis: RedisServer) => Promise<unknown>;
  readonly end: (redis: RedisServer) => Promise<unknown>;
  /** What anyone who watches the processes reads. */
  readonly said: RegExp;
}

const troubles: readonly Trouble[] = [
  {
    name: 'is away',
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart(),
    said: /^not ok queue: turns have waited for redis:\/\/127\.0\.0\.1:\d+ for \d+ s/m,
  },
  {
    name: 'is full',
    begin: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '1mb'),
    end: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
    said: /^not ok queue: turns have waited for redis:\/\/127\.0\.0\.1:\d+ for \d+ s \(OOM /m,
  },
  {
    name: 'wants another password',
    user: 'council',
    begin: async (redis) => {
      await redis.command('ACL', 'SETUSER', 'council', 'resetpass', '>another');
      await redis.command('CLIENT', 'KILL', 'USER', 'council');
    },
    end: (redis) => redis.command('ACL', 'SETUSER', 'council', 'resetpass', '>secret'),
    said: /^not ok queue: turns have waited for redis:\/\/127\.0\.0\.1:\d+ for \d+ s \(WRONGPASS /m,
  },
];

test.each(troubles)(
  'while Redis $name members are told, and turns go on after it',
  async ({ user, begin, end, said }) => {
    const [gatewayPort, workerPort] = [await freePort(), await freePort()];
    const { discord, channel, ada, redis, start, runners, models, lines } =
      await startFleetWorld(2500);
    let REDIS_URL = redis.url;
    if (user !== undefined) {
      await redis.command('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', '+@all');
      // No one else may change anything.
      await redis.command('ACL', 'SETUSER', 'default', 'resetkeys', '%R~*');
      REDIS_URL = redis.url.replace('//', `//${user}:secret@`);
    }
    await start('gateway', { REDIS_URL }, { health: { port: gatewayPort } });
    await start('worker', { REDIS_URL }, { health: { port: workerPort } });
    const running = discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
    await expect.poll(runners, soon).toHaveLength(1);
    await begin(redis);
    for (const port of [gatewayPort, workerPort]) {
      await expect.poll(() => readiness(port), soon).toMatch(said);
    }
    const elsewhere = discord.userOpensThread(channel, ada, 'Elsewhere');
    discord.userSays(elsewhere, ada, '#2. And now?', { mentionsBot: true });
    const answers = () => discord.messages(elsewhere.id).map((message) => textOf(message));
    await expect
      .poll(() => answers().join('\n'), soon)
      .toContain('can’t take questions at the moment');
    await end(redis);
    const texts = () => discord.messages(running.wire.id).map((message) => textOf(message));
    await expect.poll(() => texts().join('\n'), soon).toContain('Verdict on #1.');
    await expect.poll(() => unfinishedTurns(redis), soon).toBe(0);
    for (const port of [gatewayPort, workerPort]) {
      await expect.poll(() => readiness(port), soon).toMatch(/^ok queue: connected to /m);
    }
    for (const words of ['ada on #1.', 'ben on #1.', 'Verdict on #1.']) {
      expect(texts().filter((text) => text.includes(words))).toHaveLength(1);
    }
    // What was refused is no one's turn later.
    expect(answers().join('\n')).not.toContain('on #2.');
    expect(models.calls() - models.paidAgain()).toBe(4);
    expect(discord.violations.all).toEqual([]);
    // However long it lasts, each process tells of it once; beside that, of each question once.
    const told = lines.flatMap(({ level, msg, pid, turnId }) =>
      level === 'info' || turnId !== undefined ? [] : [`${pid} ${msg}`],
    );
    expect(told).toEqual([...new Set(told)]);
  },
);

test('a process that is asked to end while Redis is away ends', async () => {
  const limits = { shutdownGraceMs: 500 };
  const { discord, channel, ada, redis, start, runners } = await startFleetWorld(60_000, {
    limits,
  });
  const processes = [await start('gateway'), await start('worker')];
  discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
  await expect.poll(runners, soon).toHaveLength(1);
  await redis.kill();
  const pids = processes.map(({ pid }) => pid);
  expect(await Promise.all(processes.map((one) => one.end('SIGTERM')))).toEqual(pids);
  await redis.restart();
  expect(await unfinishedTurns(redis)).toBe(1);
});

test('if Redis loses what it stored, the log says so, and the card of a running turn ends', async () => {
  const { discord, channel, ada, redis, start, runners, lines } = await startFleetWorld(20_000);
  await start('gateway');
  await start('worker');
  const asked = discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
  await expect.poll(runners, soon).toHaveLength(1);
  const texts = () => discord.messages(asked.wire.channel_id).map((message) => textOf(message));
  await expect.poll(() => texts().join('\n'), soon).toContain('0 of 2 answered');
  await redis.command('FLUSHALL');
  await expect
    .poll(() => texts().join('\n'), soon)
    .toContain('All that the council had stored is lost.');
  const told = () => lines.filter(({ msg }) => msg.includes('has lost all that was stored'));
  await expect.poll(() => told().map(({ level }) => level), soon).toEqual(['error', 'error']);
});

async function readiness(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
}
