/** Where everything is kept: the store that the environment names, else a SQLite file. */

import type { Log } from '../domain/log.ts';
import type { Config } from '../settings/load.ts';
import { isUnfinishedCopy } from '../store/archive/copy.ts';
import { shownAddress } from '../store/redis/address.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { type Store, StoreError } from '../store/store.ts';

/** Which store it is, and what is needed to open it. */
export type StoreChoice =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'upstash'; readonly url: string; readonly token: string }
  | { readonly kind: 'sqlite'; readonly path: string };

/** `REDIS_URL`, or Upstash's two variables, or else the file `store.path`. */
export function chooseStore({ settings, secrets }: Config): StoreChoice {
  const redis = secrets.get('REDIS_URL');
  if (redis !== undefined) return { kind: 'redis', url: redis };
  const url = secrets.get('UPSTASH_REDIS_REST_URL');
  const token = secrets.get('UPSTASH_REDIS_REST_TOKEN');
  if (url !== undefined && token !== undefined) return { kind: 'upstash', url, token };
  return { kind: 'sqlite', path: settings.store.path };
}

/**
 * Whether its server also carries a queue that processes share. Not a file, nor Upstash, which by HTTP
 * can wake nobody: they serve one process.
 */
export function carriesQueue(
  choice: StoreChoice,
): choice is Extract<StoreChoice, { kind: 'redis' }> {
  return choice.kind === 'redis';
}

/** The store for people, without a secret, e.g. `store redis://127.0.0.1:6379`. */
export function storeName(choice: StoreChoice): string {
  switch (choice.kind) {
    case 'redis':
      return `store ${shownAddress(choice.url)}`;
    case 'upstash':
      return `store ${new URL(choice.url).origin}`;
    case 'sqlite':
      return `store ${choice.path}`;
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
    `The ${storeName(choice)} is a copy that broke off, and lacks what was not copied yet. Run the same \`store copy\` again, or give another store.`,
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
