import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import type { StoreFixture } from '../contracts/store.ts';

/** A folder of its own with a SQLite file in it. */
export async function sqliteFixture(): Promise<StoreFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'council-store-'));
  const opened: Store[] = [];
  return {
    open: async (settings = {}) => {
      const store = openSqliteStore({
        path: join(folder, 'council.db'),
        now: () => startOfTime,
        ...settings,
      });
      opened.push(store);
      return store;
    },
    remove: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
