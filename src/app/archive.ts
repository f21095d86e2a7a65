/** Opens a store as a whole, for maintenance. */

import { existsSync } from 'node:fs';
import type { Config } from '../settings/load.ts';
import type { Archive } from '../store/archive.ts';
import { StoreError } from '../store/store.ts';
import type { StoreChoice } from './store.ts';
import type { StoreAddress } from './tasks/task.ts';

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
  switch (address.kind) {
    case 'sqlite':
      return { kind: 'sqlite', path: address.path ?? settings.store.path };
    case 'redis':
      return { kind: 'redis', url: address.url ?? named('REDIS_URL') };
    case 'upstash':
      return {
        kind: 'upstash',
        url: named('UPSTASH_REDIS_REST_URL'),
        token: named('UPSTASH_REDIS_REST_TOKEN'),
      };
  }
}

/**
 * Opens it.
 *
 * @param isToBeThere - A file that is not there is no empty store, but a name that was mistyped.
 * @throws `StoreError` when it can't be used.
 */
export async function openArchive(choice: StoreChoice, isToBeThere: boolean): Promise<Archive> {
  if (choice.kind === 'sqlite') {
    const { path } = choice;
    if (isToBeThere && !existsSync(path)) {
      throw new StoreError(`There is no file ${path}.`, { reason: 'refused' });
    }
    const { openSqliteArchive } = await import('../store/sqlite-archive.ts');
    return openSqliteArchive({ path });
  }
  const { openRedisArchive, openUpstashArchive } = await import('../store/redis-archive.ts');
  return choice.kind === 'redis' ? openRedisArchive(choice) : openUpstashArchive(choice);
}
