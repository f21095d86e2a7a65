/** The bot in Slack. */

import { commands } from '../../commands/index.ts';
import type { SlackAccess, SlackReport } from '../platforms/slack/slack.ts';
import type { Config } from '../settings/load.ts';
import { encryptionKeyVariable, slackVariables } from '../settings/slack-access.ts';
import type { Store } from '../store/store.ts';
import type { Check } from './operator/doctor.ts';
import { slackRecords } from './slack-records.ts';
import type { Offer } from './tasks/serve.ts';

/** Absent where nothing is set for Slack; what is set in part was refused when it was read. */
export function slackOffer(config: Config): Offer | undefined {
  if (!slackVariables.some((name) => config.secrets.get(name) !== undefined)) return undefined;
  return {
    async open({ log, store }) {
      const { createSlack } = await import('../platforms/slack/slack.ts');
      const { apiUrl } = config.settings.slack;
      const access = accessOf(config, store);
      const platform = createSlack({ access, commands, log, apiUrl });
      return { platform, report: () => reportLines(platform.report()) };
    },
  };
}

function accessOf({ settings, secrets }: Config, store: Store): SlackAccess {
  const { host, port, publicUrl } = settings.slack.http;
  const botToken = secrets.get('SLACK_BOT_TOKEN');
  const appToken = secrets.get('SLACK_APP_TOKEN');
  const signingSecret = secrets.get('SLACK_SIGNING_SECRET');
  const clientId = secrets.get('SLACK_CLIENT_ID');
  const clientSecret = secrets.get('SLACK_CLIENT_SECRET');
  const encryptionKey = secrets.get(encryptionKeyVariable);
  if (botToken && appToken) return { kind: 'socket', botToken, appToken };
  if (botToken && signingSecret) return { kind: 'requests', botToken, signingSecret, host, port };
  if (clientId && clientSecret && signingSecret && encryptionKey) {
    return {
      kind: 'several workspaces',
      ...{ clientId, clientSecret, signingSecret, encryptionKey, host, port },
      ...(publicUrl === undefined ? {} : { publicUrl }),
      records: slackRecords(store.settings, Date.now),
    };
  }
  throw new Error('What is set for Slack is not whole, and was not refused when it was read.');
}

/** What the operator should know of the start. */
function reportLines({
  names,
  gaps,
  unreadable,
  listeningOn,
  installAt,
}: SlackReport): readonly string[] {
  const way = listeningOn === undefined ? 'over a socket' : `on port ${listeningOn}`;
  const where = installAt === undefined ? `${names[0]}` : `${names.length} workspaces`;
  return [
    `Connected to Slack ${way}, for ${where}.`,
    ...gaps.map(({ workspace, scope, lost }) => `In ${workspace} it lacks ${scope}: ${lost}.`),
    ...(gaps.length === 0
      ? []
      : [
          'To grant what is lacking, put config/slack-manifest.yaml into your app’s page, under App Manifest, and install the app again.',
        ]),
    ...unreadable.map(
      (workspace) =>
        `The token of ${workspace} was kept under another ${encryptionKeyVariable}, and nobody is answered there. Put that key back; if it is lost, the app has to be added there again.`,
    ),
    ...(installAt === undefined ? [] : [`Add it to a workspace: ${installAt}`]),
  ];
}

/** What `doctor` looks at where something is set for Slack. */
export function slackCheck(config: Config): Check | undefined {
  if (slackOffer(config) === undefined) return undefined;
  const { settings, secrets } = config;
  return {
    name: 'Slack',
    run: async () => {
      const { examineSlack } = await import('../platforms/slack/examine.ts');
      return examineSlack({
        apiUrl: settings.slack.apiUrl,
        botToken: secrets.get('SLACK_BOT_TOKEN'),
        appToken: secrets.get('SLACK_APP_TOKEN'),
      });
    },
  };
}
