/**
 * A whole bot in a process of its own, to be killed: `node bot-process.ts <api> <token> <database>`.
 * Prints `ready` when it is connected. Its sages say the same each time; what the chair says differs
 * from process to process, so that a verdict that was made twice shows.
 */

import { commands } from '../../../commands/index.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { answer, ranks, scriptedModels, seating } from '../../council/scripted-council.ts';

const [api = '', token = '', path = ''] = process.argv.slice(2);
const ignore = () => undefined;
const platform = createDiscord({
  ...{ api, token, commands },
  log: { info: ignore, warn: ignore, error: ignore },
  ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
});
const long = `${'Ben says no. '.repeat(200)}`;
const keys = ['ada', 'ben', 'cleo'];
const models = scriptedModels({
  moderator: [seating(keys)],
  sages: {
    ada: [answer('Ada says yes.')],
    ben: [answer(long)],
    cleo: [answer('Cleo says later.')],
  },
  reviews: Object.fromEntries(
    keys.map((key) => [key, [ranks('Ada says yes.', 'Cleo says later.', 'Ben says no.')]]),
  ),
  chair: [
    JSON.stringify({
      verdict: `Rewrite it in parts, says process ${process.pid}.`,
      consensus: [],
      disagreements: [],
      minority_report: '',
      confidence: 'medium',
    }),
  ],
});
await startBot(models, { platforms: [platform] }, openSqliteStore({ path }));
process.stdout.write('ready\n');
