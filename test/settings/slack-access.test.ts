import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { load, mistakesIn } from './config-folder.ts';

const key = randomBytes(32).toString('base64');
const bot = { SLACK_BOT_TOKEN: 'xoxb-1-of-a-bot' };
const app = { SLACK_APP_TOKEN: 'xapp-1-of-an-app' };
const signing = { SLACK_SIGNING_SECRET: 'aabbccdd' };
const client = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'eeff' };

describe('what the environment says of Slack', () => {
  it.each([
    ['nothing', {}],
    ['a socket', { ...bot, ...app }],
    ['signed requests', { ...bot, ...signing }],
    ['several workspaces', { ...client, ...signing, COUNCIL_ENCRYPTION_KEY: key }],
    ['an encryption key alone', { COUNCIL_ENCRYPTION_KEY: key }],
  ])('is whole with %s', (_, environment) => {
    const { secrets } = load({}, environment);
    expect(secrets.names.toSorted()).toEqual(Object.keys(environment).toSorted());
  });

  it.each([
    ['a bot token alone', bot, ['SLACK_APP_TOKEN: is missing']],
    ['an app token alone', app, ['SLACK_BOT_TOKEN: is missing']],
    ['a signing secret alone', signing, ['SLACK_BOT_TOKEN: is missing']],
    [
      'two ways for events',
      { ...bot, ...app, ...signing },
      ['SLACK_APP_TOKEN: events can come only one way'],
    ],
    [
      'a client id alone',
      { SLACK_CLIENT_ID: '1.2' },
      [
        'SLACK_CLIENT_SECRET: is missing',
        'SLACK_SIGNING_SECRET: is missing',
        'COUNCIL_ENCRYPTION_KEY: is missing',
      ],
    ],
    [
      'one workspace and several',
      { ...bot, ...client, ...signing, COUNCIL_ENCRYPTION_KEY: key },
      ['SLACK_BOT_TOKEN: it is for one workspace'],
    ],
    [
      'tokens in each other’s place',
      { SLACK_BOT_TOKEN: app.SLACK_APP_TOKEN, SLACK_APP_TOKEN: bot.SLACK_BOT_TOKEN },
      ['SLACK_BOT_TOKEN: it is not the token of a bot', 'SLACK_APP_TOKEN: it is not an app-level'],
    ],
    [
      'a key that is too short',
      { COUNCIL_ENCRYPTION_KEY: randomBytes(16).toString('base64') },
      ['COUNCIL_ENCRYPTION_KEY: it is not 32 bytes in base64'],
    ],
    [
      'a key that is no base64',
      { COUNCIL_ENCRYPTION_KEY: 'correct horse battery staple, and a little more' },
      ['COUNCIL_ENCRYPTION_KEY: it is not 32 bytes in base64'],
    ],
  ])(
    'is refused with %s, and what to do is said',
    (_, environment: Record<string, string>, wanted) => {
      const lines = mistakesIn({}, environment);
      expect(lines).toHaveLength(wanted.length);
      for (const text of wanted) expect(lines.join('\n')).toContain(`environment ${text}`);
      for (const value of Object.values(environment)) expect(lines.join('\n')).not.toContain(value);
    },
  );
});
