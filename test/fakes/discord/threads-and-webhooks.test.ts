import { ChannelType, Events, MessageFlags, TextDisplayBuilder, type Webhook } from 'discord.js';
import { expect, test } from 'vitest';
import { startConnected, textChannel } from './connected-client.ts';

test('a thread that starts from a message has its id, and the message says so', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const told = new Promise((resolve) => client.once(Events.ThreadCreate, resolve));
  const card = await textChannel(client, channel.id).send('card');
  const thread = await card.startThread({ name: 'Why?', autoArchiveDuration: 1440 });
  await told;
  expect(thread.id).toBe(card.id);
  expect(discord.messages(channel.id)[0]?.wire.flags).toBe(MessageFlags.HasThread);
  await thread.send('in the thread');
  const [stored] = discord.threads(channel.id);
  if (stored === undefined) throw new Error('There is no thread.');
  discord.userSays(stored, ada, 'and I');
  expect(discord.messages(thread.id).map(({ wire }) => wire.content)).toEqual([
    'in the thread',
    'and I',
  ]);
  const path = `/channels/${channel.id}/messages/${card.id}/threads` as const;
  const again = client.rest.post(path, { body: { name: 'again' } });
  await expect(again).rejects.toMatchObject({ code: 160004 });
  expect(discord.violations.all).toEqual([]);
});

test('a webhook speaks in a thread under a name and picture of its own', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const thread = await text.threads.create({ name: 'Why?' });
  const webhook = await text.createWebhook({ name: 'Sages' });
  const heard = new Promise((resolve) => client.once(Events.MessageCreate, resolve));
  const avatarURL = 'https://example.org/seneca.png';
  const said = await webhook.send({
    content: 'Si vis amari, ama.',
    username: 'Seneca',
    avatarURL,
    threadId: thread.id,
  });
  expect(await heard).toMatchObject({ webhookId: webhook.id, channelId: thread.id });
  const edited = { content: 'Ama.', threadId: thread.id };
  await webhook.editMessage(said.id, edited);
  const [stored] = discord.messages(thread.id);
  expect(stored).toMatchObject({
    avatarUrl: avatarURL,
    wire: { content: 'Ama.', author: { username: 'Seneca', id: webhook.id } },
  });
  await expect(webhook.editMessage(said.id, 'no thread named')).rejects.toMatchObject({
    code: 10008,
  });
  expect((await webhook.fetchMessage(said.id, { threadId: thread.id })).content).toBe('Ama.');
  await webhook.deleteMessage(said.id, thread.id);
  expect(discord.messages(thread.id)).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('a webhook shows components', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const webhook = await textChannel(client, channel.id).createWebhook({ name: 'Sages' });
  await webhook.send({
    components: [new TextDisplayBuilder().setContent('an answer')],
    flags: MessageFlags.IsComponentsV2,
    withComponents: true,
  });
  expect(discord.messages(channel.id)[0]?.wire.components).toMatchObject([
    { content: 'an answer' },
  ]);
  expect(discord.violations.all).toEqual([]);
});

test('webhooks are listed, found, renamed and deleted, and their channel is told', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const told = new Promise((resolve) => client.once(Events.WebhooksUpdate, resolve));
  const webhook = await text.createWebhook({ name: 'Sages' });
  await told;
  const listed = await text.fetchWebhooks();
  expect(listed.get(webhook.id)?.token).toBe(webhook.token);
  expect((await client.fetchWebhook(webhook.id)).name).toBe('Sages');
  expect((await client.fetchWebhook(webhook.id, webhook.token ?? '')).name).toBe('Sages');
  await webhook.edit({ name: 'Council' });
  expect([...discord.state.webhooks.values()][0]?.name).toBe('Council');
  await webhook.delete();
  await expect(webhook.send('gone')).rejects.toMatchObject({ code: 10015, status: 404 });
  expect(discord.violations.all).toEqual([]);
});

test('a channel takes fifteen webhooks', async () => {
  await using started = await startConnected();
  const { client, channel } = started;
  const text = textChannel(client, channel.id);
  for (let count = 0; count < 15; count++) await text.createWebhook({ name: `Sages ${count}` });
  await expect(text.createWebhook({ name: 'One more' })).rejects.toMatchObject({ code: 30007 });
});

test('a message wakes a sleeping thread, and a locked one refuses it', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const webhook = await text.createWebhook({ name: 'Sages' });
  const thread = await text.threads.create({ name: 'Why?' });
  const [stored] = discord.threads(channel.id);
  if (stored === undefined) throw new Error('There is no thread.');
  discord.archiveThread(stored);
  await thread.send('awake');
  expect(stored.isArchived).toBe(false);
  discord.lockThread(stored);
  await expect(thread.send('locked')).rejects.toMatchObject({ code: 50083 });
  const spoken = webhook.send({ content: 'locked', threadId: thread.id });
  await expect(spoken).rejects.toMatchObject({ code: 50083 });
  discord.deleteThread(stored);
  await expect(thread.send('gone')).rejects.toMatchObject({ code: 10003 });
  expect(discord.violations.all).toEqual([]);
});

test('a thread is renamed, archived and listed', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const thread = await text.threads.create({ name: 'Why?' });
  await thread.setName('Because');
  expect((await text.threads.fetchActive()).threads.get(thread.id)?.name).toBe('Because');
  await thread.leave();
  await thread.join();
  const said = await thread.send('So it is.');
  await thread.setArchived(true);
  await expect(said.delete()).rejects.toMatchObject({ code: 50083 });
  expect((await text.threads.fetchArchived()).threads.has(thread.id)).toBe(true);
  expect(discord.violations.all).toEqual([]);
});

test('a forum takes posts, from the bot and from a webhook', async () => {
  await using started = await startConnected();
  const { discord, client, guild } = started;
  const forum = discord.addChannel(guild, 'questions', ChannelType.GuildForum);
  await expect.poll(() => client.channels.cache.has(forum.id)).toBe(true);
  const channel = client.channels.cache.get(forum.id);
  if (channel?.type !== ChannelType.GuildForum) throw new Error('There is no forum.');
  const post = await channel.threads.create({ name: 'Why?', message: { content: 'Tell me.' } });
  expect(discord.messages(post.id)[0]?.wire).toMatchObject({ id: post.id, content: 'Tell me.' });
  const webhook: Webhook = await channel.createWebhook({ name: 'Sages' });
  await webhook.send({ content: 'new post', threadName: 'By a sage' });
  await webhook.send({ content: 'in the post', threadId: post.id });
  await expect(webhook.send('nowhere')).rejects.toMatchObject({ code: 220001 });
  const both = webhook.send({ content: 'twice', threadId: post.id, threadName: 'twice' });
  await expect(both).rejects.toMatchObject({ code: 220002 });
  expect(discord.threads(forum.id).map(({ name }) => name)).toEqual(['Why?', 'By a sage']);
  expect(discord.violations.all).toEqual([]);
});

test('a webhook that someone else made is seen without its token', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const foreign = discord.addWebhook(channel, ada, 'News');
  const listed = (await textChannel(client, channel.id).fetchWebhooks()).get(foreign.id);
  expect(listed).toMatchObject({ name: 'News', applicationId: null, token: null });
  expect(discord.violations.all).toEqual([]);
});
