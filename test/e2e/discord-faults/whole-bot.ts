/**
 * A whole bot in a process of its own, to be killed: `node whole-bot.ts <api> <token> <database>`,
 * and if it is to end itself, at which call of its store: a `Death` as JSON. Prints `ready` when it
 * is connected.
 */

import { flushCompileCache } from 'node:module';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { deathSchema, mortalStore } from './mortal-store.ts';
import { startWholeBot } from './whole-council.ts';

const [api = '', token = '', path = '', death] = process.argv.slice(2);
const store = openSqliteStore({ path });
const mortal =
  death === undefined ? store : mortalStore(store, deathSchema.parse(JSON.parse(death)));
await startWholeBot({ api, token }, mortal, `process ${process.pid}`);
// Killed, it would not leave to the next one what it has compiled.
flushCompileCache();
process.stdout.write('ready\n');
