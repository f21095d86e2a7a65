/** What `doctor` looks at in the store. */

import type { Config } from '../../settings/load.ts';
import { inspectSqlite, openSqliteStore } from '../../store/sqlite.ts';
import { type Store, StoreError } from '../../store/store.ts';
import type { Check } from '../operator/doctor.ts';
import { chooseStore, type StoreChoice, storeName } from '../store.ts';

const mostCounted = 100;

export function storeCheck(config: Config): Check {
  const choice = chooseStore(config);
  return { name: storeName(choice), run: () => look(choice) };
}

async function look(choice: StoreChoice): Promise<string> {
  switch (choice.kind) {
    case 'redis': {
      const { inspectRedis, openRedisStore } = await import('../../store/redis.ts');
      const { version, usedMegabytes, dangers } = await inspectRedis(choice);
      const found = await tryOut(await openRedisStore(choice));
      const said = `Redis ${version}, ${usedMegabytes} MB used, ${found}`;
      if (dangers.length > 0) throw new Error([`${said}. But:`, ...dangers].join('\n    '));
      return said;
    }
    case 'upstash': {
      const { openUpstashStore } = await import('../../store/upstash.ts');
      return tryOut(openUpstashStore(choice));
    }
    case 'sqlite': {
      const inspected = inspectUnlessInUse(choice.path);
      if (inspected === undefined) return 'is in use by a Council that runs';
      const found = await tryOut(openSqliteStore({ path: choice.path }));
      return inspected.isNew
        ? `${found}; nothing was in it, so the council begins without a memory`
        : found;
    }
  }
}

async function tryOut(store: Store): Promise<string> {
  try {
    // A write, so that a disk or a memory that is full shows now.
    await store.claim('doctor', 1);
    const { length } = await store.turns.unfinished(mostCounted);
    const left = length === mostCounted ? `${length} or more` : `${length}`;
    return length === 0
      ? 'can be read and written'
      : `can be read and written; ${left} turns wait to be finished at the next start`;
  } finally {
    await store.close();
  }
}

function inspectUnlessInUse(path: string): ReturnType<typeof inspectSqlite> | undefined {
  try {
    return inspectSqlite(path);
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'in_use') return undefined;
    throw error;
  }
}
