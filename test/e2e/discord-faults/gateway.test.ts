import { expect, test } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { startHealthServer } from '../../../src/app/operator/health.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import {
  ask,
  type CouncilInDiscord,
  recordingLog,
  setFollowUps,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import { endOrder, expectWholeTurn } from './whole-turn.ts';

const question = 'Should we rewrite the engine?';
async function startWhole() {
  const order = endOrder();
  const council = await startCouncil(scriptedModels(wholeScript), { bot: { log: order.log } });
  return { ...council, order };
}

/** What anyone who watches the process is answered. */
function watching({ platform }: CouncilInDiscord) {
  return startHealthServer({
    port: 0,
    host: '127.0.0.1',
    log: silentLog,
    check: () => {
      const { isListening, text } = platform.health();
      return [{ name: 'discord', isAlive: true, isReady: isListening, text }];
    },
  });
}

async function readiness({ port }: { readonly port: number }) {
  const answered = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: answered.status, text: await answered.text() };
}

test('a bot whose RESUME is never answered is not ready, and is again when it is connected anew', async () => {
  await using council = await startWhole();
  await using health = await watching(council);
  const { discord, order } = council;
  expect(await readiness(health)).toEqual({
    status: 200,
    text: 'ok discord: connected to Discord\n',
  });
  discord.gateway.deafen();
  discord.gateway.dropConnections();
  await expect
    .poll(() => readiness(health))
    .toEqual({ status: 503, text: 'not ok discord: waiting for Discord on gateway shard 0\n' });
  await expect.poll(() => council.lines.join('\n')).toContain('Discord went silent');
  discord.gateway.hear();
  await expect.poll(async () => (await readiness(health)).status).toBe(200);
  ask(council, question);
  await expectWholeTurn(council, order);
});

test('a bot that can’t reach Discord when it connects anew tries on until it can, and says both once', async () => {
  await using council = await startWhole();
  const { discord, platform, order, lines } = council;
  let end: unknown;
  platform.finished.catch((error: unknown) => {
    end = error;
  });
  discord.faults.failNext('GET /gateway/bot', { kind: 'status', status: 503 }, 2);
  discord.faults.failNext('GET /gateway/bot', { kind: 'drop' });
  discord.gateway.deafen();
  discord.gateway.dropConnections();
  await expect.poll(() => platform.health().isListening).toBe(false);
  await expect.poll(() => platform.health().isListening).toBe(true);
  expect(end).toBeUndefined();
  const tries = discord.calls.filter(({ route }) => route === 'GET /gateway/bot');
  expect(tries.filter(({ status }) => status !== 200)).toHaveLength(3);
  await expect
    .poll(() => lines.filter((line) => line.includes('to Discord again')))
    .toHaveLength(1);
  expect(lines.filter((line) => line.includes('trying again'))).toHaveLength(1);
  ask(council, question);
  await expectWholeTurn(council, order);
});

test('a bot that is refused the content intent starts without it, and says so', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models, {
    before: ({ discord }) => discord.gateway.disallowPrivilegedIntents(),
  });
  const { discord, channel, bot, platform, lines } = council;
  expect(platform.report().readsContent).toBe(false);
  expect(lines.join('\n')).toContain('Message Content Intent');
  await setFollowUps(council, 'everything');
  ask(council, 'Ben: should we?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  expect(discord.messages(channel.id).map(textOf).join()).toContain('Mention me here');
});

test.each([
  ['noticed by its silence', 300],
  ['told by the closing code', 60_000],
])(
  'a content intent that is lost while the bot runs, %s, is done without, and that is said',
  async (_, deafAfterMs) => {
    await using world = await startWorld();
    const { discord, channel } = world;
    const { log, lines } = recordingLog();
    const platform = createDiscord({
      token: discord.token,
      api: discord.api,
      commands,
      log,
      deafAfterMs,
      ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
    });
    const order = endOrder();
    const models = scriptedModels(wholeScript);
    const bot = await startBot(models, { platforms: [platform], log: order.log });
    await setFollowUps({ ...world, bot }, 'everything');
    discord.gateway.disallowPrivilegedIntents();
    discord.gateway.invalidateSessions(false);
    await expect.poll(() => lines.join('\n')).toContain('Message Content Intent');
    await expect.poll(() => platform.health().isListening).toBe(true);
    ask(world, question);
    await expectWholeTurn({ ...world, bot }, order);
    expect(discord.messages(channel.id).map(textOf).join()).toContain('Mention me here');
    await bot.shutDown();
  },
);

test('a token that is revoked while the bot tries to connect anew ends it with what to do', async () => {
  await using council = await startWhole();
  const { discord, platform } = council;
  discord.faults.failNext('GET /gateway/bot', { kind: 'status', status: 503 });
  discord.gateway.deafen();
  discord.gateway.dropConnections();
  await discord.until(
    () => discord.calls.some(({ route, status }) => route === 'GET /gateway/bot' && status === 503),
    'an attempt that fails',
  );
  discord.revokeToken();
  await expect(platform.finished).rejects.toThrow(/DISCORD_TOKEN/);
});
