import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { startWorld } from './connected-app.ts';

/** The real Bolt behind signed requests, on a free port. */
async function startReceiving() {
  const world = await startWorld();
  const { slack } = world;
  const receiver = new HTTPReceiver({
    signingSecret: slack.app.signingSecret,
    logLevel: LogLevel.ERROR,
  });
  const app = new App({
    receiver,
    token: slack.installation().botToken,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.api },
  });
  const server = await receiver.start({ port: 0, host: '127.0.0.1' });
  const url = `${addressOf(server)}/slack/events`;
  slack.deliverTo(url);
  return {
    ...world,
    app,
    url,
    [Symbol.asyncDispose]: async () => {
      await receiver.stop();
      await slack.close();
    },
  };
}

describe('signed requests', () => {
  test('bring events, commands and interactions', async () => {
    await using world = await startReceiving();
    const { slack, app, ada, channel } = world;
    app.event('app_mention', async ({ event, say }) => {
      await say({ text: 'So be it.', thread_ts: event.ts });
    });
    app.command('/council', async ({ ack }) => {
      await ack('Help is on its way.');
    });
    const said = await ada.mentions(channel, 'why?');
    expect(said.deliveries.map(({ status }) => status)).toEqual(['acknowledged', 'acknowledged']);
    await slack.until(() => slack.thread(channel, said.thread).length === 2, 'an answer');
    await ada.commands(channel, '/council help');
    expect(slack.messages(channel).at(-1)).toMatchObject({
      text: 'Help is on its way.',
      ephemeralFor: ada.user.id,
    });
  });

  test('are refused when they are old, unsigned or signed by another', async () => {
    await using world = await startReceiving();
    const { slack, app, ada, channel, url } = world;
    let heard = 0;
    app.message(async () => {
      heard += 1;
    });
    const { deliveries } = await ada.says(channel, 'hello');
    const payload = deliveries[0]?.payload ?? {};
    const forge = (how: Parameters<typeof slack.forge>[2]) =>
      slack.forge(url, { kind: 'events_api', payload }, how);
    expect(await forge({ secret: 'another secret' })).toBe(401);
    expect(await forge({ ageMs: 301_000 })).toBe(401);
    expect(await forge({ isUnsigned: true })).toBe(401);
    expect(heard).toBe(1);
    expect(await forge({ ageMs: 10_000 })).toBe(200);
  });

  test('that are answered with an error come again, and say why', async () => {
    await using world = await startWorld({ retryDelaysMs: [0, 0] });
    const { slack, ada, channel } = world;
    const tries: unknown[] = [];
    const server = createServer(({ headers }, response) => {
      tries.push([headers['x-slack-retry-num'], headers['x-slack-retry-reason']]);
      response.writeHead(tries.length < 3 ? 500 : 200).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    slack.deliverTo(addressOf(server));
    await ada.says(channel, 'anybody?');
    await slack.until(() => slack.events.all[0]?.status === 'acknowledged', 'an acknowledgement');
    await new Promise((resolve) => server.close(resolve));
    expect(tries).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
    ]);
  });

  test('that reach no one are kept', async () => {
    await using world = await startWorld();
    const { slack, ada, channel } = world;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    slack.deliverTo(addressOf(server));
    await new Promise((resolve) => server.close(resolve));
    const { deliveries } = await ada.says(channel, 'anybody?');
    expect(deliveries.map(({ status }) => status)).toEqual(['kept']);
  });
});

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The port is not known.');
  return `http://127.0.0.1:${address.port}`;
}
