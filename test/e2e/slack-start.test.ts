import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../commands/index.ts';
import { SetupError, UnansweredError } from '../../src/platforms/chat/pacing/platform-error.ts';
import { createSlack, type Slack, type SlackAccess } from '../../src/platforms/slack/slack.ts';
import { signedHeaders } from '../fakes/slack/delivery/signature.ts';
import { type FakeSlack, startSlack } from '../fakes/slack/slack.ts';
import { usualScopes } from '../fakes/slack/world/app.ts';
import { recordingLog } from '../platforms/discord/discord-world.ts';
import { unstored } from '../platforms/slack/unstored.ts';

const nobody = {
  settings: async () => ({ bench: [], followUpMode: 'mention' as const }),
  ask: async () => ({ status: 'refused' as const, reason: 'closed' }),
  sideTask: async () => ({ status: 'refused', reason: 'no' }) as const,
  command: async () => ({ isPrivate: true, blocks: [] }),
  stop: async () => false,
  turnOf: async () => undefined,
  deleted: async () => undefined,
  left: async () => undefined,
  memberships: async () => undefined,
  overview: async () => ({ bench: [], defaults: [], recent: [] }),
  abandoned: async () => [],
  addressableSages: async () => [],
  mayGreet: async () => false,
  mayReply: async () => false,
  suggest: async () => [],
  interpret: async () => undefined,
};

function overSocket(
  { app, installation }: FakeSlack,
  wrong: { botToken?: string; appToken?: string } = {},
) {
  const { botToken } = installation();
  return { kind: 'socket', botToken, appToken: app.appToken, ...wrong } as const;
}

function overHttp({ app, installation }: FakeSlack, port = 0) {
  const { botToken } = installation();
  const { signingSecret } = app;
  return { kind: 'requests', botToken, signingSecret, host: '127.0.0.1', port } as const;
}

/** The platform, pointed at the fake; it is stopped after the test. */
function slackWith(slack: FakeSlack, access: SlackAccess) {
  const { log, lines } = recordingLog();
  const platform = createSlack({
    ...unstored,
    access,
    commands,
    log,
    apiUrl: slack.api,
    requestTimeoutMs: 1000,
    openWithinMs: 3000,
  });
  onTestFinished(() => platform.stop());
  return { platform, lines };
}

