/** The bot of the Discord bench, in a process of its own: `{api, token, modelUrl}` as JSON. Tells its CPU at its end. */

import { once } from 'node:events';
import { z } from 'zod';
import { commands } from '../commands/index.ts';
import { silentLog } from '../src/domain/log.ts';
import { createDiscord } from '../src/platforms/discord/discord.ts';
import { openBenchBot } from './bench-bot.ts';

const { api, token, modelUrl } = z
  .object({ api: z.string(), token: z.string(), modelUrl: z.string() })
  .parse(JSON.parse(process.argv[2] ?? '{}'));
const platform = createDiscord({
  api,
  token,
  commands,
  log: {
    ...silentLog,
    warn: (facts, sentence) => void process.stderr.write(`${sentence} ${JSON.stringify(facts)}\n`),
    error: (facts, sentence) => void process.stderr.write(`${sentence} ${String(facts.error)}\n`),
  },
});
{
  await using _bot = await openBenchBot(modelUrl, () => platform, commands);
  const before = process.cpuUsage();
  process.send?.('ready');
  await once(process, 'message');
  const { user, system } = process.cpuUsage(before);
  process.send?.({ cpuMs: (user + system) / 1000 });
}
process.disconnect();
