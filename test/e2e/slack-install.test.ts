import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../commands/index.ts';
import { listenedRecords, slackRecords } from '../../src/app/platforms.ts';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { createSlack } from '../../src/platforms/slack/slack.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startBot } from '../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { hostileRequests, sendBytes } from '../fakes/hostile-requests.ts';
import { type FakeSlack, startSlack } from '../fakes/slack/slack.ts';
import { recordingLog } from '../platforms/discord/discord-world.ts';
import { unstored } from '../platforms/slack/unstored.ts';

const newKey = () => randomBytes(32).toString('base64');

/** A bot that anybody may add, in whose store the installations are kept. It ends with the test. */
async function startForAll(
  slack: FakeSlack,
  {
    encryptionKey = newKey(),
    store = openSqliteStore({ path: ':memory:' }),
    beforeRead = async () => undefined,
    now = Date.now,
  }: {
    readonly encryptionKey?: string;
    readonly store?: Store;
    /** Before an installation is read. */
    readonly beforeRead?: () => Promise<void>;
    /** Milliseconds since 1970. */
    readonly now?: () => number;
  } = {},
) {
  const { log, lines } = recordingLog();
  const { clientId, clientSecret, signingSecret } = slack.app;
  const records = slackRecords(store.settings, Date.now);
  const platform = createSlack({
    ...unstored,
    access: {
      kind: 'several workspaces',
      clientId,
      clientSecret,
      signingSecret,
      encryptionKey,
      host: '127.0.0.1',
      port: 0,
      records: { ...records, read: (team) => beforeRead().then(() => records.read(team)) },
    },
    commands,
    log,
    now,
    listened: listenedRecords('slack', store.settings, now),
    apiUrl: slack.api,
    requestTimeoutMs: 1000,
  });
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('No.')] } });
  const bot = await startBot(models, { platforms: [platform] }, store);
  onTestFinished(() => bot.shutDown());
  const origin = `http://127.0.0.1:${platform.report().listeningOn}`;
  slack.deliverTo(`${origin}/slack/events`);
  return {
    platform,
    bot,
    store,
    lines,
    page: `${origin}/slack/install`,
    back: `${origin}/slack/oauth_redirect`,
  };
}

/** A workspace in which the app is not yet, and its owner. */
async function emptyWorkspace(slack: FakeSlack) {
  const stoa = slack.addWorkspace('Stoa', { isInstalled: false });
  const zeno = slack.addMember('Zeno', { workspace: stoa, isOwner: true });
  return { stoa, zeno };
}

