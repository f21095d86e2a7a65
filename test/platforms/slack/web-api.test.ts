import { describe, expect, test } from 'vitest';
import { createPacer } from '../../../src/platforms/chat/pacing/pacer.ts';
import {
  RateLimitedError,
  SetupError,
  UnansweredError,
} from '../../../src/platforms/chat/pacing/platform-error.ts';
import { withRetries, withRetryAfter } from '../../../src/platforms/slack/api/patience.ts';
import { createSlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { SlackRefusal } from '../../../src/platforms/slack/slack-error.ts';
import { startWorld } from '../../fakes/slack/connected-app.ts';
import { unlimited } from '../unlimited.ts';

async function startApi(timeoutMs = 2000) {
  const world = await startWorld();
  const { slack, channel } = world;
  const tokens = [slack.installation().botToken];
  const api = createSlackApi({ tokenOf: () => tokens[0] ?? '', apiUrl: slack.api, timeoutMs });
  const team = slack.workspace.id;
  const post = (text: string, signal?: AbortSignal, into = channel.id) =>
    api.call(team, 'chat.postMessage', { channel: into, text }, signal);
  return { ...world, api, team, post, tokens };
}

describe('the Web API', () => {
  test('tells a refusal apart, with the scope that is wanted', async () => {
    await using world = await startApi();
    world.slack.setScopes(['commands']);
    const refused = await world.post('Hello').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SlackRefusal);
    expect(refused).toMatchObject({ code: 'missing_scope', neededScope: 'chat:write' });
  });

  test('names what to do about a token that is no longer good, and not the token', async () => {
    await using world = await startApi();
    world.tokens[0] = 'xoxb-gone';
    const refused = await world.post('Hello').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SetupError);
    expect(String(refused)).toContain('SLACK_BOT_TOKEN');
    expect(String(refused)).not.toContain('xoxb-gone');
  });

  test('says that no new token helps an app whose tokens expire', async () => {
    await using world = await startApi();
    world.slack.faults.plan('chat.postMessage', { kind: 'refusal', error: 'token_expired' });
    const refused = await world.post('Hello').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SetupError);
    expect(String(refused)).toContain('Create the app again from config/slack-manifest.yaml');
  });

  test.each(['is_archived', 'ekm_access_denied', 'restricted_action_non_threadable_channel'])(
    'knows by %s that nothing more can be posted there',
    async (code) => {
      await using world = await startApi();
      world.slack.faults.plan('chat.postMessage', { kind: 'refusal', error: code });
      const refused = await world.post('Hello').catch((error: unknown) => error);
      expect(refused).toMatchObject({ code, closesPlace: true });
    },
  );

  test.each([
    ['a failure', { kind: 'status', status: 503 }],
    ['a broken connection', { kind: 'drop' }],
    ['silence', { kind: 'silence' }],
    ['its own words for a failure', { kind: 'refusal', error: 'fatal_error' }],
    ['a workspace that is being moved', { kind: 'refusal', error: 'team_added_to_org' }],
    ['one that no one can enter meanwhile', { kind: 'refusal', error: 'org_login_required' }],
    ['a channel that is being shared', { kind: 'refusal', error: 'external_channel_migrating' }],
    ['an edit that Slack itself failed at', { kind: 'refusal', error: 'update_failed' }],
  ] as const)('counts %s as no answer, and tries once', async (_what, fault) => {
    await using world = await startApi(200);
    world.slack.faults.plan('chat.postMessage', fault, { times: 9 });
    await expect(world.post('Hello')).rejects.toBeInstanceOf(UnansweredError);
    expect(world.slack.calls).toHaveLength(1);
  });

  test('says how long a limit holds', async () => {
    await using world = await startApi();
    world.slack.faults.plan('chat.postMessage', { kind: 'rate limit', retryAfterSeconds: 7 });
    const limited = await world.post('Hello').catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(RateLimitedError);
    expect(limited).toMatchObject({ retryAfterMs: 7000 });
  });

  test('lets other channels speak while one is held back', async () => {
    await using world = await startApi();
    const other = await world.slack.addChannel('other', { creator: world.ada });
    const { id } = world.channel;
    world.slack.faults.plan(
      'chat.postMessage',
      { kind: 'rate limit', retryAfterSeconds: 1 },
      { when: ({ args }) => args.channel === id },
    );
    const pacer = createPacer(unlimited);
    const order: string[] = [];
    const paced = (into: string, text: string) =>
      pacer
        .post({ thread: into, channel: into }, () => world.post(text, undefined, into))
        .then(() => order.push(text));
    await Promise.all([paced(id, 'held back'), paced(other.id, 'free'), paced(other.id, 'too')]);
    expect(order).toEqual(['free', 'too', 'held back']);
    expect(world.slack.messages(world.channel).map(({ text }) => text)).toEqual(['held back']);
  });

  test('gives up waiting when it is told to', async () => {
    await using world = await startApi();
    world.slack.faults.plan('chat.postMessage', { kind: 'silence' });
    const end = new AbortController();
    const posted = world.post('Hello', end.signal);
    await world.slack.until(() => world.slack.calls.length === 1, 'it was asked');
    end.abort(new Error('shut down'));
    await expect(posted).rejects.toThrow('shut down');
  });

  test('asks again where that does no harm, while no answer comes', async () => {
    await using world = await startApi();
    world.slack.faults.plan('auth.test', { kind: 'status', status: 500 }, { times: 2 });
    const patient = withRetries(world.api, [1, 1]);
    expect(await patient.call(world.team, 'auth.test', {})).toMatchObject({ ok: true });
    expect(world.slack.calls).toHaveLength(3);
  });

  test('comes back when a limit is over, and not for ever', async () => {
    await using world = await startApi();
    const patient = withRetryAfter(world.api);
    world.slack.faults.plan('auth.test', { kind: 'rate limit', retryAfterSeconds: 0 });
    expect(await patient.call(world.team, 'auth.test', {})).toMatchObject({ ok: true });
    world.slack.faults.plan('auth.test', { kind: 'rate limit', retryAfterSeconds: 3600 });
    await expect(patient.call(world.team, 'auth.test', {})).rejects.toBeInstanceOf(
      RateLimitedError,
    );
  });
});
