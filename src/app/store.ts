/** Where everything is kept: the store that the environment names, else a SQLite file. */

import { existsSync } from 'node:fs';
import type { Log } from '../domain/log.ts';
import type { Config } from '../settings/load.ts';
import type { Dump } from '../store/copy.ts';
import { isUnfinishedCopy } from '../store/copy.ts';
import { redactedAddress } from '../store/redis/address.ts';
import { inspectSqlite, openSqliteStore } from '../store/sqlite.ts';
import { type Store, StoreError } from '../store/store.ts';

/** Where a store is; without an address, where the settings or the environment say. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path?: string }
  | { readonly kind: 'redis'; readonly url?: string }
  | { readonly kind: 'upstash' };

/** Which store it is, and what is needed to open it. */
export type StoreChoice =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'upstash'; readonly url: string; readonly token: string }
  | { readonly kind: 'sqlite'; readonly path: string };

/** `REDIS_URL`, or Upstash's two variables, or else the file `store.path`. */
export function chooseStore(config: Config): StoreChoice {
  const isSet = (variable: string) => config.secrets.get(variable) !== undefined;
  if (isSet('REDIS_URL')) return storeAt({ kind: 'redis' }, config);
  const isAtUpstash = isSet('UPSTASH_REDIS_REST_URL') && isSet('UPSTASH_REDIS_REST_TOKEN');
  return storeAt({ kind: isAtUpstash ? 'upstash' : 'sqlite' }, config);
}

/**
 * The store that an operator has named.
 *
 * Throws `StoreError` where it is named by a variable that is not set.
 */
export function storeAt(address: StoreAddress, { settings, secrets }: Config): StoreChoice {
  const named = (variable: string) => {
    const value = secrets.get(variable);
    if (value !== undefined) return value;
    throw new StoreError(`${variable} is not set. Set it, or write the address of the store.`, {
      reason: 'refused',
    });
  };
  const { kind } = address;
  switch (kind) {
    case 'sqlite':
      return { kind, path: address.path ?? settings.store.path };
    case 'redis':
      return { kind, url: address.url ?? named('REDIS_URL') };
    case 'upstash': {
      const url = named('UPSTASH_REDIS_REST_URL');
      return { kind, url, token: named('UPSTASH_REDIS_REST_TOKEN') };
    }
  }
}

/**
 * Whether its server also carries a queue that processes share. A file and Upstash, which can't push over
 * HTTP, serve one process.
 */
export function carriesQueue(
  choice: StoreChoice,
): choice is Extract<StoreChoice, { kind: 'redis' }> {
  return choice.kind === 'redis';
}

/** The store for people, without a secret, e.g. `store redis://127.0.0.1:6379`. */
export function storeName(choice: StoreChoice): string {
  return `store ${storeAddress(choice)}`;
}

/** Where it is, without a secret. */
export function storeAddress(choice: StoreChoice): string {
  switch (choice.kind) {
    case 'redis':
      return redactedAddress(choice.url);
    case 'upstash':
      return new URL(choice.url).origin;
    case 'sqlite':
      return choice.path;
  }
}

/**
 * Opens the store. What is dangerous about a Redis server is logged as a warning.
 *
 * Throws `StoreError` when it can't be used.
 */
export async function openStore(config: Config, log: Log): Promise<Store> {
  const choice = chooseStore(config);
  const store = await openChosen(choice, config, log);
  if (!(await isUnfinishedCopy({ store }))) return store;
  await store.close();
  throw new StoreError(
    `The ${storeName(choice)} is an unfinished copy. Run the same \`store copy\` again, or use another store.`,
    { reason: 'in_use' },
  );
}

async function openChosen(choice: StoreChoice, config: Config, log: Log): Promise<Store> {
  const { retentionDays } = config.settings.memory;
  const keeping = retentionDays === undefined ? {} : { retentionDays };
  switch (choice.kind) {
    case 'redis': {
      const { url } = choice;
      // Loaded where it is used: it would be a good part of the time that a start takes.
      const { inspectRedis, openRedisStore } = await import('../store/redis.ts');
      const { dangers } = await inspectRedis({ url });
      for (const danger of dangers) log.warn({ danger }, 'the Redis server is not set up safely');
      return openRedisStore({ url, ...keeping });
    }
    case 'upstash': {
      const { openUpstashStore } = await import('../store/upstash.ts');
      return openUpstashStore({ url: choice.url, token: choice.token, ...keeping });
    }
    case 'sqlite':
      return openSqliteStore({ path: choice.path, ...keeping });
  }
}

/**
 * Opens a store as a whole, for moving it elsewhere.
 *
 * @param isToBeThere - It is to be read: a file that is missing is then a mistyped name, not an empty store,
 *   and one that is there is looked through for damage.
 * @throws `StoreError` when it can't be used.
 */
export async function openDump(choice: StoreChoice, isToBeThere: boolean): Promise<Dump> {
  if (choice.kind === 'sqlite') {
    const { path } = choice;
    if (isToBeThere && !existsSync(path)) {
      throw new StoreError(`There is no file ${path}.`, { reason: 'refused' });
    }
    if (isToBeThere) inspectSqlite(path);
    const { openSqliteDump } = await import('../store/sqlite-dump.ts');
    return openSqliteDump({ path });
  }
  const { openRedisDump, openUpstashDump } = await import('../store/redis-dump.ts');
  return choice.kind === 'redis' ? openRedisDump(choice) : openUpstashDump(choice);
}
