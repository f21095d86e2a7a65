import { PermissionsBitField } from 'discord.js';
import { expect, test } from 'vitest';
import { scriptedModels } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import {
  discordAt,
  joinWorld,
  recordingLog,
  startCouncil,
} from '../platforms/discord/discord-world.ts';

const nobody = {
  settings: async () => ({ bench: [], followUpMode: 'mention' as const }),
  ask: async () => ({ status: 'refused' as const, reason: 'closed' }),
  sideTask: async () => ({ status: 'refused', reason: 'no' }) as const,
  abandoned: async () => [],
  addressableSages: async () => [],
  mayGreet: async () => false,
  mayReply: async () => false,
  suggest: async () => [],
  interpret: async () => undefined,
  command: async () => ({ isPrivate: true, blocks: [] }),
  stop: async () => false,
  turnOf: async () => undefined,
  deleted: async () => undefined,
  left: async () => undefined,
  memberships: async () => undefined,
  overview: async () => ({ bench: [], defaults: [], recent: [] }),
};

test('commands are registered with one request, and not again while they stay the same', async () => {
  const world = await startWorld();
  const puts = () =>
    world.discord.calls.filter(({ route }) => route.startsWith('PUT /applications'));
  const first = await joinWorld(world, scriptedModels({}));
  await first[Symbol.asyncDispose]();
  expect(puts()).toHaveLength(1);
  const second = await joinWorld(world, scriptedModels({}));
  await second[Symbol.asyncDispose]();
  expect(puts()).toHaveLength(1);
  expect(world.discord.violations.all).toEqual([]);
  await world.discord.close();
});

test('each permission that is missing is named with what is lost, and the link asks for just those that are needed', async () => {
  await using world = await startWorld();
  const { discord } = world;
  discord.addGuild({
    name: 'Stoa',
    botPermissions: [
      'ViewChannel',
      'SendMessages',
      'SendMessagesInThreads',
      'CreatePublicThreads',
      'ReadMessageHistory',
      'AttachFiles',
      'EmbedLinks',
    ],
  });
  const { log, lines } = recordingLog();
  const platform = discordAt(discord, log);
  await platform.start(nobody);
  const { gaps, inviteLink, servers } = platform.report();
  expect(gaps).toMatchObject([{ guild: 'Stoa', permission: 'Manage Webhooks' }]);
  expect(gaps[0]?.lost).toContain('names and pictures');
  expect(lines.join('\n')).toContain('without Manage Webhooks');
  const query = new URL(inviteLink).searchParams;
  expect(query.get('client_id')).toBe(discord.applicationId);
  expect(query.get('scope')).toBe('bot applications.commands');
  expect(
    new PermissionsBitField(BigInt(query.get('permissions') ?? '')).toArray().toSorted(),
  ).toEqual([
    'AttachFiles',
    'CreatePublicThreads',
    'EmbedLinks',
    'ManageWebhooks',
    'ReadMessageHistory',
    'SendMessages',
    'SendMessagesInThreads',
    'ViewChannel',
  ]);
  expect(servers).toBe(2);
  await platform.stop();
});

test('a wrong token is refused with what to do, and the token is not shown', async () => {
  await using world = await startWorld();
  const { discord } = world;
  discord.revokeToken();
  const platform = discordAt(discord, recordingLog().log);
  const error: unknown = await platform.start(nobody).catch((caught: unknown) => caught);
  expect(String(error)).toContain('developer portal');
  expect(String(error)).not.toContain(discord.token);
  await platform.stop();
});

test('without the content intent the bot starts, and says so', async () => {
  await using council = await startCouncil(scriptedModels({}), { privilegedIntents: [] });
  expect(council.platform.report().readsContent).toBe(false);
  expect(council.platform.health()).toMatchObject({ isListening: true });
});

test.each(['GET /applications/@me', 'PUT /applications/{application_id}/commands'])(
  'a bot that is stopped at its start, with %s, does not connect any more',
  async (route) => {
    await using world = await startWorld();
    const { discord } = world;
    const platform = discordAt(discord, recordingLog().log);
    const stopped = new Promise<void>((resolve, reject) => {
      discord.onCall((call) => {
        if (call.route === route) platform.stop().then(resolve, reject);
      });
    });
    const [started] = await Promise.allSettled([platform.start(nobody), stopped]);
    expect(started).toMatchObject({ status: 'rejected', reason: { name: 'UnansweredError' } });
    expect(discord.gateway.connectedSessions).toBe(0);
  },
);
