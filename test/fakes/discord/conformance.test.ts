import { MessageResponseSchema } from 'discord-api-spec/zod';
import { assert, asyncProperty, constantFrom, jsonValue } from 'fast-check';
import { expect, test } from 'vitest';
import { violationLog } from '../violation-log.ts';
import { startConnected, startWorld, textChannel } from './connected-client.ts';
import { checkAnswer } from './spec/conformance.ts';
import { unknownFields } from './spec/unknown-fields.ts';
import type { Violation } from './spec/violations.ts';

test('a body that breaks the schema is refused as Discord refuses it, and noted', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const body = { content: 7, embeds: 'none' };
  const post = client.rest.post(`/channels/${channel.id}/messages`, { body });
  await expect(post).rejects.toMatchObject({
    code: 50035,
    rawError: { errors: { content: { _errors: [{ code: 'INVALID_TYPE' }] } } },
  });
  expect(discord.violations.all).toMatchObject([
    { kind: 'request', route: 'POST /channels/{channel_id}/messages' },
  ]);
});

test('a field that Discord does not know is noted', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const body = { content: 'x', enforced_nonce: true, embeds: [{ titel: 'x', title: 'x' }] };
  await client.rest.post(`/channels/${channel.id}/messages`, { body });
  expect(discord.violations.all).toMatchObject([
    { kind: 'unknown field', problems: ['enforced_nonce', 'embeds.0.titel'] },
  ]);
});

test('an answer of the fake that breaks the schema, or says more than it, is noted', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  await textChannel(client, channel.id).send('x');
  const answer = discord.messages(channel.id)[0]?.wire;
  const violations = violationLog<Violation>();
  checkAnswer(violations, 'GET /x', MessageResponseSchema, answer);
  expect(violations.all).toEqual([]);
  checkAnswer(violations, 'GET /x', MessageResponseSchema, { ...answer, pinned: 'no' });
  checkAnswer(violations, 'GET /x', MessageResponseSchema, { ...answer, mood: 'good' });
  expect(violations.all.map(({ problems }) => problems[0])).toEqual([
    expect.stringContaining('pinned'),
    'mood: not a field of this answer',
  ]);
});

test('an answer that is wrong on the wire is noted by the running server', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const said = discord.userSays(channel, ada, 'x');
  said.wire = { ...said.wire, timestamp: 'yesterday' };
  await client.rest.get(`/channels/${channel.id}/messages/${said.wire.id}`);
  expect(discord.violations.all).toMatchObject([
    { kind: 'answer', problems: [expect.stringContaining('timestamp')] },
  ]);
});

test('a mistake of the fake itself is answered with 500 and noted', async () => {
  await using started = await startWorld();
  const { discord, channel } = started;
  discord.state.channels.get = () => {
    throw new Error('The shelf fell down.');
  };
  const { status } = await fetch(`${discord.api}/v10/channels/${channel.id}`, {
    headers: { authorization: `Bot ${discord.token}` },
  });
  expect(status).toBe(500);
  expect(discord.violations.all[0]?.problems[0]).toContain('The shelf fell down.');
});

test('what a client sends along without asking for anything is not noted', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const body = { content: 'x', shiny: false, mood: null };
  await client.rest.post(`/channels/${channel.id}/messages`, { body });
  expect(discord.violations.all).toEqual([]);
});

test('fields that a schema does not know are named by their path', () => {
  const given = { a: 1, b: null, c: [{ d: 1, e: { f: true } }] };
  expect(unknownFields(given, { a: 1, c: [{ e: {} }] })).toEqual(['b', 'c.0.d', 'c.0.e.f']);
});

test('no body whatsoever makes the fake itself fail', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const webhook = await textChannel(client, channel.id).createWebhook({ name: 'Sages' });
  const { id } = await textChannel(client, channel.id).send('x');
  const paths = constantFrom(
    ['POST', `/channels/${channel.id}/messages`],
    ['PATCH', `/channels/${channel.id}/messages/${id}`],
    ['POST', `/channels/${channel.id}/threads`],
    ['POST', `/channels/${channel.id}/webhooks`],
    ['POST', `/webhooks/${webhook.id}/${webhook.token}`],
    ['PUT', `/applications/${discord.applicationId}/commands`],
    ['POST', '/users/@me/channels'],
  );
  await assert(
    asyncProperty(paths, jsonValue(), async ([method, path], body) => {
      const { status } = await fetch(`${discord.api}/v10${path}`, {
        method: method ?? '',
        headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(status).toBeLessThan(500);
    }),
  );
});
