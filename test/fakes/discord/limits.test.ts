import { MessageFlags, type RESTPostAPIChannelMessageJSONBody } from 'discord.js';
import { expect, test } from 'vitest';
import { startConnected } from './connected-client.ts';

const v2 = MessageFlags.IsComponentsV2;
const text = (content: string) => ({ type: 10, content });
const button = (number: number) => ({ type: 2, style: 1, label: 'x', custom_id: `b${number}` });
const row = (first: number) => ({
  type: 1,
  components: [0, 1, 2, 3, 4].map((number) => button(first + number)),
});
const option = (number: number) => ({ label: `${number}`, value: `${number}` });
const times = <Item>(count: number, make: (number: number) => Item) =>
  Array.from({ length: count }, (_, number) => make(number));

test.each([
  ['2,001 characters', { content: 'x'.repeat(2001) }, /2000 or fewer/],
  ['eleven embeds', { embeds: times(11, () => ({ title: 'x' })) }, /<=10/],
  [
    'embeds of 6,001 characters',
    { embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] },
    /6000/,
  ],
  ['content beside Components V2', { content: 'x', components: [text('y')], flags: v2 }, /content/],
  ['an embed beside Components V2', { embeds: [{ title: 'x' }], flags: v2 }, /embeds/],
  ['Components V2 without its flag', { components: [text('x')] }, /IS_COMPONENTS_V2/],
  [
    'forty-one components',
    {
      components: [...times(6, (count) => row(count * 5)), ...times(5, () => text('x'))],
      flags: v2,
    },
    /cannot exceed 40/,
  ],
  [
    '4,001 characters of components',
    { components: [text('x'.repeat(2000)), text('x'.repeat(2001))], flags: v2 },
    /4000/,
  ],
  [
    'a menu of twenty-six options',
    {
      components: [
        { type: 1, components: [{ type: 3, custom_id: 'm', options: times(26, option) }] },
      ],
    },
    /./,
  ],
  ['one custom id twice', { components: [{ type: 1, components: [button(1), button(1)] }] }, /b1/],
  ['an unknown component', { components: [{ type: 99 }] }, /./],
])('a message is refused for %s, and that is noted', async (_, body, reason) => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const post = client.rest.post(`/channels/${channel.id}/messages`, { body });
  await expect(post).rejects.toMatchObject({ code: 50035, status: 400 });
  expect(discord.violations.all).toMatchObject([
    { kind: 'request', problems: [expect.stringMatching(reason)] },
  ]);
});

test.each<[string, RESTPostAPIChannelMessageJSONBody]>([
  ['2,000 characters', { content: 'x'.repeat(2000) }],
  ['2,000 emoji', { content: '🙂'.repeat(2000) }],
])('a message of %s is taken', async (_, body) => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  await client.rest.post(`/channels/${channel.id}/messages`, { body });
  expect(discord.violations.all).toEqual([]);
});

test('an empty message is refused', async () => {
  await using started = await startConnected();
  const { client, channel } = started;
  const post = client.rest.post(`/channels/${channel.id}/messages`, { body: { content: ' ' } });
  await expect(post).rejects.toMatchObject({ code: 50006 });
});

test('Components V2 cannot be taken from a message again', async () => {
  await using started = await startConnected();
  const { client, channel } = started;
  const path = `/channels/${channel.id}/messages` as const;
  const posted = await client.rest.post(path, { body: { components: [text('x')], flags: v2 } });
  const { id } = discordMessage(posted);
  const edit = client.rest.patch(`${path}/${id}`, { body: { flags: 0 } });
  await expect(edit).rejects.toMatchObject({ code: 50035 });
});

test.each([
  ['', /./],
  ['x'.repeat(81), /./],
  ['Clyde', /clyde/i],
  ['My Discord sage', /discord/i],
  ['Here', /cannot be/],
])('a webhook may not be named "%s"', async (name, reason) => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const create = client.rest.post(`/channels/${channel.id}/webhooks`, { body: { name } });
  await expect(create).rejects.toMatchObject({ code: 50035 });
  expect(discord.violations.all[0]?.problems.join()).toMatch(reason);
});

test('a persona may not be named after Discord or wear a picture that is no address', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  await client.rest.post(`/channels/${channel.id}/webhooks`, { body: { name: 'Sages' } });
  const [webhook] = discord.state.webhooks.values();
  const path = `/webhooks/${webhook?.id}/${webhook?.token}` as const;
  const named = { content: 'x', username: 'discordant' };
  await expect(client.rest.post(path, { body: named })).rejects.toMatchObject({ code: 50035 });
  const pictured = { content: 'x', avatar_url: 'file:///seneca.png' };
  await expect(client.rest.post(path, { body: pictured })).rejects.toMatchObject({ code: 50035 });
});

test('a thread name is at most 100 characters long', async () => {
  await using started = await startConnected();
  const { client, channel } = started;
  const body = { name: 'x'.repeat(101), type: 11 };
  const create = client.rest.post(`/channels/${channel.id}/threads`, { body });
  await expect(create).rejects.toMatchObject({ code: 50035 });
});

function discordMessage(posted: unknown): { id: string } {
  if (typeof posted === 'object' && posted !== null && 'id' in posted) {
    return { id: String(posted.id) };
  }
  throw new Error('No message came back.');
}
