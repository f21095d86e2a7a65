import { expect, onTestFinished, test, vi } from 'vitest';
import { startRedisCluster } from '../fakes/redis-cluster.ts';
import { unfinishedTurns } from '../fakes/unfinished-turns.ts';
import { startWatchedRedis, type WatchedRedis } from '../fakes/watched-redis.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { startFleetWorld } from './fleet-world.ts';

// Whole processes are started, and servers take over from each other, on machines that may be busy.
vi.setConfig({ testTimeout: 180_000 });

const soon = { timeout: 90_000, interval: 100 };

const failovers: readonly {
  readonly name: string;
  readonly happen: (watched: WatchedRedis) => Promise<void>;
}[] = [
  { name: 'is gone', happen: ({ primary }) => primary.kill() },
  { name: 'lives on as a replica', happen: (watched) => watched.swap() },
];

test.each(failovers)(
  'a turn goes on when sentinels make another primary and the one before $name',
  async ({ happen }) => {
    const watched = await startWatchedRedis({ appendonly: 'yes' });
    onTestFinished(() => watched.remove());
    const { discord, channel, ada, models, start, runners } = await startFleetWorld(4000, {
      // Else the models would take a later question for an earlier one.
      memory: { interactions: 0 },
    });
    const REDIS_URL = watched.url;
    await start('gateway', { REDIS_URL });
    await start('worker', { REDIS_URL });
    const ask = (number: number) =>
      discord.userSays(channel, ada, `#${number}. What now?`, { mentionsBot: true });
    const before = [ask(1), ask(2)];
    await expect.poll(runners, soon).toHaveLength(2);
    await watched.caughtUp();
    await happen(watched);
    const promoted = await watched.replica.connect(watched.password);
    onTestFinished(() => promoted.close());
    await expect.poll(() => promoted.command('ROLE'), soon).toContain('master');
    const asked = [...before, ask(3)];
    for (const [index, { wire }] of asked.entries()) {
      const said = () => discord.messages(wire.id).map((message) => textOf(message));
      const words = ['ada', 'ben', 'Verdict'].map((who) => `${who} on #${index + 1}.`);
      for (const one of words) {
        const times = () => said().filter((text) => text.includes(one)).length;
        await expect.poll(times, soon).toBe(1);
      }
    }
    await expect.poll(() => unfinishedTurns(promoted), soon).toBe(0);
    expect(await promoted.command('EXISTS', 'council:{queue}:dead')).toBe(0);
    expect(models.calls() - models.paidAgain()).toBe(12);
    expect(discord.violations.all).toEqual([]);
  },
);

test('a gateway and a worker share a cluster, and a process of both roles joins them', async () => {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.remove());
  const { discord, channel, ada, lines, start, runners } = await startFleetWorld(50);
  const REDIS_URL = cluster.url;
  await start('gateway', { REDIS_URL });
  const worker = await start('worker', { REDIS_URL });
  const { wire } = discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
  const said = () => discord.messages(wire.id).map((message) => textOf(message));
  await expect.poll(() => said().join('\n'), soon).toContain('Verdict on #1.');
  // On a busy machine a worker may lose its lock and begin a turn once more.
  expect([...new Set(runners())]).toEqual([worker.pid]);
  await start('all', { REDIS_URL });
  // A server of a cluster keeps nothing on disk here, which is warned of.
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});
