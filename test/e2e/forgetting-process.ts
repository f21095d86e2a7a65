/**
 * Goes on with what is to be forgotten, and is killed by it:
 * `node forgetting-process.ts <path or redis://…> <a Death as JSON>`.
 */

import { openRedisStore } from '../../src/store/redis.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { forgettingIn } from '../bot/bot-fixture.ts';
import { deathSchema, mortalStore } from './discord-faults/mortal-store.ts';

const [place = '', death = ''] = process.argv.slice(2);
const store = place.startsWith('redis:')
  ? await openRedisStore({ url: place })
  : openSqliteStore({ path: place });
const mortal = mortalStore(store, deathSchema.parse(JSON.parse(death)));
await forgettingIn(mortal).resume(new AbortController().signal);
