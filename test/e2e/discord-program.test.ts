import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { listenedRecords } from '../../src/app/platforms.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../fakes/discord/discord.ts';
import { freePort, startRedisServer } from '../fakes/redis-server.ts';
import { letDayPass, threadsLeft } from './left-behind.ts';
import { type RunningProgram, runProgram } from './running-program.ts';

/** Starts the whole program against the fake. */
function run(discord: FakeDiscord, settings: object, ...words: readonly string[]): RunningProgram {
  const places = { ...settings, discord: { apiUrl: discord.api } };
  return runProgram(places, { DISCORD_TOKEN: discord.token }, ...words);
}

test('with a token the program answers in Discord, tells its health, and ends on SIGTERM', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  discord.addGuild({ name: 'Stoa', botPermissions: ['ViewChannel', 'SendMessages'] });
  const port = await freePort();
  const { printed, end } = run(discord, { health: { port } });
  await expect.poll(printed).toContain('Add it to a server: https://discord.com/oauth2');
  expect(printed()).toContain('Connected to Discord, in 2 servers.');
  expect(printed()).toContain(
    'In Stoa it lacks Manage Webhooks: the sages speak through the bot, without names and pictures of their own.',
  );
  expect(printed()).not.toContain('In Agora');
  expect(printed()).toContain(
    'To grant what it lacks, open that link and choose the server again.',
  );
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([
    200,
    'ok discord: connected to Discord\nok queue: in this process\n',
  ]);
  const options = { question: 'Ada: what breaks first?' };
  discord.slash({ user: ada, channel, command: 'council', subcommand: 'ask', options });
  const said = () => discord.messages(discord.threads(channel.id)[0]?.id ?? '');
  await discord.until(() => said().length === 1, 'the answer');
  expect(said()[0]?.wire.author.username).toBe('Ada Sage');
  expect(await end()).toBe(0);
  expect(printed()).toContain('Stopping; running questions get 10 s. Ctrl-C again stops at once.');
  expect(printed()).not.toContain(discord.token);
  expect(discord.violations.all).toEqual([]);
});

test('an unreachable Discord is named with what to check', async () => {
  const discord = { apiUrl: `http://127.0.0.1:${await freePort()}/api` };
  const { child, printed } = runProgram({ discord }, { DISCORD_TOKEN: 'a.b.c' }, 'doctor');
  await once(child, 'exit');
  expect(printed()).toMatch(
    /✗ Discord: .*ECONNREFUSED.* Check that this machine can reach discord/,
  );
});

test('on SIGTERM while Discord does not answer the program ends, and the next one says what was left', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  const settings = { limits: { shutdownGraceMs: 100 } };
  const program = run(discord, settings);
  await expect.poll(program.printed).toContain('Add it to a server');
  const webhookPost = 'POST /webhooks/{webhook_id}/{webhook_token}';
  discord.faults.failNext(webhookPost, { kind: 'silence after processing' }, 1);
  discord.faults.failNext('GET /channels/{channel_id}/messages', { kind: 'silence' }, 1);
  const options = { question: 'Ada: what breaks first?' };
  discord.slash({ user: ada, channel, command: 'council', subcommand: 'ask', options });
  const said = () => discord.messages(discord.threads(channel.id)[0]?.id ?? '');
  await discord.until(() => said().length === 1, 'the answer that nobody hears of');
  expect(await program.end()).toBe(0);
  while (discord.faults.take('GET /channels/{channel_id}/messages') !== undefined);
  program.again();
  await discord.until(
    () => JSON.stringify(discord.messages(channel.id)).includes('Read the whole council'),
    'the end of the turn',
    20_000,
  );
  expect(said()).toHaveLength(1);
});

