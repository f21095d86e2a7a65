/** Checks the environment variables for Slack. */

import type { Mistake } from './config-source.ts';
import { brokenRules, type Environment } from './environment.ts';

/** The variables for Slack. Without any of them, Slack is off. */
export const slackVariables = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
] as const;

/** The variable with the key that encrypts workspaces' tokens. */
export const encryptionKeyVariable = 'COUNCIL_ENCRYPTION_KEY';

/** Length of that key, in bytes. */
const encryptionKeyBytes = 32;

const howToMakeKey = `Make a key with \`openssl rand -base64 ${encryptionKeyBytes}\``;
const clientIsMissing =
  'is missing. Copy it from your app’s page, under Basic Information, App Credentials';
const isForOneWorkspace =
  'it is for one workspace, and SLACK_CLIENT_ID for several. Remove one of them';

/** Checks these variables. The mistakes say what to add or remove, and show no value. */
export function slackAccessMistakes(variables: Environment): readonly Mistake[] {
  const {
    SLACK_BOT_TOKEN: botToken,
    SLACK_APP_TOKEN: appToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    [encryptionKeyVariable]: key,
  } = variables;
  const isForSeveral = (clientId ?? clientSecret) !== undefined;
  const isForOne = !isForSeveral && slackVariables.some((name) => variables[name] !== undefined);
  return brokenRules([
    ['SLACK_CLIENT_ID', isForSeveral && clientId === undefined, clientIsMissing],
    ['SLACK_CLIENT_SECRET', isForSeveral && clientSecret === undefined, clientIsMissing],
    [
      'SLACK_SIGNING_SECRET',
      isForSeveral && signingSecret === undefined,
      'is missing: several workspaces need HTTP. Copy it from your app’s page, under Basic Information, App Credentials',
    ],
    [
      encryptionKeyVariable,
      isForSeveral && key === undefined,
      `is missing: it encrypts the tokens of several workspaces. ${howToMakeKey}, and keep it`,
    ],
    ['SLACK_BOT_TOKEN', isForSeveral && botToken !== undefined, isForOneWorkspace],
    ['SLACK_APP_TOKEN', isForSeveral && appToken !== undefined, isForOneWorkspace],
    [
      'SLACK_BOT_TOKEN',
      isForOne && botToken === undefined,
      'is missing, but other Slack variables are set. Copy it from your app’s page at api.slack.com/apps, under OAuth & Permissions; it begins with xoxb-',
    ],
    [
      'SLACK_APP_TOKEN',
      isForOne && botToken !== undefined && (appToken ?? signingSecret) === undefined,
      'is missing beside SLACK_BOT_TOKEN. Make one on your app’s page, under Basic Information, App-Level Tokens, with the scope connections:write. Or set SLACK_SIGNING_SECRET, if Slack reaches the bot over HTTP',
    ],
    [
      'SLACK_APP_TOKEN',
      isForOne && appToken !== undefined && signingSecret !== undefined,
      'events can come only one way, and SLACK_SIGNING_SECRET sets another. Remove one of them',
    ],
    [
      'SLACK_BOT_TOKEN',
      botToken !== undefined && !botToken.startsWith('xoxb-'),
      'it is not the token of a bot, which begins with xoxb-',
    ],
    [
      'SLACK_APP_TOKEN',
      appToken !== undefined && !appToken.startsWith('xapp-'),
      'it is not an app-level token, which begins with xapp-',
    ],
    [
      encryptionKeyVariable,
      key !== undefined && !isKey(key),
      `it is not ${encryptionKeyBytes} bytes in base64. ${howToMakeKey}`,
    ],
  ]);
}

function isKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === encryptionKeyBytes && bytes.toString('base64') === text;
}
