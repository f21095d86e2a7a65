/** Chooses and opens the store: the one named in the environment, else a SQLite file. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Log } from '../domain/log.ts';
import { shownPath } from '../settings/config-source.ts';
import type { Config } from '../settings/load.ts';
import { type Dump, isUnfinishedCopy } from '../store/copy.ts';
import { redactedAddress } from '../store/redis/address.ts';
import { inspectSqlite, openSqliteStore } from '../store/sqlite.ts';
import { type Store, StoreError } from '../store/store.ts';

/** A store as the operator names it. Without a path or URL, the settings or the environment have it. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path?: string }
  | { readonly kind: 'redis'; readonly url?: string }
  | { readonly kind: 'upstash' };

/** A store with all that is needed to open it. */
export type StoreChoice =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'upstash'; readonly url: string; readonly token: string }
  | { readonly kind: 'sqlite'; readonly path: string };

/** Returns the store of `REDIS_URL`, else of Upstash's two variables, else the file `store.path`. */
export function chooseStore(config: Config): StoreChoice {
  const isSet = (variable: string) => config.secrets.get(variable) !== undefined;
  if (isSet('REDIS_URL')) return storeAt({ kind: 'redis' }, config);
  const isAtUpstash = isSet('UPSTASH_REDIS_REST_URL') && isSet('UPSTASH_REDIS_REST_TOKEN');
  return storeAt({ kind: isAtUpstash ? 'upstash' : 'sqlite' }, config);
}

/**
 * Completes an address from the settings and the environment.
 *
 * @param folder - The path in the address is relative to it.
 * @throws {StoreError} if a variable is not set.
 */
export function storeAt(address: StoreAddress, config: Config, folder = '.'): StoreChoice {
  const { settings, secrets } = config;
  const named = (variable: string) => {
    const value = secrets.get(variable);
    if (value !== undefined) return value;
    throw new StoreError(`${variable} is not set. Set it, or write the address of the store.`, {
      reason: 'unreachable',
    });
  };
  const { kind } = address;
  switch (kind) {
    case 'sqlite': {
      const { path } = address;
      return { kind, path: path ? shownPath(resolve(folder, path)) : settings.store.path };
    }
    case 'redis':
      return { kind, url: address.url ?? named('REDIS_URL') };
    case 'upstash': {
      const url = named('UPSTASH_REDIS_REST_URL');
      return { kind, url, token: named('UPSTASH_REDIS_REST_TOKEN') };
    }
  }
}

/**
 * Whether processes can share a queue through the store. A file serves one process; so does Upstash, which
 * can't push over HTTP.
 */
export function canShareQueue(
  choice: StoreChoice,
): choice is Extract<StoreChoice, { kind: 'redis' }> {
  return choice.kind === 'redis';
}

/** The store's address without secrets, e.g. `redis://127.0.0.1:6379`. */
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

/** Opens the configured store. Logs warnings for unsafe Redis settings. @throws {StoreError} if it can't be used. */
export async function openStore(config: Config, log: Log): Promise<Store> {
  const choice = chooseStore(config);
  const store = await openChosen(choice, config, log);
  if (!(await isUnfinishedCopy({ store }))) return store;
  await store.close();
  throw new StoreError(
    `The store ${storeAddress(choice)} is an unfinished copy. Run the same \`store copy\` again, or use another store.`,
    { reason: 'in_use' },
  );
}

async function openChosen(choice: StoreChoice, config: Config, log: Log): Promise<Store> {
  const { retentionDays } = config.settings.memory;
  const retention = retentionDays === undefined ? {} : { retentionDays };
  switch (choice.kind) {
    case 'redis': {
      const { url } = choice;
      // Loaded on demand: it takes a good part of a start's time.
      const { inspectRedis, openRedisStore } = await import('../store/redis.ts');
      const { dangers } = await inspectRedis({ url });
      for (const danger of dangers) log.warn({ danger }, 'the Redis server is not set up safely');
      return openRedisStore({ url, ...retention });
    }
    case 'upstash': {
      const { openUpstashStore } = await import('../store/upstash.ts');
      return openUpstashStore({ url: choice.url, token: choice.token, ...retention });
    }
    case 'sqlite':
      return openSqliteStore({ path: choice.path, ...retention });
  }
}

/**
 * Opens a store for copying or checking.
 *
 * @param isSource - The store is read: its file must exist, and is checked for damage.
 * @throws {StoreError} if it can't be used.
 */
export async function openDump(choice: StoreChoice, isSource: boolean): Promise<Dump> {
  if (choice.kind === 'sqlite') {
    const { path } = choice;
    if (isSource && !existsSync(path)) {
      throw new StoreError(`There is no file ${path}.`, { reason: 'unreachable' });
    }
    if (isSource) inspectSqlite(path);
    const { openSqliteDump } = await import('../store/sqlite-dump.ts');
    return openSqliteDump({ path });
  }
  const { openRedisDump, openUpstashDump } = await import('../store/redis-dump.ts');
  return choice.kind === 'redis' ? openRedisDump(choice) : openUpstashDump(choice);
}
