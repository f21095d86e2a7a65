/** How Slack is reached, as the environment says. */

import type { Mistake } from './config-error.ts';
import type { Environment } from './secrets.ts';

/** The variables that connect Slack; it is left out where none of them is set. */
export const slackVariables = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
] as const;

/** The variable that holds the key under which tokens of workspaces are kept. */
export const encryptionKeyVariable = 'COUNCIL_ENCRYPTION_KEY';

/** Length of that key, in bytes. */
export const encryptionKeyBytes = 32;

type Name = (typeof slackVariables)[number] | typeof encryptionKeyVariable;

const missing = {
  botToken:
    'is missing beside what else is set for Slack. Copy it from your app’s page at api.slack.com/apps, under OAuth & Permissions; it begins with xoxb-',
  way: 'is missing beside SLACK_BOT_TOKEN. Make one on your app’s page, under Basic Information, App-Level Tokens, with the scope connections:write. Or set SLACK_SIGNING_SECRET, if Slack is to reach the bot over HTTP',
  client: 'is missing. It stands on your app’s page, under Basic Information, App Credentials',
  signingSecret:
    'is missing: several workspaces are served over HTTP. It stands on your app’s page, under Basic Information, App Credentials',
  key: `is missing: the tokens of several workspaces are kept encrypted. Make a key with \`openssl rand -base64 ${encryptionKeyBytes}\`, and keep it`,
} as const;

/** What is wrong with them, and what to add or to take out. No value is shown. */
export function slackAccessMistakes(variables: Environment): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const add = (setting: Name, text: string) => {
    mistakes.push({ file: 'environment', setting, text });
  };
  const isSet = (name: Name) => variables[name] !== undefined;
  const isForSeveral = isSet('SLACK_CLIENT_ID') || isSet('SLACK_CLIENT_SECRET');

  if (isForSeveral) {
    for (const name of ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'] as const) {
      if (!isSet(name)) add(name, missing.client);
    }
    if (!isSet('SLACK_SIGNING_SECRET')) add('SLACK_SIGNING_SECRET', missing.signingSecret);
    if (!isSet(encryptionKeyVariable)) add(encryptionKeyVariable, missing.key);
    for (const name of ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'] as const) {
      if (isSet(name))
        add(name, 'it is for one workspace, and SLACK_CLIENT_ID for several. Take one of them out');
    }
  } else if (slackVariables.some(isSet)) {
    if (!isSet('SLACK_BOT_TOKEN')) add('SLACK_BOT_TOKEN', missing.botToken);
    else if (!isSet('SLACK_APP_TOKEN') && !isSet('SLACK_SIGNING_SECRET')) {
      add('SLACK_APP_TOKEN', missing.way);
    }
    if (isSet('SLACK_APP_TOKEN') && isSet('SLACK_SIGNING_SECRET')) {
      add(
        'SLACK_APP_TOKEN',
        'there can be one way for events to come, and SLACK_SIGNING_SECRET is another. Take one of them out',
      );
    }
  }
  return [...mistakes, ...malformed(variables)];
}

function malformed(variables: Environment): readonly Mistake[] {
  const wrong = (setting: Name, text: string): Mistake => ({ file: 'environment', setting, text });
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken } = variables;
  const key = variables[encryptionKeyVariable];
  return [
    ...(botToken === undefined || botToken.startsWith('xoxb-')
      ? []
      : [wrong('SLACK_BOT_TOKEN', 'it is not the token of a bot, which begins with xoxb-')]),
    ...(appToken === undefined || appToken.startsWith('xapp-')
      ? []
      : [wrong('SLACK_APP_TOKEN', 'it is not an app-level token, which begins with xapp-')]),
    ...(key === undefined || isKey(key)
      ? []
      : [
          wrong(
            encryptionKeyVariable,
            `it is not ${encryptionKeyBytes} bytes in base64. Make a key with \`openssl rand -base64 ${encryptionKeyBytes}\``,
          ),
        ]),
  ];
}

function isKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === encryptionKeyBytes && bytes.toString('base64') === text;
}
