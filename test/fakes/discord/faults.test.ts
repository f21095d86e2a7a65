import { expect, test } from 'vitest';
import { startConnected, textChannel } from './connected-client.ts';

const route = 'POST /channels/{channel_id}/messages';

test('a failing status is answered as often as planned, and nothing is done', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  discord.faults.failNext(route, { kind: 'status', status: 503 }, 2);
  await textChannel(client, channel.id).send('x');
  expect(discord.calls.map(({ status }) => status).slice(-3)).toEqual([503, 503, 200]);
  expect(discord.messages(channel.id)).toHaveLength(1);
});

test('a request whose answer is lost has been done, so that a retry posts twice', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  discord.faults.failNext(route, { kind: 'silence after processing' });
  await textChannel(client, channel.id).send('x');
  expect(discord.messages(channel.id)).toHaveLength(2);
});

test('an enforced nonce makes that retry harmless', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  discord.faults.failNext(route, { kind: 'silence after processing' });
  await textChannel(client, channel.id).send({ content: 'x', nonce: 'n', enforceNonce: true });
  expect(discord.messages(channel.id)).toHaveLength(1);
});

test.each([
  ['drop', 0],
  ['drop after processing', 1],
] as const)('after a "%s" the client gives up, and %i messages are there', async (kind, count) => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  discord.faults.failNext(route, { kind });
  await expect(textChannel(client, channel.id).send('x')).rejects.toThrow();
  expect(discord.messages(channel.id)).toHaveLength(count);
});

test('a listener hears of a request when it is done and not yet answered', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const there: number[] = [];
  const stop = discord.onCall((call) => {
    if (call.route === route) there.push(discord.messages(channel.id).length);
  });
  await textChannel(client, channel.id).send('one');
  stop();
  await textChannel(client, channel.id).send('two');
  expect(there).toEqual([1]);
});

test('what the bot never does is told with what it did instead', async () => {
  await using started = await startConnected();
  const { discord, client } = started;
  await client.rest.get('/users/@me');
  await expect(discord.until(() => false, 'a miracle', 50)).rejects.toThrow(
    /a miracle[\s\S]*GET \/users\/@me -> 200/,
  );
});

test('an unknown route answers 404 and is in the journal', async () => {
  await using started = await startConnected();
  const { discord, client } = started;
  await expect(client.rest.get('/voice/regions')).rejects.toMatchObject({ status: 404 });
  expect(discord.calls.at(-1)).toMatchObject({ route: 'GET /voice/regions', status: 404 });
});
