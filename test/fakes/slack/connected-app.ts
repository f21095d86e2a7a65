import { App, type AppOptions } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { silentLogger } from '../../../src/platforms/slack/api/slack-api.ts';
import { type FakeSlack, type SlackOptions, startSlack } from './slack.ts';

/** The real Bolt over Socket Mode, pointed at the fake and not yet started. It says nothing on the console. */
export function newApp(slack: FakeSlack, options: AppOptions = {}): App {
  return new App({
    token: slack.installation().botToken,
    appToken: slack.app.appToken,
    socketMode: true,
    logger: silentLogger,
    clientOptions: { slackApiUrl: slack.api },
    ...options,
  });
}

/** The real client of the Web API, pointed at the fake. It says nothing on the console. */
export function newClient(slack: FakeSlack, options: WebClientOptions = {}): WebClient {
  const { botToken } = slack.installation();
  return new WebClient(botToken, { slackApiUrl: slack.api, logger: silentLogger, ...options });
}

/** A Slack with one channel, one member, and no one connected. */
export async function startWorld(options?: SlackOptions) {
  const slack = await startSlack(options);
  const ada = slack.addMember('Ada');
  const channel = await slack.addChannel('general', { creator: ada });
  return { slack, ada, channel, [Symbol.asyncDispose]: () => slack.close() };
}

/** The same with the real Bolt connected; `await using` ends both. */
export async function startConnected(options?: SlackOptions) {
  const world = await startWorld(options);
  const app = newApp(world.slack);
  await app.start();
  return {
    ...world,
    app,
    [Symbol.asyncDispose]: async () => {
      await app.stop();
      await world.slack.close();
    },
  };
}
