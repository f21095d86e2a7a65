import { expect, onTestFinished, test, vi } from 'vitest';
import { unfinishedTurns } from '../fakes/unfinished-turns.ts';
import { startUpstashServer } from '../fakes/upstash/server.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { startFleetWorld } from './fleet-world.ts';

// A whole process is started, and waits for a server that is away, on machines that may be busy.
vi.setConfig({ testTimeout: 180_000 });

const soon = { timeout: 90_000, interval: 100 };

test('a bot that works alone goes on by itself when its database is back, and says nothing twice', async () => {
  const { discord, channel, ada, redis, start, runners, lines } = await startFleetWorld(1500);
  const { url, token, close } = await startUpstashServer(redis.url);
  onTestFinished(close);
  await start('all', {
    REDIS_URL: '',
    UPSTASH_REDIS_REST_URL: url,
    UPSTASH_REDIS_REST_TOKEN: token,
  });
  const asked = discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
  await expect.poll(runners, soon).toHaveLength(1);
  await redis.kill();
  const isInterrupted = () => lines.some(({ msg }) => msg === 'turn is retried');
  await expect.poll(isInterrupted, soon).toBe(true);
  await redis.restart();
  const texts = () => discord.messages(asked.wire.id).map((message) => textOf(message));
  await expect.poll(() => texts().join('\n'), soon).toContain('Verdict on #1.');
  await expect.poll(() => unfinishedTurns(redis), soon).toBe(0);
  for (const words of ['ada on #1.', 'ben on #1.', 'Verdict on #1.']) {
    expect(texts().filter((text) => text.includes(words))).toHaveLength(1);
  }
  expect(discord.violations.all).toEqual([]);
});
