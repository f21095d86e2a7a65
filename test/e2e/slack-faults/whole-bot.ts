/**
 * A whole bot in a process of its own, to be killed: `node whole-bot.ts <api> <bot token> <app token> <database> [death]`.
 * With a death, as JSON, it dies at that call of its store. Prints `ready` when it is connected.
 */

import { flushCompileCache } from 'node:module';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { deathSchema, mortalStore } from '../discord-faults/mortal-store.ts';
import { startWholeBot } from './whole-council.ts';

const [apiUrl = '', botToken = '', appToken = '', path = '', death] = process.argv.slice(2);
const store = openSqliteStore({ path });
const mortal =
  death === undefined ? store : mortalStore(store, deathSchema.parse(JSON.parse(death)));
await startWholeBot({ apiUrl, botToken, appToken }, mortal, `process ${process.pid}`);
// Killed, it would not leave to the next one what it has compiled.
flushCompileCache();
process.stdout.write('ready\n');
