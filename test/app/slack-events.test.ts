/** Whether Slack's events are all there is of a thread: with Redis, other processes may receive some of them. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { listenedRecords, openPlatforms } from '../../src/app/platforms.ts';
import { silentLog } from '../../src/domain/log.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { startBot } from '../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/slack/connected-app.ts';
import { load } from '../settings/config-folder.ts';

test.each([
  ['with a file as its store, a council knows a thread by its events', {}, 0],
  ['with Redis, it reads a thread of which it received events', { REDIS_URL: 'redis://a.test' }, 1],
])('%s', async (_sentence, environment, readings) => {
  await using world = await startWorld();
  const { slack, ada, channel } = world;
  const config = load(
    { 'config/council.yaml': `slack: { apiUrl: '${slack.api}' }` },
    {
      SLACK_BOT_TOKEN: slack.installation().botToken,
      SLACK_APP_TOKEN: slack.app.appToken,
      ...environment,
    },
  );
  const store = openSqliteStore({ path: ':memory:', now: Date.now });
  const served = await openPlatforms(config, { log: silentLog, store });
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const bot = await startBot(models, { platforms: served.map(({ platform }) => platform) }, store);
  const { thread } = await ada.says(channel, 'What first?');
  await ada.says(channel, 'Drop Linux.', { thread });
  await ada.mentions(channel, 'Ben: is that wise?', { thread });
  const { requests } = models.sage({ key: 'ben' });
  await slack.until(() => requests.length === 1, 'the question');
  await bot.shutDown();
  expect(JSON.stringify(requests[0]?.messages)).toMatch(/What first\?.*Drop Linux\./);
  const calls = slack.calls.filter(({ method }) => method === 'conversations.replies');
  expect(calls).toHaveLength(readings);
});

test('with Redis, the start says that another Slack app uses the store, and not that this one did', async () => {
  const tokens = { SLACK_BOT_TOKEN: 'xoxb-1-2-a', SLACK_APP_TOKEN: 'xapp-1-A1-2-a' };
  const config = load({}, { ...tokens, REDIS_URL: 'redis://a.test' });
  const store = openSqliteStore({ path: ':memory:', now: Date.now });
  const lines: string[] = [];
  const warn = (_facts: object, sentence: string) => void lines.push(sentence);
  const open = () => openPlatforms(config, { log: { ...silentLog, warn }, store });
  const own = createHash('sha256').update(tokens.SLACK_BOT_TOKEN).digest('base64url');
  const records = listenedRecords('slack', store.settings, Date.now);
  await records.write(own, Date.now());
  await records.write('long ago', Date.now() - 200_000);
  await open();
  expect(lines).toEqual([]);
  await records.write('another', Date.now());
  await open();
  expect(lines).toEqual([expect.stringContaining('another Slack app has used this store')]);
});
