import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { startRedisServer } from '../fakes/redis-server.ts';
import { startWorld as startSlackWorld } from '../fakes/slack/connected-app.ts';
import { unfinishedTurns } from '../fakes/unfinished-turns.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { runCouncil } from './council-process.ts';
import { startFleetWorld } from './fleet-world.ts';
import { temporaryProject } from './temporary-project.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const soon = { timeout: 60_000, interval: 50 };

test('a gateway takes in what workers answer, whichever of them', async () => {
  const { discord, channel, ada, start, runners, lines } = await startFleetWorld(50);
  const gateway = await start('gateway');
  const workers = [await start('worker'), await start('worker')];
  const asked = [1, 2, 3].map((number) =>
    discord.userSays(channel, ada, `#${number}. What now?`, { mentionsBot: true }),
  );
  for (const { wire } of asked) {
    const said = () => discord.messages(wire.id).map((message) => textOf(message));
    await expect
      .poll(() => said().filter((text) => text.includes('Verdict on')), soon)
      .toHaveLength(1);
    expect(said().filter((text) => text.includes('ada on'))).toHaveLength(1);
  }
  // What begins a follow-up is told right, though no worker has a connection.
  const cards = discord.messages(channel.id).map((message) => textOf(message));
  expect(cards.join('\n')).toContain('Ask a question in the thread to follow up.');
  expect(runners()).toHaveLength(3);
  expect(runners()).not.toContain(gateway.pid);
  expect(workers.map(({ pid }) => pid)).toEqual(expect.arrayContaining(runners()));
  expect(lines.filter(({ level }) => ['warn', 'error'].includes(level))).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

describe('in Slack', () => {
  test('a gateway takes in what a worker answers, which has no connection', async () => {
    await using slackWorld = await startSlackWorld();
    const { slack, ada, channel } = slackWorld;
    const { start, runners, lines } = await startFleetWorld(50, { slack: { apiUrl: slack.api } });
    const environment = {
      DISCORD_TOKEN: '',
      SLACK_BOT_TOKEN: slack.installation().botToken,
      SLACK_APP_TOKEN: slack.app.appToken,
    };
    await start('gateway', environment);
    const worker = await start('worker', environment);
    const { thread } = await ada.mentions(channel, '#1. What now?');
    const said = () => JSON.stringify(slack.thread(channel, thread));
    await expect.poll(said, soon).toContain('Verdict on');
    expect(said()).toContain('Ask a question in the thread to follow up.');
    expect(runners()).toEqual([worker.pid]);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    slack.assertNoViolations();
  });
});

test('what a member stops at the gateway ends in the worker', async () => {
  const { discord, channel, ada, start, runners } = await startFleetWorld(60_000);
  await start('gateway');
  await start('worker');
  const thread = discord.userOpensThread(channel, ada, 'Engines');
  discord.userSays(thread, ada, '#1. What now?', { mentionsBot: true });
  await expect.poll(runners, soon).toHaveLength(1);
  discord.slash({
    user: ada,
    channel: thread,
    command: 'council',
    subcommand: 'stop',
    options: {},
  });
  const card = () =>
    discord
      .messages(thread.id)
      .map((message) => textOf(message))
      .join('\n');
  await expect.poll(card, soon).toContain('Stopped. No sage had answered yet.');
});

test('what a worker is answering is forgotten from a shell, and what others asked goes on', async () => {
  // A shell needs long to start on a busy machine; the answers take longer.
  const { discord, guild, channel, ada, redis, models, start, runners } =
    await startFleetWorld(100_000);
  await start('gateway');
  await start('worker');
  const askedBy = (user: typeof ada) => {
    const thread = discord.userOpensThread(channel, user, user.username);
    discord.userSays(thread, user, `#${user.id}. What now?`, { mentionsBot: true });
    return () => discord.messages(thread.id).map((message) => textOf(message));
  };
  const [ofAda, ofBob] = [ada, discord.addMember(guild, 'Bob')].map(askedBy);
  await expect.poll(runners, soon).toHaveLength(2);
  const person = (...args: readonly string[]) =>
    runCouncil({
      folder: temporaryProject(models.settings),
      args: ['person', ...args],
      environment: { REDIS_URL: redis.url },
    });
  expect(await person(ada.id, 'forget', '--confirm')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Forgotten: 1 question'),
  });
  await expect.poll(() => ofAda?.().join('\n'), soon).toContain('This question was withdrawn.');
  expect(await person(ada.id)).toMatchObject({ code: 1, stdout: '' });
  expect((await person('bob')).stdout).toContain('1 question\n');
  expect(ofBob?.().join('\n')).toContain('is thinking');
});

test('a process that joins takes nothing from one that is at work', async () => {
  const { discord, channel, ada, models, redis, start, runners } = await startFleetWorld(3000);
  const first = await start('all');
  discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
  await expect.poll(runners, soon).toHaveLength(1);
  await start('worker');
  await expect.poll(() => unfinishedTurns(redis), soon).toBe(0);
  expect(runners()).toEqual([first.pid]);
  expect(models.paidAgain()).toBe(0);
});

test('a turn goes on in another process when its own is asked to end', async () => {
  const { discord, channel, ada, redis, start, runners } = await startFleetWorld(20_000, {
    limits: { shutdownGraceMs: 1000 },
  });
  await start('gateway');
  const leaving = await start('worker', {});
  discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
  await expect.poll(runners, soon).toEqual([leaving.pid]);
  const staying = await start('worker');
  await leaving.end('SIGTERM');
  await expect.poll(runners, soon).toEqual([leaving.pid, staying.pid]);
  expect(await unfinishedTurns(redis)).toBe(1);
});

test('the rights that the documentation asks for are enough', async () => {
  const { discord, channel, ada, redis, start, lines } = await startFleetWorld(50);
  const rights = '~council:* +@read +@write +@scripting +@connection +info +time';
  await redis.command('ACL', 'SETUSER', 'council', 'on', '>secret', ...rights.split(' '));
  const REDIS_URL = redis.url.replace('//', '//council:secret@');
  await start('gateway', { REDIS_URL });
  await start('worker', { REDIS_URL });
  const asked = discord.userSays(channel, ada, '#1. What now?', { mentionsBot: true });
  const said = () => discord.messages(asked.wire.id).map((message) => textOf(message));
  await expect.poll(() => said().join('\n'), soon).toContain('Verdict on');
  await expect.poll(() => unfinishedTurns(redis), soon).toBe(0);
  expect(lines.filter(({ level }) => ['warn', 'error'].includes(level))).toEqual([]);
  const denied = z.array(z.unknown()).parse(await redis.command('ACL', 'LOG'));
  expect(denied).toEqual([]);
});

test('a process that may not share its work says which rights it needs, and ends', async () => {
  const { redis, start } = await startFleetWorld(50);
  const rights = '~council:* +@read +@write +@scripting +@connection +info';
  await redis.command('ACL', 'SETUSER', 'council', 'on', '>secret', ...rights.split(' '));
  const REDIS_URL = redis.url.replace('//', '//council:secret@');
  await expect(start('worker', { REDIS_URL })).rejects.toThrow(
    /can't share work through redis:\/\/127\.0\.0\.1:\d+: NOPERM .*docs\/redis\.md lists the rights/,
  );
});

test('a Redis server that refuses the password ends the start, and no restart is asked for', async () => {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const redis = await startRedisServer();
  onTestFinished(() => redis.remove());
  const REDIS_URL = redis.url.replace('//', '//bot:mistyped@');
  const ended = await runCouncil({ folder, environment: { REDIS_URL }, input: 'Why?\n' });
  expect(ended.stderr).toContain('refuses the user name or the password');
  expect(ended.stderr).not.toContain('mistyped');
  expect(ended.code).toBe(78);
});

test('a role needs Redis to share the work through, and a platform to serve', async () => {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const redis = await startRedisServer({ settings: { appendonly: 'yes' } });
  onTestFinished(() => redis.remove());
  const environment = { COUNCIL_ROLE: 'gateway', REDIS_URL: redis.url };
  const [alone, idle, examined] = await Promise.all([
    runCouncil({ folder, environment: { COUNCIL_ROLE: 'worker' } }),
    runCouncil({ folder, environment }),
    runCouncil({ folder, environment, args: ['doctor', '--no-models'] }),
  ]);
  expect(alone.code).toBe(78);
  expect(alone.stderr).toContain('COUNCIL_ROLE: a worker shares its work');
  expect(idle.code).toBe(78);
  expect(idle.stderr).toContain(
    'a gateway serves Discord, Slack or the web, and neither a token nor web.port is set',
  );
  expect(examined.code).toBe(1);
  expect(examined.stdout).toContain(
    'a gateway serves Discord, Slack or the web, and neither a token nor web.port is set',
  );
});