describe('the page that adds the app', () => {
  test('keeps the token, and asks for just the scopes that are needed', async () => {
    await using slack = await startSlack();
    const { zeno, stoa } = await emptyWorkspace(slack);
    const { page, back, store, lines } = await startForAll(slack);
    const shown = await zeno.installs(page, { back });
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Thank you')]);
    expect([...slack.installation(stoa).scopes].toSorted()).toEqual(scopeNames.toSorted());
    const { botToken } = slack.installation(stoa);
    const [kept] = await store.settings.read([`slack:installation:${stoa.id}`]);
    expect(JSON.stringify(kept)).not.toContain(botToken);
    expect(lines.join('\n')).not.toContain(botToken);
  });

  test('keeps nothing when the person does not allow it', async () => {
    await using slack = await startSlack();
    const { zeno, stoa } = await emptyWorkspace(slack);
    const { page, back, store } = await startForAll(slack);
    const shown = await zeno.installs(page, { back, refuses: true });
    expect(shown.status).toBe(500);
    expect(
      await store.settings.read([`slack:installation:${stoa.id}`, 'slack:installations']),
    ).toEqual([{}, {}]);
  });

  test('survives whatever comes to it', async () => {
    await using slack = await startSlack();
    const { zeno } = await emptyWorkspace(slack);
    const { page, back, platform } = await startForAll(slack);
    const { listeningOn = 0 } = platform.report();
    const paths = ['/slack/install', '/slack/oauth_redirect'];
    const queries = [
      '?',
      '?code',
      '?code=%',
      '?state=x&code=x',
      '?error=%e0',
      '?state=__proto__&code=1',
    ];
    const cookies = [
      '',
      'slack-app-oauth-state',
      'slack-app-oauth-state=%',
      'slack-app-oauth-state=x',
      ';=;=;',
    ];
    const requests = [
      ...Object.values(hostileRequests),
      ...paths.flatMap((path) => [
        ...Object.values(hostileRequests).map((bytes) =>
          bytes.replaceAll(' / HTTP', ` ${path} HTTP`),
        ),
        ...queries.flatMap((query) =>
          cookies.map(
            (cookie) =>
              `GET ${path}${query} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: ${cookie}\r\n\r\n`,
          ),
        ),
      ]),
    ];
    await Promise.all(requests.map((bytes) => sendBytes(listeningOn, bytes)));
    expect((await zeno.installs(page, { back })).status).toBe(200);
  });

  test('adds nothing in the name of someone who did not begin it', async () => {
    await using slack = await startSlack();
    const { zeno, stoa } = await emptyWorkspace(slack);
    const { page, back, store } = await startForAll(slack);
    const begun = await (await fetch(page, { redirect: 'manual' })).text();
    const [, state = ''] = /[?&;]state=([^"&]+)/.exec(begun) ?? [];
    expect(state).not.toBe('');
    const forged = `${state.slice(0, -4)}AAAA`;
    const ledBack = (of: string, cookie: string) =>
      fetch(`${back}?${new URLSearchParams({ code: 'a-code', state: of })}`, {
        headers: { cookie },
        redirect: 'manual',
      });
    // Another browser's, one of no one's, and none at all.
    for (const [of, cookie] of [
      [state, ''],
      [forged, `slack-app-oauth-state=${forged}`],
      ['', ''],
    ] as const) {
      expect((await ledBack(of, cookie)).status).toBeGreaterThanOrEqual(400);
    }
    expect(slack.calls.filter(({ method }) => method === 'oauth.v2.access')).toEqual([]);
    expect(await store.settings.read([`slack:installation:${stoa.id}`])).toEqual([{}]);
    expect((await zeno.installs(page, { back })).status).toBe(200);
  });

  test('can be used again at once after the app was taken out, whatever Slack still tells of that', async () => {
    await using slack = await startSlack();
    const { zeno, stoa } = await emptyWorkspace(slack);
    const { page, back, bot, lines, store } = await startForAll(slack);
    await zeno.installs(page, { back });
    await slack.uninstall(stoa);
    await expect.poll(() => lines.join('\n')).toContain('the app was removed from a workspace');
    expect(await store.settings.read(['slack:installations'])).toEqual([{}]);
    await zeno.installs(page, { back });
    const farewells = slack.events.all.filter(({ type }) => type === 'app_uninstalled');
    for (const { eventId } of farewells) await slack.events.redeliver(eventId);
    const channel = await slack.addChannel('porch', { workspace: stoa, creator: zeno });
    const { thread } = await zeno.mentions(channel, 'Ben: and you?');
    await slack.until(
      () => slack.thread(channel, thread).some(({ author }) => author === 'Ben Sage'),
      'the answer',
    );
    await bot.idle();
  });

  test('is known to be used no more where a token is refused and no event says why', async () => {
    await using slack = await startSlack();
    const { zeno, stoa } = await emptyWorkspace(slack);
    const { page, back, lines, store } = await startForAll(slack);
    await zeno.installs(page, { back });
    const channel = await slack.addChannel('porch', { workspace: stoa, creator: zeno });
    slack.withdraw(stoa);
    await zeno.commands(channel, '/council ask Ben: and you?');
    await expect.poll(() => lines.join('\n')).toContain('the app was removed from a workspace');
    const [due, kept] = await store.settings.read(['forgetting:due', 'slack:installations']);
    expect(Object.keys(due ?? {})).toEqual([`departure:slack:${stoa.id}`]);
    expect(kept).toEqual({});
  });

  test('is known to be used no more where the app was taken out while no process ran, if Slack says so', async () => {
    await using slack = await startSlack();
    const encryptionKey = newKey();
    const first = await startForAll(slack, { encryptionKey });
    const { store } = first;
    const { zeno, stoa } = await emptyWorkspace(slack);
    await zeno.installs(first.page, { back: first.back });
    const kepos = slack.addWorkspace('Kepos', { isInstalled: false });
    const epicurus = slack.addMember('Epicurus', { workspace: kepos, isOwner: true });
    await epicurus.installs(first.page, { back: first.back });
    await first.bot.shutDown();
    slack.withdraw(stoa);
    const { botToken } = slack.installation(kepos);
    const notFromHere = { kind: 'refusal', error: 'invalid_auth' } as const;
    slack.faults.plan('auth.test', notFromHere, { when: ({ token }) => token === botToken });
    const { lines } = await startForAll(slack, { encryptionKey, store });
    await expect
      .poll(() => lines.join('\n'))
      .toContain('it is not known yet whether the app was removed');
    const [due, kept] = await store.settings.read(['forgetting:due', 'slack:installations']);
    expect(Object.keys(due ?? {})).toEqual([`departure:slack:${stoa.id}`]);
    expect(Object.keys(kept ?? {})).toEqual([kepos.id]);
  });

  test('is the way back when the key was lost; the start says where no one is answered', async () => {
    await using slack = await startSlack();
    const { zeno, stoa } = await emptyWorkspace(slack);
    const first = await startForAll(slack);
    await zeno.installs(first.page, { back: first.back });
    await first.bot.shutDown();
    const { store } = first;
    const second = await startForAll(slack, { store });
    expect(second.platform.report()).toMatchObject({ names: ['Stoa'], unreadable: ['Stoa'] });
    const channel = await slack.addChannel('porch', { workspace: stoa, creator: zeno });
    await zeno.mentions(channel, 'Ben: and you?');
    await expect.poll(() => second.lines.join('\n')).toContain('COUNCIL_ENCRYPTION_KEY');
    expect(slack.appMessages()).toEqual([]);
    await zeno.installs(second.page, { back: second.back });
    const { thread } = await zeno.mentions(channel, 'Ben: and now?');
    await slack.until(
      () => slack.thread(channel, thread).some(({ author }) => author === 'Ben Sage'),
      'the answer',
    );
    await second.bot.idle();
  });

  test('loses no question that comes while the tokens can’t be read', async () => {
    await using slack = await startSlack();
    const { zeno, stoa } = await emptyWorkspace(slack);
    let isAway = false;
    const { page, back, bot, lines } = await startForAll(slack, {
      beforeRead: async () => {
        if (isAway) throw new Error('The store is away.');
      },
    });
    await zeno.installs(page, { back });
    const channel = await slack.addChannel('porch', { workspace: stoa, creator: zeno });
    isAway = true;
    const asking = zeno.mentions(channel, 'Ben: and you?');
    await expect.poll(() => lines.join('\n')).toContain('The store is away.');
    isAway = false;
    const { thread } = await asking;
    await slack.until(
      () => slack.thread(channel, thread).some(({ author }) => author === 'Ben Sage'),
      'the answer',
    );
    await bot.idle();
  });

  test('answers in each workspace, with its token, what was said while no process ran', async () => {
    await using slack = await startSlack({ retryDelaysMs: [] });
    const encryptionKey = newKey();
    const first = await startForAll(slack, { encryptionKey });
    const { store } = first;
    const { zeno, stoa } = await emptyWorkspace(slack);
    const kepos = slack.addWorkspace('Kepos', { isInstalled: false });
    const epicurus = slack.addMember('Epicurus', { workspace: kepos, isOwner: true });
    const places = [];
    for (const [workspace, creator] of [[stoa, zeno] as const, [kepos, epicurus] as const]) {
      await creator.installs(first.page, { back: first.back });
      const channel = await slack.addChannel('porch', { workspace, creator });
      places.push({ workspace, creator, channel });
    }
    await first.bot.shutDown();
    const missed = await Promise.all(
      places.map(({ creator, channel }) => creator.mentions(channel, 'Ben: and you?')),
    );
    const now = () => Date.now() + 6 * 60_000;
    const { bot } = await startForAll(slack, { encryptionKey, store, now });
    for (const { channel, thread } of missed) {
      const said = () => slack.thread(channel, thread).map(({ author }) => author);
      await slack.until(() => said().includes('Ben Sage'), `the answer in ${channel.id}`);
    }
    await bot.idle();
    const looked = slack.calls.filter(({ method }) => method === 'conversations.history');
    expect(looked.map(({ args, token }) => [args.channel, token])).toEqual(
      places.map(({ workspace, channel }) => [channel.id, slack.installation(workspace).botToken]),
    );
  });

  test('answers in a workspace that was added since the start what came while the process stood still', async () => {
    await using slack = await startSlack({ retryDelaysMs: [] });
    let ahead = 0;
    const { zeno, stoa } = await emptyWorkspace(slack);
    const { page, back, bot, platform, store } = await startForAll(slack, {
      now: () => Date.now() + ahead,
    });
    await zeno.installs(page, { back });
    const channel = await slack.addChannel('porch', { workspace: stoa, creator: zeno });
    await expect.poll(() => store.settings.read(['listened:slack'])).not.toEqual([{}]);
    slack.deliverTo('http://127.0.0.1:1/slack/events');
    const { thread } = await zeno.mentions(channel, 'Ben: and you?');
    slack.deliverTo(`http://127.0.0.1:${platform.report().listeningOn}/slack/events`);
    ahead = 6 * 60_000;
    await slack.until(
      () => slack.thread(channel, thread).some(({ author }) => author === 'Ben Sage'),
      'the answer',
    );
    await bot.idle();
  });

  test('leaves what other workspaces say unanswered', async () => {
    await using slack = await startSlack();
    const stranger = slack.addMember('Stranger');
    const channel = await slack.addChannel('elsewhere', { creator: stranger });
    const { lines } = await startForAll(slack);
    await stranger.mentions(channel, 'Ben: and you?');
    await expect.poll(() => lines.join('\n')).toContain('is not in workspace');
    expect(slack.appMessages()).toEqual([]);
  });
});
