import type { Client } from 'discord.js';
import { expect, test } from 'vitest';
import { startConnected } from './connected-client.ts';
import type { PermissionName } from './world/permissions.ts';

const message = { content: 'x' };

test.each<[PermissionName, number, (client: Client, channelId: string) => Promise<unknown>]>([
  ['ViewChannel', 50001, (client, id) => client.rest.get(`/channels/${id}`)],
  ['SendMessages', 50013, (client, id) => post(client, id, message)],
  ['EmbedLinks', 50013, (client, id) => post(client, id, { embeds: [{ title: 'x' }] })],
  ['CreatePublicThreads', 50013, (client, id) => thread(client, id)],
  ['ManageWebhooks', 50013, (client, id) => client.rest.get(`/channels/${id}/webhooks`)],
  [
    'AttachFiles',
    50013,
    (client, id) =>
      client.rest.post(`/channels/${id}/messages`, {
        body: message,
        files: [{ name: 'a.txt', data: Buffer.from('a') }],
      }),
  ],
])(
  'without %s it answers %i, and with it there is no such answer',
  async (permission, code, request) => {
    await using started = await startConnected();
    const { discord, client, channel } = started;
    await request(client, channel.id);
    discord.revokePermissions(channel, permission);
    await expect(request(client, channel.id)).rejects.toMatchObject({ code, status: 403 });
    discord.grantPermissions(channel, permission);
    await request(client, channel.id);
    expect(discord.violations.all).toEqual([]);
  },
);

test('speaking in a thread takes a permission of its own', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  await thread(client, channel.id);
  const [opened] = discord.threads(channel.id);
  discord.revokePermissions(channel, 'SendMessagesInThreads');
  await expect(post(client, opened?.id ?? '', message)).rejects.toMatchObject({ code: 50013 });
  await post(client, channel.id, message);
});

test('a history that may not be read is empty', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  discord.userSays(channel, ada, 'Hello');
  discord.revokePermissions(channel, 'ReadMessageHistory');
  expect(await client.rest.get(`/channels/${channel.id}/messages`)).toEqual([]);
});

test('a channel that cannot be seen tells the bot nothing', async () => {
  await using started = await startConnected();
  const { discord, guild, client, channel, ada } = started;
  const other = discord.addChannel(guild, 'other');
  const seen: string[] = [];
  client.on('messageCreate', ({ content }) => seen.push(content));
  discord.revokePermissions(channel, 'ViewChannel');
  discord.userSays(channel, ada, 'hidden');
  discord.userSays(other, ada, 'seen');
  await expect.poll(() => seen).toEqual(['seen']);
});

test('a bot edits and deletes its own messages only', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const path = `/channels/${channel.id}/messages/${discord.userSays(channel, ada, 'x').wire.id}`;
  const edit = client.rest.patch(`/${path.slice(1)}`, { body: message });
  await expect(edit).rejects.toMatchObject({ code: 50005 });
  await expect(client.rest.delete(`/${path.slice(1)}`)).rejects.toMatchObject({ code: 50013 });
});

test('a member cannot write where everybody is denied to', async () => {
  await using started = await startConnected();
  const { discord, channel, ada } = started;
  discord.denyEveryone(channel, 'SendMessages');
  expect(() => discord.userSays(channel, ada, 'x')).toThrow('Missing Permissions');
});

function post(client: Client, channelId: string, body: unknown): Promise<unknown> {
  return client.rest.post(`/channels/${channelId}/messages`, { body });
}

function thread(client: Client, channelId: string): Promise<unknown> {
  return client.rest.post(`/channels/${channelId}/threads`, { body: { name: 'x', type: 11 } });
}
