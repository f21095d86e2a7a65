/** The bot in Slack, in a process of its own: the council with its store, the real Bolt over a socket. */

import { z } from 'zod';
import { commands } from '../commands/index.ts';
import { silentLog } from '../src/domain/log.ts';
import { createSlack } from '../src/platforms/slack/slack.ts';
import { unstored } from '../test/platforms/slack/unstored.ts';
import { openBenchBot } from './bench-bot.ts';

const { baseUrl, apiUrl, botToken, appToken } = z
  .object({ baseUrl: z.string(), apiUrl: z.string(), botToken: z.string(), appToken: z.string() })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

const tell = (facts: object, sentence: string) =>
  process.stderr.write(`${sentence} ${JSON.stringify(facts)}\n`);
const platform = createSlack({
  access: { kind: 'socket', botToken, appToken },
  ...unstored,
  commands,
  apiUrl,
  log: { ...silentLog, warn: tell, error: tell },
});
const started = await openBenchBot(baseUrl, () => platform);
process.send?.('ready');
process.on('disconnect', () => {
  void started[Symbol.asyncDispose]();
});
