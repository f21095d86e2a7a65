/**
 * A whole bot in a process of its own, to be killed:
 * `node bot-process.ts <api> <bot token> <app token> <database>`. Prints `ready` when it is connected.
 */

import { commands } from '../../../commands/index.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createSlack } from '../../../src/platforms/slack/slack.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { restartedModels } from '../restarted-models.ts';
import { unstored } from './unstored.ts';

const [apiUrl = '', botToken = '', appToken = '', path = ''] = process.argv.slice(2);
const platform = createSlack({
  access: { kind: 'socket', botToken, appToken },
  ...unstored,
  apiUrl,
  commands,
  log: silentLog,
});
await startBot(restartedModels(), { platforms: [platform] }, openSqliteStore({ path }));
process.stdout.write('ready\n');