async function failureOf(platform: Slack): Promise<unknown> {
  return platform.start(nobody).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the start in Slack', () => {
  test('connects over a socket, and its health says so', async () => {
    await using slack = await startSlack();
    const { platform } = slackWith(slack, overSocket(slack));
    expect(platform.health().isListening).toBe(false);
    await platform.start(nobody);
    expect(platform.health()).toEqual({
      isListening: true,
      silentMs: 0,
      text: 'connected to Slack',
    });
    expect(platform.report()).toMatchObject({ names: ['Agora'], gaps: [], unreadable: [] });
    await platform.stop();
    await expect.poll(() => slack.sockets.connections()).toBe(0);
  });

  test('names each scope that is missing, with what is lost', async () => {
    const scopes = usualScopes.filter(
      (scope) => scope !== 'chat:write.customize' && scope !== 'commands',
    );
    await using slack = await startSlack({ scopes });
    const { platform, lines } = slackWith(slack, overSocket(slack));
    await platform.start(nobody);
    const { gaps } = platform.report();
    expect(gaps.map(({ scope }) => scope)).toEqual(['chat:write.customize', 'commands']);
    expect(gaps[0]).toMatchObject({ workspace: 'Agora', lost: expect.stringContaining('names') });
    expect(lines.join('\n')).toContain('without commands, /council');
  });

  test('is refused with a wrong bot token, which is not shown', async () => {
    await using slack = await startSlack();
    const botToken = 'xoxb-wrong-1234567';
    const { platform, lines } = slackWith(slack, overSocket(slack, { botToken }));
    const error = await failureOf(platform);
    expect(error).toBeInstanceOf(SetupError);
    expect(String(error)).toContain('SLACK_BOT_TOKEN');
    expect(`${error} ${lines}`).not.toContain(botToken);
  });

  test('is refused with a wrong app token', async () => {
    await using slack = await startSlack();
    const { platform } = slackWith(slack, overSocket(slack, { appToken: 'xapp-1-wrong' }));
    const error = await failureOf(platform);
    expect(error).toBeInstanceOf(SetupError);
    expect(String(error)).toContain('SLACK_APP_TOKEN');
    expect(String(error)).toContain('connections:write');
    expect(platform.health().isListening).toBe(false);
  });

  test('is given up when Slack does not answer, and the process could end', async () => {
    const slack = await startSlack();
    const access = overSocket(slack);
    const { platform } = slackWith(slack, access);
    await slack.close();
    expect(await failureOf(platform)).toBeInstanceOf(UnansweredError);
  });

  test('takes a socket that is refused for a while', async () => {
    await using slack = await startSlack();
    slack.faults.plan('apps.connections.open', { kind: 'status', status: 503 });
    const { platform, lines } = slackWith(slack, overSocket(slack));
    await platform.start(nobody);
    expect(platform.health().isListening).toBe(true);
    expect(lines.join('\n')).toContain('Slack gave no socket address; trying again');
  });

  test('comes back after an outage, and its health says so meanwhile, and the log once', async () => {
    await using slack = await startSlack();
    const { platform, lines } = slackWith(slack, overSocket(slack));
    await platform.start(nobody);
    await expect.poll(() => slack.sockets.connections()).toBe(2);
    slack.faults.plan('apps.connections.open', { kind: 'drop' }, { times: 4 });
    slack.sockets.cut();
    await expect.poll(() => platform.health().isListening).toBe(false);
    expect(platform.health().text).toBe('waiting for the socket to Slack');
    await expect.poll(() => platform.health().isListening, { timeout: 20_000 }).toBe(true);
    await expect.poll(() => slack.sockets.connections(), { timeout: 20_000 }).toBe(2);
    expect(lines.filter((line) => line.includes('trying again'))).toHaveLength(1);
    expect(lines).toContain('info connected to Slack again');
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test('can be stopped before it is done', async () => {
    await using slack = await startSlack();
    slack.faults.plan('apps.connections.open', { kind: 'silence' });
    const { platform } = slackWith(slack, overSocket(slack));
    const failure = failureOf(platform);
    await slack.until(
      () => slack.calls.some(({ method }) => method === 'apps.connections.open'),
      'the first call',
    );
    await platform.stop();
    expect(await failure).toBeInstanceOf(UnansweredError);
  });

  test('awaits signed requests, and refuses a wrong and an old signature', async () => {
    await using slack = await startSlack();
    const { platform, lines } = slackWith(slack, overHttp(slack));
    await platform.start(nobody);
    const { listeningOn } = platform.report();
    expect(platform.health().text).toBe(`listening for Slack on port ${listeningOn}`);
    const url = `http://127.0.0.1:${listeningOn}/slack/events`;
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c1' });
    const send = (secret: string, atMs: number, sent = body) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signedHeaders(secret, body, atMs) },
        body: sent,
      });
    const { signingSecret } = slack.app;
    const taken = await send(signingSecret, Date.now());
    expect([taken.status, await taken.json()]).toEqual([200, { challenge: 'c1' }]);
    expect(lines.join()).not.toContain('SLACK_SIGNING_SECRET');
    expect((await send('another secret', Date.now())).status).toBe(401);
    expect(lines.join()).toContain('SLACK_SIGNING_SECRET is not the Signing Secret');
    expect((await send(signingSecret, Date.now() - 6 * 60_000)).status).toBe(401);
    expect((await send(signingSecret, Date.now(), body.replace('c1', 'c2'))).status).toBe(401);
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
    // Not even parsed: a megabyte of nested lists takes long.
    expect((await fetch(url, { method: 'POST', body: '[' })).status).toBe(401);
    expect((await fetch(url)).status).toBe(404);
    await platform.stop();
    expect(platform.health().isListening).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('reads no more of a request than Slack would ever send', async () => {
    await using slack = await startSlack();
    const { platform } = slackWith(slack, overHttp(slack));
    await platform.start(nobody);
    const body = `"${'a'.repeat(2 * 1024 * 1024)}"`;
    const response = await fetch(`http://127.0.0.1:${platform.report().listeningOn}/slack/events`, {
      method: 'POST',
      headers: signedHeaders(slack.app.signingSecret, body, Date.now()),
      body,
    }).catch(() => undefined);
    expect([413, undefined]).toContain(response?.status);
  });

  test('is refused on a port that is taken, with the setting to change', async () => {
    await using slack = await startSlack();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { platform } = slackWith(slack, overHttp(slack, port));
    const error = await failureOf(platform);
    expect(error).toBeInstanceOf(SetupError);
    expect(String(error)).toContain('slack.http.port');
  });

  test.each([
    ['the app token is revoked', 'token_revoked', 'SLACK_APP_TOKEN'],
    ['Socket Mode is switched off', 'socket_mode_not_enabled', 'Socket Mode is off'],
  ])('ends the platform for good when %s while it runs', async (_what, error, words) => {
    await using slack = await startSlack();
    const { platform } = slackWith(slack, overSocket(slack));
    await platform.start(nobody);
    slack.faults.plan('apps.connections.open', { kind: 'refusal', error });
    slack.sockets.sendFrame(JSON.stringify({ type: 'disconnect', reason: 'link_disabled' }));
    slack.sockets.cut();
    await expect(platform.finished).rejects.toThrow(words);
  });

  test('is refused while Socket Mode is off', async () => {
    await using slack = await startSlack();
    const off = { kind: 'refusal', error: 'socket_mode_not_enabled' } as const;
    slack.faults.plan('apps.connections.open', off, { times: 2 });
    const error = await failureOf(slackWith(slack, overSocket(slack)).platform);
    expect(error).toBeInstanceOf(SetupError);
    expect(String(error)).toContain('Socket Mode is off');
  });
});
