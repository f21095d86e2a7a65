/**
 * A whole bot in a process of its own, to be killed: `node whole-bot.ts <api> <token> <database>`.
 * Prints `ready` when it is connected. Its four sages say the same each time, one of them more than a
 * message holds. What the chair says differs from process to process, so that two verdicts would show.
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
const answers = {
  ada: 'Ada says yes.',
  ben: `Ben says no. ${'It is too much. '.repeat(110)}\n\nBen says never. ${'It is a risk. '.repeat(20)}`,
  cleo: 'Cleo says later.',
  dan: 'Dan says in parts.',
} as const;
const keys = Object.keys(answers);
const models = scriptedModels({
  moderator: [seating(keys)],
  sages: Object.fromEntries(Object.entries(answers).map(([key, text]) => [key, [answer(text)]])),
  reviews: Object.fromEntries(
    keys.map((key) => [
      key,
      [ranks('Ada says yes.', 'Dan says in parts.', 'Cleo says later.', 'Ben says no.')],
    ]),
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
