import { App, type AppOptions, LogLevel } from '@slack/bolt';
import { type FakeSlack, type SlackOptions, startSlack } from './slack.ts';

/** The real Bolt over Socket Mode, pointed at the fake and not yet started. It says nothing on the console. */
export function newApp(slack: FakeSlack, options: AppOptions = {}): App {
  return new App({
    token: slack.installation().botToken,
    appToken: slack.app.appToken,
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.api },
    ...options,
  });
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
