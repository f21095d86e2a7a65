import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { startWorld as startDiscord } from '../fakes/discord/connected-client.ts';
import { freePort } from '../fakes/redis-server.ts';
import { startWorld } from '../fakes/slack/connected-app.ts';
import { type FakeSlack, startSlack } from '../fakes/slack/slack.ts';
import { usualScopes } from '../fakes/slack/world/app.ts';
import { letDayPass, threadsLeft } from './left-behind.ts';
import { type RunningProgram, runProgram } from './running-program.ts';

/** What the environment says for a socket. */
function socketOf({ app, installation }: FakeSlack) {
  return { SLACK_BOT_TOKEN: installation().botToken, SLACK_APP_TOKEN: app.appToken };
}

/** What the environment says where the app can be added to several workspaces. */
function severalOf({ app }: FakeSlack) {
  return {
    SLACK_CLIENT_ID: app.clientId,
    SLACK_CLIENT_SECRET: app.clientSecret,
    SLACK_SIGNING_SECRET: app.signingSecret,
    COUNCIL_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
}

function run(
  slack: FakeSlack,
  environment: Readonly<Record<string, string>>,
  settings: { readonly slack?: object; readonly [group: string]: object | undefined } = {},
  ...words: readonly string[]
): RunningProgram {
  const places = { ...settings, slack: { apiUrl: slack.api, ...settings.slack } };
  return runProgram(places, environment, ...words);
}

async function untilPrinted({ printed }: RunningProgram, text: string): Promise<void> {
  await expect.poll(printed).toContain(text);
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** A member asks, and the sage answers under its own name. */
async function hearAda({ slack, ada, channel }: Pick<World, 'slack' | 'ada' | 'channel'>) {
  const { thread } = await ada.mentions(channel, 'Ada: what breaks first?');
  await slack.until(
    () => slack.thread(channel, thread).some(({ author }) => author === 'Ada Sage'),
    `the answer in ${channel.name}`,
  );
}

describe('the program in Slack', () => {
  test('answers over a socket, tells its health, and ends on SIGTERM', async () => {
    await using world = await startWorld();
    const { slack } = world;
    const port = await freePort();
    const program = run(slack, socketOf(slack), { health: { port } });
    await untilPrinted(program, 'Connected to Slack over a socket, for Agora.');
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      200,
      'ok slack: connected to Slack\nok queue: in this process\n',
    ]);
    await hearAda(world);
    expect(await program.end()).toBe(0);
    for (const secret of Object.values(socketOf(slack))) {
      expect(program.printed()).not.toContain(secret);
    }
    slack.assertNoViolations();
  });

  test('answers to signed requests', async () => {
    await using world = await startWorld();
    const { slack } = world;
    const port = await freePort();
    const environment = {
      SLACK_BOT_TOKEN: slack.installation().botToken,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
    };
    const program = run(slack, environment, { slack: { http: { port } } });
    await untilPrinted(program, `Connected to Slack on port ${port}, for Agora.`);
    slack.deliverTo(`http://127.0.0.1:${port}/slack/events`);
    await hearAda(world);
    expect(await program.end()).toBe(0);
    slack.assertNoViolations();
  });

  test('is added to several workspaces, answers in each, and forgets one that takes it out', async () => {
    await using slack = await startSlack({ scopes: scopeNames });
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const environment = severalOf(slack);
    const program = run(slack, environment, { slack: { http: { port, publicUrl } } });
    await untilPrinted(program, `Add it to a workspace: ${publicUrl}/slack/install`);
    expect(program.printed()).toContain('for 0 workspaces');
    slack.deliverTo(`${publicUrl}/slack/events`);

    const worlds = [];
    for (const name of ['Stoa', 'Kepos']) {
      const workspace = slack.addWorkspace(name, { isInstalled: false });
      const ada = slack.addMember(`Ada of ${name}`, { workspace, isOwner: true });
      const page = await ada.installs(`${publicUrl}/slack/install`);
      expect(page.status).toBe(200);
      const channel = await slack.addChannel(`porch-${name}`, { workspace, creator: ada });
      worlds.push({ slack, ada, channel, workspace });
    }
    for (const world of worlds) await hearAda(world);
    const [stoa, kepos] = worlds;
    if (!stoa || !kepos) throw new Error('There are two.');
    const tokens = worlds.map(({ workspace }) => slack.installation(workspace).botToken);
    const posts = slack.calls.filter(({ method }) => method.startsWith('chat.'));
    expect(new Set(posts.map(({ token }) => token))).toEqual(new Set(tokens));

    await slack.uninstall(stoa.workspace);
    await untilPrinted(program, 'the app was removed from a workspace');
    await hearAda(kepos);
    for (const secret of [...tokens, ...Object.values(environment)]) {
      expect(program.printed()).not.toContain(secret);
    }
    expect(await program.end()).toBe(0);
    slack.assertNoViolations();
  });

  test('ends when it is taken out of its only workspace, and forgets it when it is started a day later', async () => {
    await using world = await startWorld();
    const { slack } = world;
    const program = run(slack, socketOf(slack));
    await untilPrinted(program, 'Connected to Slack over a socket');
    await hearAda(world);
    const ended = once(program.child, 'exit');
    await slack.uninstall();
    expect(await ended).toEqual([78, null]);
    expect(program.printed()).toContain('The app was removed from the workspace.');
    const workspace = `slack:${slack.workspace.id}`;
    expect(await threadsLeft(program.folder, workspace)).toHaveLength(1);
    expect(await letDayPass(program.folder)).toBe(1);
    expect(await once(program.again(), 'exit')).toEqual([78, null]);
    expect(await threadsLeft(program.folder, workspace)).toEqual([]);
  });

  test.each([
    { made: 'revoked', code: 'token_revoked', says: 'The app was removed from the workspace.' },
    { made: 'replaced', code: 'invalid_auth', says: 'Slack does not accept the bot’s token' },
  ])(
    'ends when its token was $made and no event says so, and tells a person who asks',
    async ({ made, code, says }) => {
      await using world = await startWorld();
      const { slack, ada, channel } = world;
      const program = run(slack, socketOf(slack));
      await untilPrinted(program, 'Connected to Slack over a socket');
      const ended = once(program.child, 'exit');
      if (made === 'revoked') slack.withdraw();
      else slack.reinstall();
      await ada.commands(channel, '/council ask Ada: what breaks first?');
      expect(await ended).toEqual([78, null]);
      expect(program.printed()).toContain(says);
      const [told] = slack.messages(channel).map(({ text }) => text);
      expect(told).toContain(
        `That did not work: Slack does not accept the bot’s token (${code}). Install the app in the workspace again`,
      );
    },
  );

  test('refuses to add the app in another browser than the one that asked', async () => {
    await using slack = await startSlack({ scopes: scopeNames });
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const program = run(slack, severalOf(slack), { slack: { http: { port, publicUrl } } });
    await untilPrinted(program, 'Add it to a workspace');
    const page = await (await fetch(`${publicUrl}/slack/install`)).text();
    const state = /[?&;]state=([^&"]+)/.exec(page)?.[1] ?? '';
    expect(state).not.toBe('');
    const led = await fetch(`${publicUrl}/slack/oauth_redirect?code=stolen&state=${state}`);
    expect(led.status).toBe(400);
    expect(slack.calls.filter(({ method }) => method === 'oauth.v2.access')).toEqual([]);
  });

  test('answers in Discord as well where both have their tokens', async () => {
    await using world = await startWorld();
    await using discordWorld = await startDiscord();
    const { slack } = world;
    const { discord, channel, ada } = discordWorld;
    const port = await freePort();
    const environment = { ...socketOf(slack), DISCORD_TOKEN: discord.token };
    const settings = { discord: { apiUrl: discord.api }, health: { port } };
    const program = run(slack, environment, settings);
    await untilPrinted(program, 'Connected to Slack over a socket');
    expect(program.printed()).toContain('Connected to Discord, in 1 server.');
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(await ready.text()).toBe(
      'ok discord: connected to Discord\nok slack: connected to Slack\nok queue: in this process\n',
    );
    const options = { question: 'Ada: what breaks first?' };
    discord.slash({ user: ada, channel, command: 'council', subcommand: 'ask', options });
    const said = () => discord.messages(discord.threads(channel.id)[0]?.id ?? '');
    await Promise.all([
      hearAda(world),
      discord.until(() => said().some(({ wire }) => wire.author.username === 'Ada Sage'), 'Ada'),
    ]);
    expect(await program.end()).toBe(0);
  });

  test('names each scope that is missing, and how it is granted', async () => {
    const scopes = usualScopes.filter((scope) => scope !== 'chat:write.customize');
    await using slack = await startSlack({ scopes });
    const program = run(slack, socketOf(slack));
    await untilPrinted(program, 'config/slack-manifest.yaml');
    expect(program.printed()).toContain('In Agora it lacks chat:write.customize: the sages speak');
  });

  test('ends with what to do when a token is not accepted', async () => {
    await using slack = await startSlack();
    const wrong = 'xoxb-wrong-and-secret';
    const { child, printed } = run(slack, { ...socketOf(slack), SLACK_BOT_TOKEN: wrong });
    const [code] = await once(child, 'exit');
    expect(code).toBe(78);
    expect(printed()).toContain('SLACK_BOT_TOKEN');
    expect(printed()).not.toContain('    at ');
    expect(printed()).not.toContain(wrong);
  });

  test('ends with what to add when the environment is set in part', async () => {
    await using slack = await startSlack();
    const { SLACK_BOT_TOKEN } = socketOf(slack);
    const { child, printed } = run(slack, { SLACK_BOT_TOKEN });
    const [code] = await once(child, 'exit');
    expect(code).toBe(78);
    expect(printed()).toContain('environment SLACK_APP_TOKEN: is missing');
    expect(slack.calls).toEqual([]);
  });

  test('ends on SIGTERM while Slack is away, too', async () => {
    const slack = await startSlack();
    const port = await freePort();
    const program = run(slack, socketOf(slack), { health: { port } });
    await untilPrinted(program, 'Connected to Slack');
    await slack.close();
    await untilPrinted(program, 'Slack gave no socket address; trying again');
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(await ready.text()).toBe(
      'not ok slack: waiting for the socket to Slack\nok queue: in this process\n',
    );
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(await program.end()).toBe(0);
  });

  test('ends on SIGTERM while it is connecting, too', async () => {
    await using slack = await startSlack();
    slack.faults.plan('apps.connections.open', { kind: 'silence' });
    const program = run(slack, socketOf(slack));
    await slack.until(
      () => slack.calls.some(({ method }) => method === 'apps.connections.open'),
      'the first call',
    );
    expect(await program.end()).toBe(0);
  });

  test('is looked at by doctor: tokens, scopes, and the way to the socket', async () => {
    const scopes = usualScopes.filter((scope) => scope !== 'commands');
    await using slack = await startSlack({ scopes });
    const { child, printed } = run(slack, socketOf(slack), {}, 'doctor');
    await once(child, 'exit');
    expect(printed()).toContain('✓ Slack: the token is accepted, for Agora; it lacks commands:');
    expect(printed()).toContain('the app token is accepted, and its socket can be reached');
    expect(slack.sockets.connections()).toBe(0);
  });

  test('is looked at by doctor where anybody may add it', async () => {
    await using slack = await startSlack();
    const { child, printed } = run(slack, severalOf(slack), {}, 'doctor');
    await once(child, 'exit');
    expect(printed()).toContain('✓ Slack: Slack can be reached; tokens of workspaces');
    await slack.close();
    const { child: again, printed: printedAgain } = run(slack, severalOf(slack), {}, 'doctor');
    const [code] = await once(again, 'exit');
    expect(code).toBe(1);
    expect(printedAgain()).toContain("✗ Slack: Slack can't be reached: no answer from 127.0.0.1");
  });

  test('is told by doctor which token is wrong', async () => {
    await using slack = await startSlack();
    const wrong = { ...socketOf(slack), SLACK_APP_TOKEN: 'xapp-1-wrong' };
    const { child, printed } = run(slack, wrong, {}, 'doctor');
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    expect(printed()).toContain('✗ Slack: Slack does not accept SLACK_APP_TOKEN (invalid_auth)');
  });
});
