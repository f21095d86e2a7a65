/**
 * A whole bot in a process of its own, to be killed: `node whole-bot.ts <api> <bot token> <app token> <database> [death]`.
 * With a death, as JSON, it dies at that call of its store. Prints `ready` when it is connected. Its four sages say the same each time, one word after another. What the
 * chair says differs from process to process, so that two verdicts would show.
 */

import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { commands } from '../../../commands/index.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createSlack } from '../../../src/platforms/slack/slack.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { answer, ranks, scriptedModels, seating } from '../../council/scripted-council.ts';
import { deathSchema, mortalStore } from '../discord-faults/mortal-store.ts';
import { inWords, pausing } from './pausing-models.ts';
import { unplanned } from './unplanned.ts';

const [apiUrl = '', botToken = '', appToken = '', path = '', death] = process.argv.slice(2);
const platform = createSlack({
  access: { kind: 'socket', botToken, appToken },
  ...{ apiUrl, commands },
  log: silentLog,
  limits: unplanned,
});
const answers = {
  ada: 'Ada says yes.',
  ben: 'Ben says no.',
  cleo: 'Cleo says later.',
  dan: 'Dan says in parts.',
} as const;
const keys = Object.keys(answers);
const ranking = ranks('Ada says yes.', 'Dan says in parts.', 'Cleo says later.', 'Ben says no.');
const models = scriptedModels({
  moderator: [seating(keys)],
  // Each may be asked again.
  sages: Object.fromEntries(
    Object.entries(answers).map(([key, text]) => {
      const line = inWords(answer(text));
      return [key, [line, line]];
    }),
  ),
  reviews: Object.fromEntries(keys.map((key) => [key, [ranking]])),
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
const wordMs = 20;
const store = openSqliteStore({ path });
await startBot(
  pausing(models, () => wait(wordMs)),
  { platforms: [platform], abandonedAfterMs: 0 },
  death === undefined ? store : mortalStore(store, deathSchema.parse(JSON.parse(death))),
);
// Killed, it would not leave to the next one what it has compiled.
flushCompileCache();
process.stdout.write('ready\n');
