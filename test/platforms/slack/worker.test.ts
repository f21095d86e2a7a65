import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { slackRecords } from '../../../src/app/platforms.ts';
import {
  createTokenCipher,
  Installations,
} from '../../../src/platforms/slack/connection/installations.ts';
import { placeOf } from '../../../src/platforms/slack/place.ts';
import { createSlack, type SlackAccess } from '../../../src/platforms/slack/slack.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startWorld } from '../../fakes/slack/connected-app.ts';
import { type FakeSlack, startSlack } from '../../fakes/slack/slack.ts';
import { recordingLog } from '../discord/discord-world.ts';
import { answered, answeredEnd, concluded, seated } from '../terminal/turn-events.ts';
import { unstored } from './unstored.ts';

type Channel = Awaited<ReturnType<FakeSlack['addChannel']>>;
type Member = ReturnType<FakeSlack['addMember']>;

/** One that never takes anything in. */
function neverStarted(slack: FakeSlack, access: SlackAccess) {
  const { log, lines } = recordingLog();
  const platform = createSlack({ ...unstored, access, commands, log, apiUrl: slack.api });
  return { platform, lines };
}

async function* turnEvents() {
  yield* [
    seated,
    answered('marcus_aurelius', 'Do your part, and no more.'),
    answered('nassim_taleb', 'Bet small, and often.'),
    concluded(),
    answeredEnd,
  ];
}

/** Has a turn shown and a command answered in the thread of a question; fails unless both are there. */
async function expectShown(
  slack: FakeSlack,
  { platform, lines }: ReturnType<typeof neverStarted>,
  asked: { readonly channel: Channel; readonly member: Member; readonly team: string },
): Promise<void> {
  const { channel, member, team } = asked;
  const { thread, ts } = await member.says(channel, 'Should we rewrite it?');
  const place = placeOf({ team, channel: channel.id, thread });
  const request = {
    turnId: `turn-${ts}`,
    threadId: place.threadId,
    eventId: `${channel.id}:${ts}`,
    question: 'Should we rewrite it?',
    author: { id: member.user.id, name: 'Ada' },
    askedAt: Math.round(Number(ts) * 1000),
  };
  await platform.present(
    {
      request,
      isResumed: false,
      followUpMode: 'asked',
      keepShownAt: async () => undefined,
      assertHeld: async () => undefined,
      assertNotLost: async () => undefined,
      assertAwake: async () => undefined,
      wasAsked: async () => true,
      wantsPing: async () => false,
    },
    turnEvents(),
    new AbortController().signal,
  );
  const said = () => slack.thread(channel, thread).filter(({ isApp }) => isApp);
  const [progress, ...rest] = said();
  expect(progress?.text).toContain('The council has answered.');
  expect(progress?.text).toContain('Ask a question in the thread to follow up.');
  expect(rest.map(({ author }) => author).toSorted()).toEqual(
    ['Council', 'Nassim Taleb', '🏛️ Marcus Aurelius'].toSorted(),
  );
  expect(lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  slack.assertNoViolations();
}

describe('a Slack that was never started', () => {
  test('shows turns over the Web API alone', async () => {
    await using world = await startWorld();
    const { slack, channel, ada } = world;
    const { botToken } = slack.installation();
    const { appToken } = slack.app;
    const never = neverStarted(slack, { kind: 'socket', botToken, appToken });
    await expectShown(slack, never, { channel, member: ada, team: slack.workspace.id });
  });

  test('shows them in each workspace that has added the app, also since', async () => {
    const slack = await startSlack();
    onTestFinished(() => slack.close());
    const store = openSqliteStore({ path: ':memory:' });
    const records = slackRecords(store.settings, Date.now);
    const encryptionKey = randomBytes(32).toString('base64');
    const { clientId, clientSecret, signingSecret } = slack.app;
    const never = neverStarted(slack, {
      kind: 'several workspaces',
      clientId,
      clientSecret,
      signingSecret,
      encryptionKey,
      records,
      host: '127.0.0.1',
      port: 0,
    });
    const elsewhere = slack.addWorkspace('Stoa');
    for (const workspace of [slack.workspace, elsewhere]) {
      const { botToken, botId, botUserId, scopes } = slack.installation(workspace);
      const bot = { token: botToken, scopes: [...scopes], id: botId, userId: botUserId };
      const cipher = createTokenCipher(encryptionKey);
      await new Installations(records, cipher, Date.now).storeInstallation({
        team: { id: workspace.id, name: workspace.name },
        enterprise: undefined,
        user: { id: 'U1', token: undefined, scopes: undefined },
        bot,
        isEnterpriseInstall: false,
        authVersion: 'v2',
      });
      const member = slack.addMember('Ada', { workspace });
      const channel = await slack.addChannel(`general-${workspace.name.toLowerCase()}`, {
        creator: member,
        workspace,
      });
      await expectShown(slack, never, { channel, member, team: workspace.id });
    }
  });
});