test('a server that takes the bot out while no program runs is forgotten by the one that runs a day later', async () => {
  await using world = await startWorld();
  const { discord, guild, channel, ada } = world;
  const program = run(discord, {});
  await expect.poll(program.printed).toContain('Add it to a server');
  const options = { question: 'Ada: what breaks first?' };
  discord.slash({ user: ada, channel, command: 'council', subcommand: 'ask', options });
  const said = () => discord.messages(discord.threads(channel.id)[0]?.id ?? '');
  await discord.until(() => said().length === 1, 'the answer');
  await program.end();
  discord.removeBot(guild);
  const second = program.again();
  await expect.poll(program.printed).toContain('forgotten in a day');
  await program.end(second);
  const workspace = `discord:${guild.id}`;
  expect(await threadsLeft(program.folder, workspace)).toHaveLength(1);
  expect(await letDayPass(program.folder)).toBe(1);
  const third = program.again();
  const isAsked = () => discord.calls.some(({ route }) => route === 'GET /guilds/{guild_id}');
  await discord.until(isAsked, 'the question whether the bot is in the server', 20_000);
  const starts = () => program.printed().split('Add it to a server').length - 1;
  await expect.poll(starts).toBe(3);
  await program.end(third);
  expect(await threadsLeft(program.folder, workspace)).toEqual([]);
});

test.each(['all', 'worker'])(
  'a bot does not start as %s on the Redis server of another that runs, which it would take questions from',
  async (role) => {
    await using world = await startWorld();
    const { discord } = world;
    const redis = await startRedisServer();
    onTestFinished(() => redis.remove());
    const store = await openRedisStore({ url: redis.url });
    await listenedRecords('discord', store.settings, Date.now).write('4711', Date.now());
    await store.close();
    const environment = { DISCORD_TOKEN: discord.token, REDIS_URL: redis.url, COUNCIL_ROLE: role };
    const { child, printed } = runProgram({ discord: { apiUrl: discord.api } }, environment);
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    expect(printed()).toMatch(
      /Another Discord bot \(application 4711\) uses this store.* in \d+ s\.$/m,
    );
    expect(discord.calls.map(({ route }) => route).join()).not.toContain('commands');
  },
);

test('a worker starts while Discord is away, for the other chats that it serves', async () => {
  const redis = await startRedisServer();
  onTestFinished(() => redis.remove());
  const environment = { DISCORD_TOKEN: 'x.y.z', REDIS_URL: redis.url, COUNCIL_ROLE: 'worker' };
  // No one answers there.
  const { printed } = runProgram({ discord: { apiUrl: 'http://127.0.0.1:9/api' } }, environment);
  await expect
    .poll(printed, { timeout: 30_000 })
    .toContain('Runs the questions that gateways accept from discord.');
});

test('doctor says before a start whether Discord accepts the token, and calls no model', async () => {
  await using world = await startWorld();
  const { discord } = world;
  // No one answers there: a call would be a finding.
  const models = { providers: { rehearsal: { baseUrl: 'http://127.0.0.1:9/v1' } } };
  const settings = { models: { default: 'rehearsal:sages', ...models } };
  const examine = async () => {
    const { child, printed } = run(discord, settings, 'doctor', '--no-models');
    const [code] = await once(child, 'exit');
    return { code, text: printed() };
  };
  const well = await examine();
  expect(well.text).toContain('✓ Discord');
  expect(well.text).toContain('What was checked works. Without --no-models,');
  expect(well.code).toBe(0);
  discord.revokeToken();
  const refused = await examine();
  expect(refused.text).toContain('✗ Discord');
  expect(refused.code).toBe(1);
});

test('a token that Discord does not accept ends the program with what to do', async () => {
  await using world = await startWorld();
  world.discord.revokeToken();
  const { child, printed } = run(world.discord, {});
  const [code] = await once(child, 'exit');
  expect(code).toBe(78);
  expect(printed()).toContain('Reset Token');
  expect(printed()).not.toContain('    at ');
  expect(printed()).not.toContain(world.discord.token);
});

test('doctor looks at the token as well', async () => {
  await using world = await startWorld({ privilegedIntents: [] });
  const { child, printed } = run(world.discord, {}, 'doctor');
  await once(child, 'exit');
  expect(printed()).toContain('✓ Discord: the token is accepted');
  expect(printed()).toContain('Message Content Intent');
});
