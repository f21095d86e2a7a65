/**
 * A whole bot in a process of its own, to be killed: `node bot-process.ts <api> <token> <database>`.
 * Prints `ready` when it is connected.
 */

import { commands } from '../../../commands/index.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { restartedModels } from '../restarted-models.ts';

const [api = '', token = '', path = ''] = process.argv.slice(2);
const ignore = () => undefined;
const platform = createDiscord({
  ...{ api, token, commands },
  log: { info: ignore, warn: ignore, error: ignore },
  ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
});
await startBot(restartedModels(), { platforms: [platform] }, openSqliteStore({ path }));
process.stdout.write('ready\n');
