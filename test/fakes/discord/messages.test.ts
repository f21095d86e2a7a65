import { GatewayIntentBits, MessageFlags } from 'discord.js';
import { expect, test } from 'vitest';
import { startConnected, textChannel } from './connected-client.ts';

test('a message is posted, edited, read and deleted', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const sent = await text.send('first');
  await sent.edit('second');
  expect((await text.messages.fetch({ message: sent.id, force: true })).content).toBe('second');
  await sent.delete();
  expect(discord.messages(channel.id)).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('an enforced nonce keeps a message from being posted twice, for some minutes', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const message = { content: 'once', nonce: 'turn-1', enforceNonce: true };
  const first = await text.send(message);
  const second = await text.send(message);
  expect(second.id).toBe(first.id);
  discord.clock.advance(10 * 60_000);
  await text.send(message);
  await text.send({ ...message, enforceNonce: false });
  expect(discord.messages(channel.id)).toHaveLength(3);
});

test('the history is paged by before, after and around, newest first', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const ids = ['1', '2', '3', '4', '5'].map((text) => discord.userSays(channel, ada, text).wire.id);
  const text = textChannel(client, channel.id);
  const page = async (options: { before?: string; after?: string; around?: string }) =>
    (await text.messages.fetch({ limit: 2, ...options })).map(({ content }) => content);
  expect(await page({})).toEqual(['5', '4']);
  expect(await page({ before: ids[2] ?? '' })).toEqual(['2', '1']);
  expect(await page({ after: ids[1] ?? '' })).toEqual(['4', '3']);
  expect(await page({ around: ids[2] ?? '' })).toEqual(['3', '2']);
  expect(discord.violations.all).toEqual([]);
});

test('a reply names what it answers and pings its author unless told not to', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const asked = discord.userSays(channel, ada, 'Why?');
  const text = textChannel(client, channel.id);
  const reply = { content: 'Because.', reply: { messageReference: asked.wire.id } };
  await text.send({ ...reply, allowedMentions: { parse: [] } });
  expect(discord.pings()).toEqual([]);
  const sent = await text.send(reply);
  expect(sent.reference?.messageId).toBe(asked.wire.id);
  expect(discord.pings()).toEqual([{ everyone: false, users: [ada.id], roles: [] }]);
  expect(discord.violations.all).toEqual([]);
});

test('a message pings whom it mentions, and no one when no mentions are allowed', async () => {
  await using started = await startConnected();
  const { discord, guild, client, channel, ada } = started;
  const roleId = discord.addRole(guild);
  const text = textChannel(client, channel.id);
  const content = `@everyone <@${ada.id}> <@&${roleId}>`;
  await text.send({ content, allowedMentions: { parse: [] } });
  expect(discord.pings()).toEqual([]);
  await text.send(content);
  expect(discord.pings()).toEqual([{ everyone: false, users: [ada.id], roles: [roleId] }]);
  await text.send(`Type \`<@${ada.id}>\`, or\n\`\`\`\n<@&${roleId}>\n\`\`\``);
  expect(discord.pings()).toHaveLength(1);
  const webhook = await text.createWebhook({ name: 'Sages' });
  await webhook.send(content);
  expect(discord.pings().at(-1)).toEqual({ everyone: true, users: [ada.id], roles: [roleId] });
});

test('a file arrives whole and can be fetched again', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const attachment = Buffer.from('The ballots, as read.');
  const sent = await textChannel(client, channel.id).send({
    files: [{ attachment, name: 'ballots.txt', description: 'what was read' }],
  });
  const [stored] = [...sent.attachments.values()];
  expect(stored).toMatchObject({ name: 'ballots.txt', size: 21, description: 'what was read' });
  const fetched = await fetch(stored?.url ?? '');
  expect(await fetched.text()).toBe('The ballots, as read.');
  expect(discord.violations.all).toEqual([]);
});

test('without the content intent the history shows nothing that others or webhooks wrote', async () => {
  await using started = await startConnected({
    privilegedIntents: [],
    intents: [GatewayIntentBits.Guilds],
  });
  const { discord, client, channel, ada } = started;
  const text = textChannel(client, channel.id);
  discord.userSays(channel, ada, 'secret');
  await text.send('mine');
  const webhook = await text.createWebhook({ name: 'Sages' });
  const said = await webhook.send('through my webhook');
  const history = await text.messages.fetch();
  expect(history.map(({ content }) => content)).toEqual(['', 'mine', '']);
  expect((await webhook.fetchMessage(said.id)).content).toBe('through my webhook');
});

test('a reaction is put on a message and taken away', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const said = discord.userSays(channel, ada, 'Good?');
  const message = await textChannel(client, channel.id).messages.fetch(said.wire.id);
  const reaction = await message.react('👍');
  expect(said.wire.reactions?.[0]).toMatchObject({ count: 1, emoji: { name: '👍' } });
  await reaction.users.remove(client.user.id);
  expect(said.wire.reactions).toBeUndefined();
  expect(discord.violations.all).toEqual([]);
});

test('a direct message goes to the user alone', async () => {
  await using started = await startConnected();
  const { discord, client, ada } = started;
  const user = await client.users.fetch(ada.id);
  await user.send('between us');
  const [message] = discord.messages(discord.directMessages(ada).id);
  expect(message?.wire.content).toBe('between us');
  expect(discord.violations.all).toEqual([]);
});

test('a suppressed notification stays on the message', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const flags = MessageFlags.SuppressNotifications;
  await textChannel(client, channel.id).send({ content: 'quiet', flags });
  expect(discord.messages(channel.id)[0]?.wire.flags).toBe(flags);
});
